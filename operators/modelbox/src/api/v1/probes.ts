// The probes of the container of a ModelBox.
import { kube, z } from "@kubewright/schema";

const probe = z.object({
  enabled: z.boolean().default(true).describe("Set to false to have no such probe"),
  initialDelaySeconds: z
    .int32()
    .min(0)
    .optional()
    .describe("Seconds from the start of the container to the first probe. Default: 0"),
  periodSeconds: z.int32().min(1).optional().describe("Seconds between probes. Default: 10"),
  timeoutSeconds: z
    .int32()
    .min(1)
    .optional()
    .describe("Seconds after which a probe without an answer has failed. Default: 1"),
  successThreshold: z
    .int32()
    .min(1)
    .optional()
    .describe("Successes in a row that count as a success, for readiness only. Default: 1"),
  failureThreshold: z
    .int32()
    .min(1)
    .optional()
    .describe("Failures in a row that count as a failure. Default: 3"),
});

export const probes = z.object({
  path: z
    .string()
    .startsWith("/")
    .max(2048)
    .optional()
    .describe("Asks for this path over HTTP instead of connecting"),
  port: kube.intOrString().optional().describe("The port to probe; defaults to the first port"),
  liveness: probe.optional().describe("Restarts the container when it fails"),
  readiness: probe.optional().describe("Takes the pod out of the Service while it fails"),
});

export type Probes = z.infer<typeof probes>;
export type ProbeSettings = z.infer<typeof probe>;

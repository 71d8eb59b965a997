// The probes of the container of a ModelBox.
import { kube, z } from "@kubewright/schema";

const probe = z.object({
  enabled: z.boolean().default(true).describe("Set to false to have no such probe"),
  initialDelaySeconds: z.int32().min(0).optional(),
  periodSeconds: z.int32().min(1).optional(),
  timeoutSeconds: z.int32().min(1).optional(),
  successThreshold: z.int32().min(1).optional().describe("For readiness only: liveness needs one success"),
  failureThreshold: z.int32().min(1).optional(),
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

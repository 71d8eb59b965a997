// An application reached through a Service: an image, how many of it, and its ports.
import type { ObjectOf } from "@kubewright/api";
import { conditions, defineResource, kube, rule, z } from "@kubewright/schema";

/** What both versions have. */
const common = {
  size: z.int32().min(0).describe("How many pods to run"),
  image: z.string().min(1).describe("Container image to run"),
  resources: kube.ResourceRequirements.optional().describe("Resources of the container"),
  envs: kube.listMap(kube.EnvVar, ["name"]).optional().describe("Environment of the container"),
  ports: kube
    .listMap(kube.ServicePort, ["port", "protocol"])
    .max(64)
    .optional()
    .describe("Ports of the Service; without any there is none"),
};

const status = z.object({
  observedGeneration: z.int().optional(),
  ready: z.string().optional().describe("Pods that are ready, of those wanted"),
  replicas: z.int32().optional(),
  updatedReplicas: z.int32().optional(),
  readyReplicas: z.int32().optional(),
  availableReplicas: z.int32().optional(),
  unavailableReplicas: z.int32().optional(),
  selector: z.string().optional(),
  address: z.string().optional(),
  nodePorts: z.array(z.int32()).optional(),
  conditions: conditions(),
});

const shown = {
  status,
  scale: { spec: ".spec.size", status: ".status.replicas", selector: ".status.selector" },
  columns: {
    Ready: ".status.ready",
    "Up-to-date": ".status.updatedReplicas",
    Available: ".status.availableReplicas",
    Image: ".spec.image",
  },
  rules: [
    rule("self.metadata.name.size() <= 63 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')", {
      message:
        "the name is also that of a Service: lower-case letters, digits and dashes, a letter first, at most 63",
    }),
  ],
};

export const AppService = defineResource({
  group: "app.example.com",
  version: "v1",
  kind: "AppService",
  shortNames: ["appsvc"],
  conversion: "webhook",
  spec: z.object({
    ...common,
    serviceType: z
      .enum(["ClusterIP", "NodePort", "LoadBalancer", "Headless"])
      .optional()
      .describe("How the Service is reached; NodePort where a port names one, else ClusterIP"),
  }),
  ...shown,
  versions: {
    v1alpha1: { spec: z.object(common), ...shown },
  },
});

export type AppService = ObjectOf<typeof AppService>;
export type AppServiceV1Alpha1 = ObjectOf<typeof AppService.versions.v1alpha1>;

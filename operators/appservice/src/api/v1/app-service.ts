// An application reached through a Service: an image, how many of it, and its ports.
import type { ObjectOf } from "@kubewright/api";
import { namedLikeService, workloadColumns, workloadStatus } from "@kubewright/runtime/workload";
import { defineResource, kube, z } from "@kubewright/schema";

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

const shown = {
  status: z.object(workloadStatus()),
  scale: { spec: ".spec.size", status: ".status.replicas", selector: ".status.selector" },
  columns: { ...workloadColumns, Image: ".spec.image" },
  rules: [namedLikeService()],
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

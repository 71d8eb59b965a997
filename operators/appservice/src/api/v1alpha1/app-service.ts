// AppService as v1alpha1 has it: all that v1 has but how its Service is reached. The definition is ../v1/app-service.ts.
import { namedLikeService, workloadColumns, workloadStatus } from "@kubewright/runtime/workload";
import { kube, z } from "@kubewright/schema";

export const appServiceV1alpha1 = {
  spec: z.object({
    size: z.int32().min(0).describe("How many pods to run"),
    image: z.string().min(1).describe("Container image to run"),
    resources: kube.ResourceRequirements.optional().describe("Resources of the container"),
    envs: kube.listMap(kube.EnvVar, ["name"]).optional().describe("Environment of the container"),
    ports: kube
      .listMap(kube.ServicePort, ["port", "protocol"])
      .max(64)
      .optional()
      .describe("Ports of the Service; without any there is none"),
  }),
  status: z.object(workloadStatus()),
  scale: { spec: ".spec.size", status: ".status.replicas", selector: ".status.selector" },
  columns: { ...workloadColumns, Image: ".spec.image" },
  rules: [namedLikeService()],
};

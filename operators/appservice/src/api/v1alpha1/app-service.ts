// AppService as v1alpha1 has it: all that v1 has but how its Service is reached. The definition is ../v1/app-service.ts.
import {
  containerImage,
  disruptionBudget,
  environment,
  namedLikeService,
  podTemplate,
  resourceRequirements,
  servicePortList,
  workloadColumns,
  workloadStatus,
} from "@kubewright/runtime/workload";
import { z } from "@kubewright/schema";

export const appServiceV1alpha1 = {
  spec: z
    .object({
      size: z.int32().min(0).describe("How many pods to run"),
      image: containerImage(),
      resources: resourceRequirements().optional().describe("Resources of the container"),
      envs: environment().optional().describe("Environment of the container"),
      ports: servicePortList().optional().describe("Ports of the Service; without any there is none"),
      podTemplate: podTemplate(),
      podDisruptionBudget: disruptionBudget(),
    })
    .describe("The desired pods and their Service"),
  status: z
    .object(workloadStatus())
    .describe("The state of the Deployment and the Service, as last observed"),
  scale: { spec: ".spec.size", status: ".status.replicas", selector: ".status.selector" },
  columns: { ...workloadColumns, Image: ".spec.image" },
  rules: [namedLikeService()],
};

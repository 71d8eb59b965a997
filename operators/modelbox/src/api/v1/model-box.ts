// A model server: an image, how many of it, and the ports it answers on.
import { conditions, defineResource, kube, z } from "@kubewright/schema";

export const ModelBox = defineResource({
  group: "model.github.com",
  version: "v1",
  kind: "ModelBox",
  plural: "modelboxes",
  shortNames: ["mb"],
  spec: z.object({
    name: z.string().optional().describe("Name of the container; that of the object unless given"),
    image: z.string().min(1).describe("Container image to run"),
    replicas: z.int().min(0).default(1).describe("How many pods to run"),
    rollingUpdate: z
      .string()
      .regex(/^([1-9]\d?|100)%$/)
      .default("25%")
      .describe("Share of the pods replaced at a time"),
    ports: kube.listMap(kube.ServicePort, ["port", "protocol"]).min(1).describe("Ports of the Service"),
    resources: kube.ResourceRequirements.optional(),
    envs: kube.listMap(kube.EnvVar, ["name"]).optional(),
  }),
  status: z.object({
    replicas: z.int().optional(),
    readyReplicas: z.int().optional(),
    conditions: conditions(),
  }),
  columns: { Ready: ".status.readyReplicas", Image: ".spec.image", Age: ".metadata.creationTimestamp" },
});

// What the people who run a cluster add to every ModelBox of a kind: containers, and what the tiers mean.
import type { ObjectOf } from "@kubewright/api";
import { defineResource, kube, z } from "@kubewright/schema";

export const ModelBoxPolicy = defineResource({
  group: "model.github.com",
  version: "v1",
  kind: "ModelBoxPolicy",
  plural: "modelboxpolicies",
  shortNames: ["mbp"],
  scope: "Cluster",
  spec: z.object({
    selector: kube.LabelSelector.optional().describe("Which ModelBoxes, by their labels; all unless given"),
    containers: kube.listMap(kube.Container, ["name"]).max(16).optional().describe("Added to their pods"),
    initContainers: kube
      .listMap(kube.Container, ["name"])
      .max(16)
      .optional()
      .describe("Run to completion before their containers start"),
    tiers: z
      .object({
        small: kube.ResourceRequirements.optional(),
        medium: kube.ResourceRequirements.optional(),
        large: kube.ResourceRequirements.optional(),
      })
      .optional()
      .describe("Resources of the tiers, in place of the built-in ones"),
  }),
});

export type ModelBoxPolicy = ObjectOf<typeof ModelBoxPolicy>;

// ModelBoxPolicy: what cluster administrators add to every ModelBox of a kind: containers, and the resources of tiers.
import type { ObjectOf } from "@kubewright/api";
import { containerList, labelSelector, resourceRequirements } from "@kubewright/runtime/workload";
import { conditions, defineResource, z } from "@kubewright/schema";

export const ModelBoxPolicy = defineResource({
  group: "model.github.com",
  version: "v1",
  kind: "ModelBoxPolicy",
  plural: "modelboxpolicies",
  shortNames: ["mbp"],
  scope: "Cluster",
  spec: z
    .object({
      selector: labelSelector().optional().describe("Which ModelBoxes, by their labels. Default: all"),
      containers: containerList().optional().describe("Added to their pods"),
      initContainers: containerList().optional().describe("Run to completion before their containers start"),
      tiers: z
        .object({
          small: resourceRequirements().optional().describe("Resources of a ModelBox of tier small"),
          medium: resourceRequirements().optional().describe("Resources of a ModelBox of tier medium"),
          large: resourceRequirements().optional().describe("Resources of a ModelBox of tier large"),
        })
        .optional()
        .describe("Resources of the tiers, in place of the built-in ones"),
    })
    .describe("What is added to the pods of which ModelBoxes"),
  status: z
    .object({ conditions: conditions().describe("Accepted: whether the selector of the policy is valid") })
    .describe("Whether the policy is in effect"),
  columns: { Accepted: '.status.conditions[?(@.type=="Accepted")].status' },
});

export type ModelBoxPolicy = ObjectOf<typeof ModelBoxPolicy>;

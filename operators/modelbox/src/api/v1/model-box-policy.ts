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
  spec: z.object({
    selector: labelSelector().optional().describe("Which ModelBoxes, by their labels. Default: all"),
    containers: containerList().optional().describe("Added to their pods"),
    initContainers: containerList().optional().describe("Run to completion before their containers start"),
    tiers: z
      .object({
        small: resourceRequirements().optional(),
        medium: resourceRequirements().optional(),
        large: resourceRequirements().optional(),
      })
      .optional()
      .describe("Resources of the tiers, in place of the built-in ones"),
  }),
  status: z.object({ conditions: conditions() }),
  columns: { Accepted: '.status.conditions[?(@.type=="Accepted")].status' },
});

export type ModelBoxPolicy = ObjectOf<typeof ModelBoxPolicy>;

// A guestbook: some pods that serve it, configured by a ConfigMap.
import type { ObjectOf } from "@kubewright/api";
import {
  disruptionBudget,
  namedLikeService,
  podTemplate,
  workloadColumns,
  workloadStatus,
} from "@kubewright/runtime/workload";
import { defineResource, z } from "@kubewright/schema";

export const Guestbook = defineResource({
  group: "webapp.tutorial.kubebuilder.io",
  version: "v1",
  kind: "Guestbook",
  spec: z
    .object({
      size: z.int32().min(1).max(10).describe("How many pods to run"),
      configMapName: z
        .string()
        .min(1)
        .max(15)
        .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/)
        .describe("The ConfigMap that configures them"),
      type: z.enum(["Phone", "Address", "Name"]).default("Name").describe("What guests leave"),
      podTemplate: podTemplate(),
      podDisruptionBudget: disruptionBudget(),
    })
    .describe("The desired pods and their configuration"),
  status: z
    .object({
      active: z.string().optional().describe("The pod that serves"),
      standby: z.array(z.string()).optional().describe("The pods that are ready to take over"),
      ...workloadStatus(),
    })
    .describe("Which pod serves, and the state of the Deployment"),
  scale: { spec: ".spec.size", status: ".status.replicas", selector: ".status.selector" },
  columns: { ...workloadColumns, Type: ".spec.type", Active: ".status.active" },
  rules: [namedLikeService()],
});

export type Guestbook = ObjectOf<typeof Guestbook>;

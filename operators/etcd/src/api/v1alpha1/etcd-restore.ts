// A new etcd cluster from a snapshot.
import type { ObjectOf } from "@kubewright/api";
import { snapshotSource } from "@kubewright/runtime/backup";
import { conditions, defineResource, immutable, kube, z } from "@kubewright/schema";
import { apiVersion, group } from "./etcd-cluster.js";

export const EtcdRestore = defineResource({
  group,
  version: apiVersion,
  kind: "EtcdRestore",
  plural: "etcdrestores",
  shortNames: ["etcdrestore"],
  spec: z
    .object({
      source: snapshotSource("An EtcdBackup").describe("The snapshot that the new cluster begins with"),
      cluster: z
        .object({
          name: z
            .string()
            .min(1)
            .max(40)
            .describe("The EtcdCluster to make; there must be none of that name"),
          spec: kube
            .schema<Readonly<Record<string, unknown>>>(() => ({
              type: "object",
              "x-kubernetes-preserve-unknown-fields": true,
            }))
            .optional()
            .describe(
              "The spec of the new EtcdCluster. Default: that of the cluster the backup is of, if it is still there",
            ),
        })
        .describe("The cluster to make"),
    })
    .check(immutable())
    .describe("Which snapshot to restore, into which new cluster"),
  status: z
    .object({
      observedGeneration: z.int().optional().describe("The generation of the spec that this status is about"),
      phase: z
        .enum(["Pending", "Restoring", "Succeeded", "Failed"])
        .optional()
        .describe("How far the restore is"),
      startTime: z.string().optional().describe("When the restore started"),
      completionTime: z.string().optional().describe("When it succeeded or failed"),
      message: z.string().optional().describe("Why it waits, or has failed"),
      conditions: conditions().describe(
        "Complete: whether the new cluster runs with the data of the snapshot",
      ),
    })
    .describe("How far the restore is"),
  columns: {
    Cluster: ".spec.cluster.name",
    Phase: ".status.phase",
    Message: { path: ".status.message", priority: 1 },
  },
});

export type EtcdRestore = ObjectOf<typeof EtcdRestore>;

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
      source: snapshotSource("An EtcdBackup"),
      cluster: z.object({
        name: z.string().min(1).max(40).describe("The EtcdCluster to make; there must be none of that name"),
        spec: kube
          .schema<Readonly<Record<string, unknown>>>(() => ({
            type: "object",
            "x-kubernetes-preserve-unknown-fields": true,
          }))
          .optional()
          .describe(
            "The spec of the new EtcdCluster. Default: that of the cluster the backup is of, if it is still there",
          ),
      }),
    })
    .check(immutable()),
  status: z.object({
    observedGeneration: z.int().optional(),
    phase: z.enum(["Pending", "Restoring", "Succeeded", "Failed"]).optional(),
    startTime: z.string().optional(),
    completionTime: z.string().optional(),
    message: z.string().optional(),
    conditions: conditions(),
  }),
  columns: {
    Cluster: ".spec.cluster.name",
    Phase: ".status.phase",
    Message: { path: ".status.message", priority: 1 },
  },
});

export type EtcdRestore = ObjectOf<typeof EtcdRestore>;

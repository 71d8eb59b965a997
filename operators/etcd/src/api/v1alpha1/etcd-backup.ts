// One snapshot of an etcd cluster, taken once.
import type { ObjectOf } from "@kubewright/api";
import { snapshotTarget } from "@kubewright/runtime/backup";
import { conditions, defineResource, immutable, z } from "@kubewright/schema";
import { apiVersion, group } from "./etcd-cluster.js";

export const EtcdBackup = defineResource({
  group,
  version: apiVersion,
  kind: "EtcdBackup",
  plural: "etcdbackups",
  shortNames: ["etcdbackup"],
  spec: z
    .object({
      clusterName: z.string().min(1).max(253).describe("An EtcdCluster in the same namespace"),
      target: snapshotTarget.describe("Where the snapshot is stored"),
      timeoutSeconds: z.int32().min(1).optional().describe("After which it has failed. Default: 1800"),
    })
    .check(immutable())
    .describe("Which cluster to take a snapshot of, and where to store it"),
  status: z
    .object({
      observedGeneration: z.int().optional().describe("The generation of the spec that this status is about"),
      phase: z
        .enum(["Pending", "Running", "Succeeded", "Failed"])
        .optional()
        .describe("How far the backup is"),
      member: z.string().optional().describe("The member the snapshot is of"),
      revision: z.int().optional().describe("The revision of etcd that the snapshot holds"),
      etcdVersion: z.string().optional().describe("Version of the etcd that made the snapshot"),
      file: z.string().optional().describe("Name of the snapshot in the folder, or under the prefix"),
      size: z.int().optional().describe("Size of the snapshot in bytes"),
      sha256: z.string().optional().describe("SHA-256 of the snapshot, in hexadecimal"),
      startTime: z.string().optional().describe("When the backup started"),
      completionTime: z.string().optional().describe("When it succeeded or failed"),
      message: z.string().optional().describe("Why it waits, or has failed"),
      conditions: conditions().describe("Complete: whether the snapshot is stored"),
    })
    .describe("How far the backup is, and what was stored"),
  columns: {
    Cluster: ".spec.clusterName",
    Phase: ".status.phase",
    Revision: ".status.revision",
    Size: ".status.size",
    File: { path: ".status.file", priority: 1 },
  },
});

export type EtcdBackup = ObjectOf<typeof EtcdBackup>;

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
      target: snapshotTarget,
      timeoutSeconds: z.int32().min(1).optional().describe("After which it has failed. Default: 1800"),
    })
    .check(immutable()),
  status: z.object({
    observedGeneration: z.int().optional(),
    phase: z.enum(["Pending", "Running", "Succeeded", "Failed"]).optional(),
    member: z.string().optional().describe("The member the snapshot is of"),
    revision: z.int().optional(),
    etcdVersion: z.string().optional(),
    file: z.string().optional(),
    size: z.int().optional().describe("In bytes"),
    sha256: z.string().optional(),
    startTime: z.string().optional(),
    completionTime: z.string().optional(),
    message: z.string().optional(),
    conditions: conditions(),
  }),
  columns: {
    Cluster: ".spec.clusterName",
    Phase: ".status.phase",
    Revision: ".status.revision",
    Size: ".status.size",
    File: { path: ".status.file", priority: 1 },
  },
});

export type EtcdBackup = ObjectOf<typeof EtcdBackup>;

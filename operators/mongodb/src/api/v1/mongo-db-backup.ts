// One backup of a replica set, taken once.
import type { ObjectOf } from "@kubewright/api";
import { snapshotTarget } from "@kubewright/runtime/backup";
import { conditions, defineResource, immutable, z } from "@kubewright/schema";
import { apiVersion, group } from "./mongo-db-community.js";

export const MongoDBBackup = defineResource({
  group,
  version: apiVersion,
  kind: "MongoDBBackup",
  plural: "mongodbbackups",
  shortNames: ["mdbbackup"],
  spec: z
    .object({
      clusterName: z.string().min(1).max(253).describe("A MongoDBCommunity in the same namespace"),
      target: snapshotTarget,
      timeoutSeconds: z.int32().min(1).optional().describe("After which it has failed. Default: 1800"),
    })
    .check(immutable()),
  status: z.object({
    observedGeneration: z.int().optional(),
    phase: z.enum(["Pending", "Running", "Succeeded", "Failed"]).optional(),
    member: z.string().optional().describe("The member that was read"),
    mongodbVersion: z.string().optional(),
    consistency: z
      .enum(["Snapshot", "Majority"])
      .optional()
      .describe(
        "Snapshot: all documents are of one time. Majority: each is as a majority had it at some time during the backup",
      ),
    clusterTime: z
      .string()
      .optional()
      .describe("Every write that a majority had acknowledged by then is in the backup"),
    databases: z.int32().optional(),
    collections: z.int32().optional(),
    documents: z.int().optional().describe("With users and roles"),
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
    Consistency: ".status.consistency",
    Documents: ".status.documents",
    Size: ".status.size",
    File: { path: ".status.file", priority: 1 },
  },
});

export type MongoDBBackup = ObjectOf<typeof MongoDBBackup>;

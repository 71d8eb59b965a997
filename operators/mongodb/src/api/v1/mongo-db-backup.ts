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
      target: snapshotTarget.describe("Where the backup is stored"),
      timeoutSeconds: z.int32().min(1).optional().describe("After which it has failed. Default: 1800"),
    })
    .check(immutable())
    .describe("Which replica set to back up, and where to store the backup"),
  status: z
    .object({
      observedGeneration: z.int().optional().describe("The generation of the spec that this status is about"),
      phase: z.enum(["Pending", "Running", "Succeeded", "Failed"]).optional().describe("How far it is"),
      member: z.string().optional().describe("The member that was read"),
      mongodbVersion: z.string().optional().describe("Version of MongoDB that the member ran"),
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
      databases: z.int32().optional().describe("Number of databases in the backup"),
      collections: z.int32().optional().describe("Number of collections in the backup"),
      documents: z.int().optional().describe("Number of documents in the backup, with users and roles"),
      file: z.string().optional().describe("Name of the backup in the folder, or under the prefix"),
      size: z.int().optional().describe("Size of the backup in bytes"),
      sha256: z.string().optional().describe("SHA-256 of the backup, in hexadecimal"),
      startTime: z.string().optional().describe("When it started"),
      completionTime: z.string().optional().describe("When it succeeded or failed"),
      message: z.string().optional().describe("Why it waits, or has failed"),
      conditions: conditions().describe("Complete: whether the backup is stored"),
    })
    .describe("How far the backup is, and what was stored"),
  columns: {
    Cluster: ".spec.clusterName",
    Phase: ".status.phase",
    Consistency: ".status.consistency",
    Documents: ".status.documents",
    Size: ".status.size",
    File: { path: ".status.file", priority: 1 },
    Message: { path: ".status.message", priority: 1 },
  },
});

export type MongoDBBackup = ObjectOf<typeof MongoDBBackup>;

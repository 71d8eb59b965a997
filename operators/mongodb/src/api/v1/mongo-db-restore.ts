// A backup that is written into a replica set that runs.
import type { ObjectOf } from "@kubewright/api";
import { snapshotSource } from "@kubewright/runtime/backup";
import { conditions, defineResource, immutable, z } from "@kubewright/schema";
import { apiVersion, group } from "./mongo-db-community.js";

export const MongoDBRestore = defineResource({
  group,
  version: apiVersion,
  kind: "MongoDBRestore",
  plural: "mongodbrestores",
  shortNames: ["mdbrestore"],
  spec: z
    .object({
      source: snapshotSource("A MongoDBBackup").describe("The backup to restore"),
      clusterName: z
        .string()
        .min(1)
        .max(253)
        .describe("The MongoDBCommunity in the same namespace to write it into"),
      replace: z
        .boolean()
        .optional()
        .describe(
          "Replaces collections that are there. Default: false, and a restore into a database that is not empty is refused",
        ),
      timeoutSeconds: z.int32().min(1).optional().describe("After which it has failed. Default: 7200"),
    })
    .check(immutable())
    .describe("Which backup to restore, into which replica set"),
  status: z
    .object({
      observedGeneration: z.int().optional().describe("The generation of the spec that this status is about"),
      phase: z.enum(["Pending", "Restoring", "Succeeded", "Failed"]).optional().describe("How far it is"),
      databases: z.int32().optional().describe("Number of databases that were written"),
      collections: z.int32().optional().describe("Number of collections that were written"),
      documents: z.int().optional().describe("Number of documents that were written"),
      users: z.int32().optional().describe("Number of users that were made; those that exist are kept"),
      roles: z.int32().optional().describe("Number of roles that were made; those that exist are kept"),
      startTime: z.string().optional().describe("When it started"),
      completionTime: z.string().optional().describe("When it succeeded or failed"),
      message: z.string().optional().describe("Why it waits, or has failed"),
      conditions: conditions().describe("Complete: whether the replica set has the data of the backup"),
    })
    .describe("How far the restore is"),
  columns: {
    Cluster: ".spec.clusterName",
    Phase: ".status.phase",
    Documents: ".status.documents",
    Message: { path: ".status.message", priority: 1 },
  },
});

export type MongoDBRestore = ObjectOf<typeof MongoDBRestore>;

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
      source: snapshotSource("A MongoDBBackup"),
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
    .check(immutable()),
  status: z.object({
    observedGeneration: z.int().optional(),
    phase: z.enum(["Pending", "Restoring", "Succeeded", "Failed"]).optional(),
    databases: z.int32().optional(),
    collections: z.int32().optional(),
    documents: z.int().optional(),
    users: z.int32().optional().describe("Those that were not there before"),
    roles: z.int32().optional().describe("Those that were not there before"),
    startTime: z.string().optional(),
    completionTime: z.string().optional(),
    message: z.string().optional(),
    conditions: conditions(),
  }),
  columns: {
    Cluster: ".spec.clusterName",
    Phase: ".status.phase",
    Documents: ".status.documents",
    Message: { path: ".status.message", priority: 1 },
  },
});

export type MongoDBRestore = ObjectOf<typeof MongoDBRestore>;

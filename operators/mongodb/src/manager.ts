// The manager of the operator, around a way to reach members.
import { defineManager } from "@kubewright/runtime";
import { mongoBackupController } from "./controllers/mongo-db-backup.js";
import { type MongoControllerOptions, mongoController } from "./controllers/mongo-db-community.js";
import { mongoRestoreController } from "./controllers/mongo-db-restore.js";

export interface MongoManagerOptions extends MongoControllerOptions {
  /** Watches only these namespaces, and needs rights in no other. Default: all. */
  readonly namespaces?: readonly string[] | undefined;
}

export const mongoManager = ({ namespaces, ...options }: MongoManagerOptions) =>
  defineManager({
    name: "mongodb-operator",
    namespaces,
    controllers: [mongoController(options), mongoBackupController(options), mongoRestoreController(options)],
  });

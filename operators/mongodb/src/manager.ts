// The manager of the operator, around a way to reach members.
import { defineManager } from "@kubewright/runtime";
import { type MongoControllerOptions, mongoController } from "./controllers/mongodb-community.js";

export const mongoManager = (options: MongoControllerOptions) =>
  defineManager({ name: "mongodb-operator", controllers: [mongoController(options)] });

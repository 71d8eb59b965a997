// Keeps as many pods of a template as a ReplicaSet asks for.
import { ReplicaSet } from "@kubewright/api";
import type { BuiltInController } from "../controller.js";
import { Replicas } from "./replicas.js";

export const replicaSetController: BuiltInController = {
  name: "replicaset",
  start: (environment) =>
    new Replicas(
      {
        name: "replicaset",
        component: "replicaset-controller",
        kind: ReplicaSet,
        selector: ({ spec }) => spec?.selector ?? {},
        countsTerminating: true,
      },
      environment,
    ).start(),
};

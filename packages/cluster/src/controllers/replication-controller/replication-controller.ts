// Keeps as many pods of a template as a ReplicationController asks for; its selector is plain labels.
import { ReplicationController } from "@kubewright/api";
import type { BuiltInController } from "../controller.js";
import { Replicas } from "../replica-set/replicas.js";

export const replicationController: BuiltInController = {
  name: "replicationcontroller",
  start: (environment) =>
    new Replicas(
      {
        name: "replicationcontroller",
        component: "replication-controller",
        kind: ReplicationController,
        selector: ({ spec }) => ({ matchLabels: spec?.selector ?? {} }),
        countsTerminating: false,
      },
      environment,
    ).start(),
};

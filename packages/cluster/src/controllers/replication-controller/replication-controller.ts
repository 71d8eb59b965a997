// Keeps as many pods of a template as a ReplicationController asks for; its selector is plain labels.
import { ReplicationController } from "@kubewright/api";
import { replicasController } from "../replica-set/replicas.js";

export const replicationController = replicasController({
  name: "replicationcontroller",
  component: "replication-controller",
  kind: ReplicationController,
  selector: ({ spec }) => ({ matchLabels: spec?.selector ?? {} }),
  countsTerminating: false,
});

// Keeps as many pods of a template as a ReplicaSet asks for.
import { ReplicaSet } from "@kubewright/api";
import { replicasController } from "./replicas.js";

export const replicaSetController = replicasController({
  name: "replicaset",
  component: "replicaset-controller",
  kind: ReplicaSet,
  selector: ({ spec }) => spec?.selector ?? {},
  countsTerminating: true,
});

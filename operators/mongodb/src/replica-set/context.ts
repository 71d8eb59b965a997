import type {
  ConfigMap,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  Secret,
  Service,
  StatefulSet,
} from "@kubewright/api";
import type { ReconcileContext } from "@kubewright/runtime";
import type { MongoDBCommunity } from "../api/v1/mongo-db-community.js";

type Written =
  | typeof StatefulSet
  | typeof Service
  | typeof PodDisruptionBudget
  | typeof Secret
  | typeof Pod
  | typeof PersistentVolumeClaim;

/** The context of a reconcile of a MongoDBCommunity. */
export type Context = ReconcileContext<
  typeof MongoDBCommunity,
  typeof MongoDBCommunity | typeof ConfigMap | Written,
  Written
>;

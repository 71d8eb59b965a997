import type {
  ConfigMap,
  Deployment,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  Secret,
  Service,
  StatefulSet,
} from "@kubewright/api";
import type { ReconcileContext } from "@kubewright/runtime";
import type { MongoDBBackup } from "../api/v1/mongo-db-backup.js";
import type { MongoDBCommunity } from "../api/v1/mongo-db-community.js";

type Written =
  | typeof Deployment
  | typeof StatefulSet
  | typeof Service
  | typeof PodDisruptionBudget
  | typeof Secret
  | typeof Pod
  | typeof PersistentVolumeClaim
  | typeof MongoDBBackup;

/** The context of a reconcile of a MongoDBCommunity. */
export type Context = ReconcileContext<
  typeof MongoDBCommunity,
  typeof MongoDBCommunity | typeof ConfigMap | Written,
  Written
>;

import type { PersistentVolumeClaim, Pod, PodDisruptionBudget, Secret, Service } from "@kubewright/api";
import type { ReconcileContext } from "@kubewright/runtime";
import type { EtcdBackup } from "../api/v1alpha1/etcd-backup.js";
import type { EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";

type Own =
  | typeof Pod
  | typeof PersistentVolumeClaim
  | typeof Service
  | typeof PodDisruptionBudget
  | typeof Secret
  | typeof EtcdBackup;

/** The context of a reconcile of an EtcdCluster. */
export type Context = ReconcileContext<typeof EtcdCluster, typeof EtcdCluster | Own, Own>;

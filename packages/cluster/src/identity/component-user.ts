// Who the parts of a cluster are to its API server: controllers act with the permissions they have in a real cluster, so that
// what admission sees and what they are refused is the same here.
import type { UserInfo } from "@kubewright/apiserver";

/** Service accounts of kube-system, whose roles every cluster starts with, by the name of the controller. */
const accounts: ReadonlyMap<string, string> = new Map([
  ["clusterrole-aggregation", "clusterrole-aggregation-controller"],
  ["cronjob", "cronjob-controller"],
  ["csrapproving", "certificate-controller"],
  ["csrcleaner", "certificate-controller"],
  ["csrsigning", "certificate-controller"],
  ["daemonset", "daemon-set-controller"],
  ["deployment", "deployment-controller"],
  ["disruption", "disruption-controller"],
  ["endpoints", "endpoint-controller"],
  ["endpointslice", "endpointslice-controller"],
  ["garbage-collector", "generic-garbage-collector"],
  ["job", "job-controller"],
  ["namespace", "namespace-controller"],
  ["nodelifecycle", "node-controller"],
  ["persistentvolume-binder", "persistent-volume-binder"],
  ["persistentvolume-expander", "expand-controller"],
  ["podgc", "pod-garbage-collector"],
  ["pv-protection", "pv-protection-controller"],
  ["pvc-protection", "pvc-protection-controller"],
  ["replicaset", "replicaset-controller"],
  ["replicationcontroller", "replication-controller"],
  ["root-ca-certificate-publisher", "root-ca-cert-publisher"],
  ["serviceaccount", "service-account-controller"],
  ["statefulset", "statefulset-controller"],
  ["taint-eviction-controller", "node-controller"],
  ["ttl-after-finished", "ttl-after-finished-controller"],
]);

/** A user of the control plane: `kube-scheduler`, `kube-controller-manager`. */
export function componentUser(component: string): UserInfo {
  return { name: `system:${component}`, groups: ["system:authenticated"] };
}

/** Whom a built-in controller acts as: its service account, or an administrator where it has none. */
export function controllerUser(controller: string): UserInfo {
  const account = accounts.get(controller);
  if (account === undefined) return administrator(controller);
  return {
    name: `system:serviceaccount:kube-system:${account}`,
    groups: ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"],
  };
}

/** May do everything; kubelets too, for what they may do depends on their node, which the server does not look at. */
export function administrator(name: string): UserInfo {
  return { name: `system:${name}`, groups: ["system:masters", "system:authenticated"] };
}

// The users that the parts of a cluster act as: controllers have the permissions they have in a real cluster, so that admission
// sees the same user and the same requests are refused.
import type { UserInfo } from "@kubewright/apiserver";

/** The account of the storage driver; its role is bound when the driver is installed. */
export const provisionerAccount = "simulated-provisioner";

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
  ["endpointslicemirroring", "endpointslicemirroring-controller"],
  ["ephemeral-volume", "ephemeral-volume-controller"],
  ["garbage-collector", "generic-garbage-collector"],
  ["horizontalpodautoscaler", "horizontal-pod-autoscaler"],
  ["job", "job-controller"],
  ["metrics-server", "metrics-server"],
  ["namespace", "namespace-controller"],
  ["nodelifecycle", "node-controller"],
  ["persistentvolume-binder", "persistent-volume-binder"],
  ["persistentvolume-expander", "expand-controller"],
  ["persistentvolume-provisioner", provisionerAccount],
  ["podgc", "pod-garbage-collector"],
  ["pv-protection", "pv-protection-controller"],
  ["pvc-protection", "pvc-protection-controller"],
  ["replicaset", "replicaset-controller"],
  ["replicationcontroller", "replication-controller"],
  ["resourcequota", "resourcequota-controller"],
  ["root-ca-certificate-publisher", "root-ca-cert-publisher"],
  ["service-cidr-controller", "service-cidrs-controller"],
  ["serviceaccount", "service-account-controller"],
  ["statefulset", "statefulset-controller"],
  ["taint-eviction-controller", "node-controller"],
  ["ttl", "ttl-controller"],
  ["ttl-after-finished", "ttl-after-finished-controller"],
  ["vac-protection", "volumeattributesclass-protection-controller"],
  ["validatingadmissionpolicy-status", "validatingadmissionpolicy-status-controller"],
]);

/**
 * The API server's own user, which may do everything: for work that kube-apiserver does itself (upkeep of addresses) and for
 * objects that the administrator of a cluster installs.
 */
export const apiServerUser: UserInfo = {
  name: "system:apiserver",
  groups: ["system:masters", "system:authenticated"],
};

/** The names of a part of the cluster, and the user it is authenticated as. */
export interface Identity {
  /** The program: field manager and user agent. */
  readonly component: string;
  readonly user: UserInfo;
}

/** Controllers that have no account of their own, because of the program they are part of. */
const withinComponents: ReadonlyMap<string, Identity> = new Map([
  ["scheduler", { component: "kube-scheduler", user: componentUser("kube-scheduler") }],
  ["service-ip-repair", { component: "kube-apiserver", user: apiServerUser }],
  ["service-nodeport-repair", { component: "kube-apiserver", user: apiServerUser }],
  [
    "serviceaccount-token",
    { component: "kube-controller-manager", user: componentUser("kube-controller-manager") },
  ],
]);

/** A user of the control plane: `kube-scheduler`, `kube-controller-manager`. */
export function componentUser(component: string): UserInfo {
  return { name: `system:${component}`, groups: ["system:authenticated"] };
}

/** The identity of a built-in controller: its service account, or the component it is a part of. */
export function controllerIdentity(controller: string): Identity {
  const within = withinComponents.get(controller);
  if (within) return within;
  const account = accounts.get(controller);
  if (account === undefined)
    throw new TypeError(`controller ${controller} has no service account; add it to component-user.ts`);
  return { component: "kube-controller-manager", user: accountUser(account) };
}

const accountUser = (account: string): UserInfo => ({
  name: `system:serviceaccount:kube-system:${account}`,
  groups: ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"],
});

/** The kubelet of a node: may do what concerns that node and its pods. */
export function kubeletUser(node: string): UserInfo {
  return { name: `system:node:${node}`, groups: ["system:nodes", "system:authenticated"] };
}

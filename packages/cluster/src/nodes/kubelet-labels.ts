// The labels that a kubelet may set on its own node: labels of Kubernetes' own domains decide which pods may be placed there,
// and are not the kubelet's to choose.
import type { Labels } from "@kubewright/api";

const known: ReadonlySet<string> = new Set([
  "beta.kubernetes.io/arch",
  "beta.kubernetes.io/instance-type",
  "beta.kubernetes.io/os",
  "failure-domain.beta.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "kubernetes.io/arch",
  "kubernetes.io/hostname",
  "kubernetes.io/os",
  "node.kubernetes.io/instance-type",
  "node.kubernetes.io/windows-build",
  "topology.kubernetes.io/region",
  "topology.kubernetes.io/zone",
]);

/** Labels under these prefixes, or prefixes that end so, are open to kubelets. */
const open = ["kubelet.kubernetes.io", "node.kubernetes.io"];
const reserved = ["kubernetes.io", "k8s.io"];

/** The labels a kubelet registers its node with, and those that somebody else has to add. */
export function splitLabels(labels: Labels): { readonly own: Labels; readonly others: Labels } {
  const entries = Object.entries(labels);
  return {
    own: Object.fromEntries(entries.filter(([key]) => isOwn(key))),
    others: Object.fromEntries(entries.filter(([key]) => !isOwn(key))),
  };
}

function isOwn(key: string): boolean {
  const prefix = key.includes("/") ? key.slice(0, key.indexOf("/")) : "";
  const isUnder = (domain: string): boolean => prefix === domain || prefix.endsWith(`.${domain}`);
  return known.has(key) || open.some(isUnder) || !reserved.some(isUnder);
}

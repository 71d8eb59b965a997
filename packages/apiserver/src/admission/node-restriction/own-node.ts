// A kubelet writes its own Node, but neither what keeps pods away from it nor labels that would draw them to it.

import { deepEqual, type Node } from "@kubewright/api";
import { draftAs, storedAs } from "@kubewright/kinds";

import type { AdmissionRequest } from "../../registry/admission-control.js";

const allowedLabels = new Set([
  "kubernetes.io/hostname",
  "kubernetes.io/os",
  "kubernetes.io/arch",
  "node.kubernetes.io/instance-type",
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/arch",
  "beta.kubernetes.io/instance-type",
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
]);
const allowedDomains = ["kubelet.kubernetes.io", "node.kubernetes.io"];

/** The reason why the node may not be written. */
export function checkNode(node: string, { name, operation, object, oldObject }: AdmissionRequest) {
  const wanted = name || object?.metadata.name || "";
  if (wanted !== node) return `node "${node}" is not allowed to modify node "${wanted}"`;
  if (!object || operation === "DELETE") return undefined;
  const after = draftAs<Node>(object) as Node;
  const before = oldObject && storedAs<Node>(oldObject);
  const labels = forbiddenLabels(after.metadata?.labels ?? {}, before?.metadata?.labels ?? {});
  if (!before) {
    if (after.spec?.configSource)
      return `node "${node}" is not allowed to create pods with a non-nil configSource`;
    return labels.length === 0
      ? undefined
      : `node "${node}" is not allowed to set the following labels: ${labels.join(", ")}`;
  }
  const { configSource } = after.spec ?? {};
  if (configSource && !deepEqual(configSource, before.spec?.configSource))
    return `node "${node}" is not allowed to update configSource to a new non-nil configSource`;
  if (!deepEqual(after.spec?.taints ?? [], before.spec?.taints ?? []))
    return `node "${node}" is not allowed to modify taints`;
  return labels.length === 0 ? undefined : `is not allowed to modify labels: ${labels.join(", ")}`;
}

type Labels = Readonly<Record<string, string>>;

/** Labels that were set, changed or taken away and are not the kubelet's, by name. */
function forbiddenLabels(after: Labels, before: Labels): string[] {
  const keys = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...keys].filter((key) => after[key] !== before[key] && isForbidden(key)).sort();
}

function isForbidden(key: string): boolean {
  const slash = key.indexOf("/");
  const domain = slash === -1 ? "" : key.slice(0, slash);
  const isOf = (parent: string): boolean => domain === parent || domain.endsWith(`.${parent}`);
  if (isOf("node-restriction.kubernetes.io")) return true;
  if (!isOf("kubernetes.io") && !isOf("k8s.io")) return false;
  return !allowedLabels.has(key) && !allowedDomains.some(isOf);
}

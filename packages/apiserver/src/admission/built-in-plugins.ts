// The built-in admission plugins and their order.
import type { AdmissionPlugin } from "./admission.js";
import { certificateApproval, certificateSigning } from "./certificate-approval.js";
import { certificateSubjectRestriction } from "./certificate-subject-restriction.js";
import { defaultIngressClass } from "./default-ingress-class.js";
import { defaultStorageClass } from "./default-storage-class.js";
import { defaultTolerationSeconds } from "./default-toleration-seconds.js";
import { limitRanger } from "./limit-ranger.js";
import { namespaceLifecycle } from "./namespace-lifecycle.js";
import { nodeDeclaredFeatures } from "./node-declared-features.js";
import { nodeRestriction } from "./node-restriction/node-restriction.js";
import { persistentVolumeClaimResize } from "./persistent-volume-claim-resize.js";
import { podResize } from "./pod-resize.js";
import { podTopologyLabels } from "./pod-topology-labels.js";
import { priority } from "./priority.js";
import { runtimeClass } from "./runtime-class.js";
import { serviceAccount } from "./service-account.js";
import { storageObjectInUseProtection } from "./storage-object-in-use-protection.js";
import { taintNodesByCondition } from "./taint-nodes-by-condition.js";

/**
 * Every plugin that is on by default in Kubernetes 1.36, and NodeRestriction, which every cluster is set up with, in the order in which
 * kube-apiserver runs them. A name stands for a plugin that is made for one server (`dynamic-admission.ts`), or for one whose kinds and
 * fields are behind feature gates that are off: ClusterTrustBundleAttest, PodGroupWorkloadExists and JobValidation.
 */
const plugins: readonly (AdmissionPlugin | string)[] = [
  namespaceLifecycle,
  limitRanger,
  serviceAccount,
  nodeRestriction,
  taintNodesByCondition,
  "PodSecurity",
  priority,
  defaultTolerationSeconds,
  defaultStorageClass,
  storageObjectInUseProtection,
  persistentVolumeClaimResize,
  runtimeClass,
  certificateApproval,
  certificateSigning,
  "ClusterTrustBundleAttest",
  certificateSubjectRestriction,
  defaultIngressClass,
  podTopologyLabels,
  "PodGroupWorkloadExists",
  nodeDeclaredFeatures,
  "JobValidation",
  podResize,
  "MutatingAdmissionPolicy",
  "MutatingAdmissionWebhook",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionWebhook",
  "ResourceQuota",
];

const order = plugins.map((plugin) => (typeof plugin === "string" ? plugin : plugin.name));
const builtIn = plugins.filter((plugin) => typeof plugin !== "string");

/**
 * The built-in plugins and `further` ones, without those that are disabled by name. A further plugin with the name of one of Kubernetes'
 * plugins takes its place in the order; others come last.
 */
export function admissionPlugins(
  disabled: readonly string[] = [],
  further: readonly AdmissionPlugin[] = [],
): AdmissionPlugin[] {
  const all = [...builtIn, ...further];
  const known = new Set([...order, ...all.map(({ name }) => name)]);
  for (const name of disabled)
    if (!known.has(name)) throw new RangeError(`unknown admission plugin "${name}"`);
  const place = (name: string): number => {
    const index = order.indexOf(name);
    return index === -1 ? order.length : index;
  };
  return all.filter(({ name }) => !disabled.includes(name)).sort((a, b) => place(a.name) - place(b.name));
}

// The API groups of Kubernetes itself. A page about operators shows everything else first.
const plain = new Set(["", "apps", "autoscaling", "batch", "policy"]);
const qualified = new Set(
  [
    "admissionregistration",
    "apiextensions",
    "apiregistration",
    "authentication",
    "authorization",
    "certificates",
    "coordination",
    "discovery",
    "events",
    "flowcontrol.apiserver",
    "internal.apiserver",
    "metrics",
    "networking",
    "node",
    "rbac.authorization",
    "resource",
    "scheduling",
    "storage",
    "storagemigration",
  ].map((name) => `${name}.k8s.io`),
);

/** True for kinds that are not Kubernetes' own. */
export const isCustom = (group: string): boolean => !plain.has(group) && !qualified.has(group);

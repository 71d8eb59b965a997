// Writes the roles and bindings every cluster starts with into the store.
import { formatTime, type ManagedFieldsEntry, type ObjectMeta, type Subject } from "@kubewright/api";
import { createMissing } from "../../bootstrap/create-missing.js";
import type { Services } from "../../request/context.js";
import type { Unstamped } from "../../storage/index.js";
import { clusterPolicy, controllerPolicy, namespacedPolicy } from "./bootstrap-policy.js";
import { type PolicyRole, parsePolicy } from "./parse-policy.js";

const apiGroup = "rbac.authorization.k8s.io";
const apiVersion = `${apiGroup}/v1`;

type Maker = Pick<Services, "storage" | "clock" | "newUid">;

/** Creates what is missing; what is there is left as it is. */
export function bootstrapRbac(services: Maker): void {
  for (const role of parsePolicy(clusterPolicy)) {
    put(services, "clusterroles", clusterRole(role));
    if (role.subjects)
      put(services, "clusterrolebindings", binding("ClusterRoleBinding", role, role.subjects));
  }
  for (const { name: account, rules } of parsePolicy(controllerPolicy)) {
    const role = { name: `system:controller:${account}`, rules };
    put(services, "clusterroles", clusterRole(role));
    const subjects: Subject[] = [{ kind: "ServiceAccount", name: account, namespace: "kube-system" }];
    put(services, "clusterrolebindings", binding("ClusterRoleBinding", role, subjects));
  }
  for (const role of parsePolicy(namespacedPolicy)) {
    put(services, "roles", { kind: "Role", metadata: metadataOf(role), rules: role.rules });
    put(services, "rolebindings", binding("RoleBinding", role, role.subjects ?? []));
  }
}

type Made = Pick<Unstamped, "kind" | "metadata"> & { readonly [field: string]: unknown };

function clusterRole(role: PolicyRole): Made {
  const metadata = metadataOf(role);
  // A role without rules of its own gathers those of others; filling it is a controller's work.
  if (role.rules.length > 0) return { kind: "ClusterRole", metadata, rules: role.rules };
  const matchLabels = { [aggregateTo(role.name)]: "true" };
  return {
    kind: "ClusterRole",
    metadata,
    aggregationRule: { clusterRoleSelectors: [{ matchLabels }] },
    rules: null,
  };
}

function binding(
  kind: "RoleBinding" | "ClusterRoleBinding",
  role: Pick<PolicyRole, "name" | "namespace">,
  subjects: readonly Subject[],
): Made {
  const { name, namespace } = role;
  // Names outside of `system:` are left to the cluster's owner.
  const bindingName = kind === "RoleBinding" && !name.startsWith("system:") ? `system::${name}` : name;
  return {
    kind,
    metadata: metadataOf({ name: bindingName, namespace }),
    ...(subjects.length > 0 ? { subjects } : {}),
    roleRef: { apiGroup, kind: kind === "RoleBinding" ? "Role" : "ClusterRole", name },
  };
}

const aggregateTo = (role: string): string => `${apiGroup}/aggregate-to-${role}`;

function metadataOf({ name, namespace, into }: Pick<PolicyRole, "name" | "namespace" | "into">): ObjectMeta {
  return {
    name,
    ...(namespace ? { namespace } : {}),
    labels: {
      "kubernetes.io/bootstrapping": "rbac-defaults",
      ...(into ? { [aggregateTo(into)]: "true" } : {}),
    },
    annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
  };
}

function put(services: Maker, resource: string, object: Made): void {
  const managedFields = [ownership(object, formatTime(services.clock.now()))];
  const metadata = { ...object.metadata, managedFields };
  createMissing(services, `${apiGroup}/${resource}`, { apiVersion, ...object, metadata });
}

/** The server wrote every field, as a client of its own. */
function ownership({ kind: _kind, metadata, ...fields }: Made, time: string): ManagedFieldsEntry {
  const keys = (map: object | undefined) =>
    Object.fromEntries([[".", {}], ...Object.keys(map ?? {}).map((key) => [`f:${key}`, {}])]);
  const owned = Object.keys(fields).map((field) => [
    `f:${field}`,
    field === "aggregationRule" ? { ".": {}, "f:clusterRoleSelectors": {} } : {},
  ]);
  const f = { "f:annotations": keys(metadata.annotations), "f:labels": keys(metadata.labels) };
  return {
    manager: "kube-apiserver",
    operation: "Update",
    apiVersion,
    time,
    fieldsType: "FieldsV1",
    fieldsV1: { "f:metadata": f, ...Object.fromEntries(owned) },
  };
}

// Writes the roles and bindings every cluster starts with into the store.
import { formatTime, type ManagedFieldsEntry, type ObjectMeta, type Subject } from "@kubewright/api";
import { createMissing } from "../../bootstrap/create-missing.js";
import type { Services } from "../../registry/request-context.js";
import type { Unstamped } from "../../storage/index.js";
import { clusterPolicy, controllerPolicy, namespacedPolicy } from "./bootstrap-policy.js";
import { PolicyReader, type PolicyRole } from "./policy-reader.js";

const apiGroup = "rbac.authorization.k8s.io";
const apiVersion = `${apiGroup}/v1`;

/** Creates what is missing; what is there is left as it is. */
export function bootstrapRbac(services: Pick<Services, "storage" | "clock" | "newUid">): void {
  const reader = new PolicyReader();
  const managedFields = new BootstrapManagedFields(formatTime(services.clock.now()));
  const put = (resource: string, object: Made): void => {
    const metadata = { ...object.metadata, managedFields: managedFields.of(object) };
    createMissing(services, `${apiGroup}/${resource}`, { apiVersion, ...object, metadata });
  };
  for (const role of reader.read(clusterPolicy)) {
    put("clusterroles", clusterRole(role));
    if (role.subjects) put("clusterrolebindings", binding("ClusterRoleBinding", role, role.subjects));
  }
  for (const { name: account, rules } of reader.read(controllerPolicy)) {
    const role = { name: `system:controller:${account}`, rules };
    put("clusterroles", clusterRole(role));
    const subjects: Subject[] = [{ kind: "ServiceAccount", name: account, namespace: "kube-system" }];
    put("clusterrolebindings", binding("ClusterRoleBinding", role, subjects));
  }
  for (const role of reader.read(namespacedPolicy)) {
    put("roles", { kind: "Role", metadata: metadataOf(role), rules: role.rules });
    put("rolebindings", binding("RoleBinding", role, role.subjects ?? []));
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

const annotations = { "rbac.authorization.kubernetes.io/autoupdate": "true" };

const aggregateTo = (role: string): string => `${apiGroup}/aggregate-to-${role}`;

function metadataOf({ name, namespace, into }: Pick<PolicyRole, "name" | "namespace" | "into">): ObjectMeta {
  return {
    name,
    ...(namespace ? { namespace } : {}),
    labels: {
      "kubernetes.io/bootstrapping": "rbac-defaults",
      ...(into ? { [aggregateTo(into)]: "true" } : {}),
    },
    annotations,
  };
}

/** The server wrote every field, as a client of its own. Objects with the same fields share what says so. */
class BootstrapManagedFields {
  readonly #time: string;
  readonly #byFields = new Map<string, readonly ManagedFieldsEntry[]>();

  constructor(time: string) {
    this.#time = time;
  }

  of({ kind: _kind, metadata, ...fields }: Made): readonly ManagedFieldsEntry[] {
    const labels = Object.keys(metadata.labels ?? {});
    const names = Object.keys(fields);
    const key = [...labels, ...names].join(" ");
    const entries = this.#byFields.get(key) ?? [this.#entry(labels, names)];
    this.#byFields.set(key, entries);
    return entries;
  }

  #entry(labels: readonly string[], fields: readonly string[]): ManagedFieldsEntry {
    const owned = fields.map((field) => [
      `f:${field}`,
      field === "aggregationRule" ? { ".": {}, "f:clusterRoleSelectors": {} } : {},
    ]);
    return {
      manager: "kube-apiserver",
      operation: "Update",
      apiVersion,
      time: this.#time,
      fieldsType: "FieldsV1",
      fieldsV1: {
        "f:metadata": {
          "f:annotations": fieldNames(Object.keys(annotations)),
          "f:labels": fieldNames(labels),
        },
        ...Object.fromEntries(owned),
      },
    };
  }
}

const fieldNames = (names: readonly string[]): object =>
  Object.fromEntries([".", ...names.map((name) => `f:${name}`)].map((name) => [name, {}]));

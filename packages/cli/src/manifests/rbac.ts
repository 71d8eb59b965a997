// Who may do what: the manager what its controllers declare and not more, people by the roles they have on their namespaces.
import type { PolicyRule } from "@kubewright/api";
import {
  type CustomKind,
  leaderElectionPermissions,
  placedPermissionsOf,
  securedMetricsPermissions,
  shardingPermissions,
  webhookPermissions,
} from "@kubewright/runtime";
import type { Manifest, Operator } from "./operator.js";

const group = "rbac.authorization.k8s.io";
const apiVersion = `${group}/v1`;

/** A role and what binds it to the manager, under the name of their file. */
export interface NamedManifests {
  readonly file: string;
  readonly objects: readonly Manifest[];
}

export function serviceAccount({ names, settings, labels }: Operator): Manifest {
  const { namespace, manager } = settings;
  const annotations = manager.serviceAccountAnnotations;
  return {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: {
      name: names.serviceAccount,
      namespace,
      labels,
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
  };
}

/** Everything the manager is allowed. */
export function managerRoles(operator: Operator): readonly NamedManifests[] {
  const { definition, settings, names } = operator;
  const placed = placedPermissionsOf(definition).map(({ namespace, rules }) =>
    bound(
      operator,
      namespace === undefined ? "role" : `role_${namespace}`,
      `${names.manager}-manager-role`,
      rules,
      namespace,
    ),
  );
  const lease = leasePermissions(operator);
  const secrets = webhookPermissions(definition);
  return [
    ...placed,
    ...lease.map(({ namespace, rules }) =>
      bound(
        operator,
        leaseFile(namespace, settings.namespace),
        `${names.manager}-leader-election-role`,
        rules,
        namespace,
      ),
    ),
    ...(secrets.length === 0
      ? []
      : [bound(operator, "webhook_role", `${names.manager}-webhook-role`, secrets, settings.namespace)]),
    bound(
      operator,
      "metrics_auth_role",
      `${names.manager}-metrics-auth-role`,
      securedMetricsPermissions(),
      undefined,
    ),
  ];
}

const leaseFile = (namespace: string, own: string): string =>
  namespace === own ? "leader_election_role" : `leader_election_role_${namespace}`;

/** Roles to read the metrics and the timeline; bound to nobody. */
export function readerRoles({ names, labels }: Operator): readonly NamedManifests[] {
  const role = (what: string, path: string): NamedManifests => ({
    file: `${what}_reader_role`,
    objects: [
      {
        apiVersion,
        kind: "ClusterRole",
        metadata: { name: `${names.manager}-${what}-reader`, labels },
        rules: [{ nonResourceURLs: [path], verbs: ["get"] }],
      },
    ],
  });
  return [role("metrics", "/metrics"), role("debug", "/debug/*")];
}

/** What the leases of replicas need, by where they are. */
export function leasePermissions({ definition, settings }: Operator) {
  const { leaderElection, sharding } = definition;
  const at = (choice: boolean | { readonly namespace?: string | undefined } | undefined) =>
    (typeof choice === "object" ? choice.namespace : undefined) ?? settings.namespace;
  const needed = [
    ...(usesLeader(definition)
      ? [{ namespace: at(leaderElection), rules: leaderElectionPermissions() }]
      : []),
    ...(sharding ? [{ namespace: at(sharding), rules: shardingPermissions() }] : []),
  ];
  const byNamespace = new Map<string, readonly PolicyRule[]>();
  for (const { namespace, rules } of needed)
    byNamespace.set(namespace, [...(byNamespace.get(namespace) ?? []), ...rules]);
  return [...byNamespace].map(([namespace, rules]) => ({ namespace, rules }));
}

/** Deployed managers elect a leader, unless they share their keys and need none. */
export const usesLeader = ({ leaderElection, sharding }: Operator["definition"]): boolean =>
  Boolean(leaderElection) || (leaderElection === undefined && !sharding);

function bound(
  { names, settings, labels }: Operator,
  file: string,
  name: string,
  rules: readonly PolicyRule[],
  namespace: string | undefined,
): NamedManifests {
  const kind = namespace === undefined ? "ClusterRole" : "Role";
  const metadata = (of: string) => ({ name: of, ...(namespace === undefined ? {} : { namespace }), labels });
  return {
    file,
    objects: [
      { apiVersion, kind, metadata: metadata(name), rules },
      {
        apiVersion,
        kind: `${kind}Binding`,
        metadata: metadata(`${name}binding`),
        roleRef: { apiGroup: group, kind, name },
        subjects: [{ kind: "ServiceAccount", name: names.serviceAccount, namespace: settings.namespace }],
      },
    ],
  };
}

const audiences = [
  { name: "admin", verbs: ["*"], scale: ["get", "patch", "update"], aggregate: "admin" },
  {
    name: "editor",
    verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
    scale: ["get", "patch", "update"],
    aggregate: "edit",
  },
  { name: "viewer", verbs: ["get", "list", "watch"], scale: ["get"], aggregate: "view" },
] as const;

/** Roles for people, of each kind, that aggregate into those a cluster has: users with the role edit may edit these objects, too. */
export function kindRoles({ names, labels }: Operator, kind: CustomKind): readonly NamedManifests[] {
  const singular = kind.kind.toLowerCase();
  return audiences.map(({ name, verbs, scale, aggregate }) => ({
    file: `${singular}_${name}_role`,
    objects: [
      {
        apiVersion,
        kind: "ClusterRole",
        metadata: {
          name: `${names.manager}-${singular}-${name}-role`,
          labels: { ...labels, [`rbac.authorization.k8s.io/aggregate-to-${aggregate}`]: "true" },
        },
        rules: [
          { apiGroups: [kind.group], resources: [kind.plural], verbs },
          ...subresourceRules(kind, "status", ["get"]),
          ...subresourceRules(kind, "scale", scale),
        ],
      },
    ],
  }));
}

function subresourceRules(
  { group: apiGroup, plural, subresources }: CustomKind,
  subresource: string,
  verbs: readonly string[],
): readonly PolicyRule[] {
  if (!subresources.includes(subresource)) return [];
  return [{ apiGroups: [apiGroup], resources: [`${plural}/${subresource}`], verbs }];
}

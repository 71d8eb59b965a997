// The manager under test runs as a service account with the roles derived from what it declares, as it will in production: what
// was forgotten is refused here first.
import {
  ClusterRole,
  ClusterRoleBinding,
  isAlreadyExists,
  Namespace,
  type PolicyRule,
  Role,
  RoleBinding,
  type Subject,
} from "@kubewright/api";
import type { UserInfo } from "@kubewright/apiserver";
import type { Client } from "@kubewright/client";
import {
  leaderElectionPermissions,
  type ManagerDefinition,
  placedPermissionsOf,
  shardingPermissions,
} from "@kubewright/runtime";

/** Rules, and where they hold; everywhere if undefined. */
interface Grant {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly rules: readonly PolicyRule[];
}

/** The service account of a manager that runs in the namespace. */
export function managerAccount({ name }: ManagerDefinition, namespace: string): UserInfo {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
  };
}

/** Gives the account its roles. Namespaces that the manager is for, and that are not there, are made. */
export async function grantDerivedAccess(
  client: Client,
  definition: ManagerDefinition,
  namespace: string,
): Promise<void> {
  const subject: Subject = { kind: "ServiceAccount", name: definition.name, namespace };
  for (const grant of grantsFor(definition, namespace)) {
    if (grant.namespace === undefined) await grantEverywhere(client, grant, subject);
    else await grantWithin(client, grant, grant.namespace, subject);
  }
}

function grantsFor(definition: ManagerDefinition, own: string): readonly Grant[] {
  const { name, leaderElection, sharding, webhooks = [] } = definition;
  const at = (choice: boolean | { readonly namespace?: string | undefined }): string =>
    (typeof choice === "object" ? choice.namespace : undefined) ?? own;
  return [
    ...placedPermissionsOf(definition).map((placed) => ({ ...placed, name: `${name}-manager-role` })),
    ...(leaderElection
      ? [
          {
            name: `${name}-leader-election-role`,
            namespace: at(leaderElection),
            rules: leaderElectionPermissions(),
          },
        ]
      : []),
    ...(sharding
      ? [{ name: `${name}-sharding-role`, namespace: at(sharding), rules: shardingPermissions() }]
      : []),
    ...(webhooks.length > 0
      ? [{ name: `${name}-webhook-role`, namespace: undefined, rules: installing }]
      : []),
  ];
}

/** Without manifests that install them, the manager installs its webhooks itself. */
const installing: readonly PolicyRule[] = [
  {
    apiGroups: ["admissionregistration.k8s.io"],
    resources: ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
    verbs: ["get", "list", "watch", "create", "patch", "delete"],
  },
];

const apiGroup = "rbac.authorization.k8s.io";

async function grantEverywhere(client: Client, { name, rules }: Grant, subject: Subject): Promise<void> {
  const metadata = { name };
  await client.apply(ClusterRole, { metadata, rules }, { force: true });
  const roleRef = { apiGroup, kind: "ClusterRole", name };
  await client.apply(ClusterRoleBinding, { metadata, roleRef, subjects: [subject] }, { force: true });
}

async function grantWithin(
  client: Client,
  { name, rules }: Grant,
  namespace: string,
  subject: Subject,
): Promise<void> {
  await client.create(Namespace, { metadata: { name: namespace } }).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
  const metadata = { name, namespace };
  await client.apply(Role, { metadata, rules }, { force: true });
  const roleRef = { apiGroup, kind: "Role", name };
  await client.apply(RoleBinding, { metadata, roleRef, subjects: [subject] }, { force: true });
}

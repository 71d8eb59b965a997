// The permissions of a manager, derived from what its controllers declare. Nothing is stated twice: the same
// derivation is checked at start and written into manifests.
import type { PolicyRule } from "@kubewright/api";
import type { ControllerDefinition } from "../controller/define-controller.js";
import type { AnyResource } from "../controller/kinds.js";
import { guardNeeds } from "../metrics/bearer-guard.js";
import type { AccessNeed } from "../rbac/access-need.js";
import { rulesFor } from "../rbac/rules-for.js";
import { shardingNeed } from "../sharding/sharder.js";
import { webhookObjectNames } from "../webhook/webhook-names.js";
import { certificateNeeds, clusterWebhookNeeds } from "../webhook/webhook-needs.js";
import type { ManagerDefinition } from "./define-manager.js";

const read = ["get", "list", "watch"];

/**
 * The rules a manager needs, for a ClusterRole, or for Roles in the namespaces it watches.
 *
 * @example
 * permissionsOf(manager); // [{ apiGroups: ["apps"], resources: ["deployments"], verbs: ["get", "list", …] }, …]
 */
export function permissionsOf(manager: ManagerDefinition): readonly PolicyRule[] {
  const needs = [...accessNeeds(manager), ...clusterWebhookNeeds(manager)];
  return [...rulesFor(needs), ...manager.controllers.flatMap(({ rbac }) => rbac ?? [])];
}

/** Rules, and the namespace they apply to. */
export interface PlacedRules {
  /** Everywhere if undefined. */
  readonly namespace: string | undefined;
  readonly rules: readonly PolicyRule[];
}

/** The same rules, each where it is needed and nowhere else: a ClusterRole, and a Role for each namespace that is watched. */
export function placedPermissionsOf(manager: ManagerDefinition): readonly PlacedRules[] {
  const needs = [...accessNeeds(manager), ...clusterWebhookNeeds(manager)];
  const everywhere = new Set<string | undefined>([undefined]);
  const placesOf = (namespaces: readonly string[] | undefined) =>
    namespaces ? new Set(namespaces) : everywhere;
  const places = new Set<string | undefined>([
    ...needs.flatMap((need) => [...placesOf(need.namespaces)]),
    ...manager.controllers.flatMap((controller) => [
      ...placesOf(controller.namespaces ?? manager.namespaces),
    ]),
  ]);
  return [...places]
    .map((namespace) => ({
      namespace,
      rules: [
        ...rulesFor(needs.filter((need) => placesOf(need.namespaces).has(namespace))),
        ...manager.controllers
          .filter((controller) => placesOf(controller.namespaces ?? manager.namespaces).has(namespace))
          .flatMap(({ rbac }) => rbac ?? []),
      ],
    }))
    .filter(({ rules }) => rules.length > 0);
}

/** The rules leader election needs, for a Role in the namespace of the lease. */
export function leaderElectionPermissions(): readonly PolicyRule[] {
  return [{ apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "create", "update"] }];
}

/** The rules webhooks need to share their certificates, for a Role in the namespace the manager runs in. */
export function webhookPermissions(manager: ManagerDefinition): readonly PolicyRule[] {
  if (!manager.webhooks?.length) return [];
  return rulesFor(certificateNeeds(webhookObjectNames(manager.name).secret, undefined));
}

/** The rules sharding needs, for a Role in the namespace of the leases. */
export function shardingPermissions(): readonly PolicyRule[] {
  return rulesFor([shardingNeed("")]);
}

/** The rules secured metrics need, for a ClusterRole: to review tokens and the access of their users. */
export function securedMetricsPermissions(): readonly PolicyRule[] {
  return rulesFor(guardNeeds);
}

/** Every need of every controller. */
export function accessNeeds({ controllers, namespaces }: ManagerDefinition): readonly AccessNeed[] {
  const events = { group: "events.k8s.io", resource: "events", verbs: ["create", "patch"], namespaces };
  return [...controllers.flatMap((controller) => needsOf(controller, namespaces)), events];
}

function needsOf(
  controller: ControllerDefinition,
  managerNamespaces: readonly string[] | undefined,
): readonly AccessNeed[] {
  const { resource, owns, watches, uses, finalizer, writesStatus = true } = controller;
  const namespaces = controller.namespaces ?? managerNamespaces;
  const need = (kind: AnyResource, verbs: readonly string[], subresource = ""): AccessNeed => ({
    group: kind.group,
    resource: `${kind.plural}${subresource}`,
    verbs,
    namespaces: kind.scope === "Namespaced" ? namespaces : undefined,
  });
  const hasSubresource = resource.subresources.includes("status");
  const patchesObject = finalizer !== undefined || (writesStatus && !hasSubresource);
  return [
    need(resource, patchesObject ? [...read, "patch"] : read),
    ...(writesStatus && hasSubresource ? [need(resource, ["patch"], "/status")] : []),
    // The admission plugin OwnerReferencesPermissionEnforcement demands this for references with blockOwnerDeletion.
    ...(owns.length > 0 ? [need(resource, ["update"], "/finalizers")] : []),
    ...owns.map((entry) => need(entry.resource, [...read, ...entry.verbs])),
    ...watches.map((entry) => need(entry.resource, read)),
    ...uses.map((entry) => need(entry.resource, ["get", "list", ...entry.verbs])),
  ];
}

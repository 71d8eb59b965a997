// What a running manager makes for itself, which no manifest has.
import { Lease, Secret } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import { holderLease, shardGroup, shardGroupLabel, webhookObjectNames } from "@kubewright/runtime";
import type { Operator } from "../manifests/operator.js";
import { usesLeader } from "../manifests/rbac.js";
import type { Placed } from "./apply-objects.js";

/** The leases of its replicas that share their keys: one for each that ever ran and was not told to stop, and the map. */
export async function shardLeases(
  client: Client,
  { definition, settings }: Operator,
): Promise<readonly Placed[]> {
  const { sharding } = definition;
  if (!sharding) return [];
  const namespace = (typeof sharding === "object" ? sharding.namespace : undefined) ?? settings.namespace;
  const labelSelector = `${shardGroupLabel}=${shardGroup(definition)}`;
  const { items } = await client.list(Lease, { namespace, labelSelector });
  return items.map(({ metadata }) => ({
    apiVersion: "coordination.k8s.io/v1",
    kind: Lease.kind,
    metadata: { name: metadata?.name, namespace },
  }));
}

/** Its leases, and the certificate of its webhooks. */
export function madeByManager({ definition, settings, names, hasWebhooks }: Operator): readonly Placed[] {
  const { leaderElection } = definition;
  const stated = typeof leaderElection === "object" ? leaderElection : {};
  const lease = (name: string, namespace: string): Placed => ({
    apiVersion: "coordination.k8s.io/v1",
    kind: Lease.kind,
    metadata: { name, namespace },
  });
  const holder = holderLease(names.manager);
  const { secret } = webhookObjectNames(names.manager);
  return [
    ...(usesLeader(definition)
      ? [lease(stated.leaseName ?? names.manager, stated.namespace ?? settings.namespace)]
      : []),
    ...(hasWebhooks
      ? [
          lease(holder.leaseName, holder.namespace),
          { apiVersion: "v1", kind: Secret.kind, metadata: { name: secret, namespace: settings.namespace } },
        ]
      : []),
  ];
}

// The Leases by which the replicas of a manager agree on who works: they are renewed for ever, and no object depends on them. Other Leases are
// objects like any other.
import type { KubeObject, TransportRequest } from "@kubewright/api";
import { type ManagerDefinition, shardGroup } from "@kubewright/runtime";

/** Whether a Lease of that name belongs to the elections of a manager. */
export function isElectionLease(definition: ManagerDefinition, name: string): boolean {
  const { leaderElection = false, sharding = false } = definition;
  const leader =
    (typeof leaderElection === "object" ? leaderElection.leaseName : undefined) ?? definition.name;
  return (
    (leaderElection !== false && name === leader) ||
    (sharding !== false && name.startsWith(shardGroup(definition)))
  );
}

const lease = /^\/apis\/coordination\.k8s\.io\/[^/]+\/namespaces\/[^/]+\/leases(?:\/([^/]+))?$/;

/** Whether a request writes such a Lease. */
export function isElectionWrite(definition: ManagerDefinition, { path, body }: TransportRequest): boolean {
  const match = lease.exec(path);
  if (!match) return false;
  const created = body?.kind === "object" ? (body.value as KubeObject).metadata?.name : undefined;
  return isElectionLease(definition, match[1] ?? created ?? "");
}

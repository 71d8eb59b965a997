// The Leases of sharding: one for the map, one for each member, all with one label. A member's lease says which
// generation of which map it follows; without a word about that it has never worked on anything.
import { formatMicroTime, type Lease } from "@kubewright/api";
import { decodeMap, encodeMap, type ShardMap } from "./shard-map.js";

/** The label of all Leases of sharding; its value is the group. */
export const groupLabel = "kubewright.dev/shard-group";
const mapAnnotation = "kubewright.dev/shard-members";
const viewAnnotation = "kubewright.dev/shard-view";

/** The generation a member has acknowledged. */
export interface Acknowledged {
  /** The uid of the map. */
  readonly map: string;
  readonly generation: number;
}

export interface LeaseNames {
  readonly group: string;
  readonly namespace: string;
}

export function mapLease({ group, namespace }: LeaseNames, map: ShardMap): Lease {
  return {
    metadata: {
      name: group,
      namespace,
      labels: { [groupLabel]: group },
      annotations: { [mapAnnotation]: encodeMap(map) },
    },
    spec: { leaseTransitions: map.generation },
  };
}

/** The same lease with another map; its version makes the change a compare-and-swap. */
export function changedMap(lease: Lease, map: ShardMap): Lease {
  const annotations = { ...lease.metadata?.annotations, [mapAnnotation]: encodeMap(map) };
  return {
    ...lease,
    metadata: { ...lease.metadata, annotations },
    spec: { ...lease.spec, leaseTransitions: map.generation },
  };
}

export function mapOf(lease: Lease): ShardMap | undefined {
  return decodeMap(lease.metadata?.annotations?.[mapAnnotation]);
}

export interface MemberLeaseOptions extends LeaseNames {
  readonly id: string;
  readonly identity: string;
  /** Milliseconds. */
  readonly leaseDuration: number;
  readonly now: number;
}

export function memberLease(options: MemberLeaseOptions): Lease {
  const { group, namespace, id, identity, leaseDuration, now } = options;
  const time = formatMicroTime(now);
  return {
    metadata: { name: id, namespace, labels: { [groupLabel]: group } },
    spec: {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(leaseDuration / 1000),
      acquireTime: time,
      renewTime: time,
    },
  };
}

/** The same lease, renewed, with what its member has acknowledged. */
export function renewed(lease: Lease, now: number, acknowledged: Acknowledged | undefined): Lease {
  const annotations = {
    ...lease.metadata?.annotations,
    ...(acknowledged && { [viewAnnotation]: `${acknowledged.map}/${acknowledged.generation}` }),
  };
  return {
    ...lease,
    metadata: { ...lease.metadata, annotations },
    spec: { ...lease.spec, renewTime: formatMicroTime(now) },
  };
}

/** Undefined when a member has never worked on anything. */
export function acknowledgedBy(lease: Lease): Acknowledged | undefined {
  const text = lease.metadata?.annotations?.[viewAnnotation];
  if (text === undefined) return undefined;
  const [map = "", generation] = text.split("/");
  return { map, generation: Number(generation) || 0 };
}

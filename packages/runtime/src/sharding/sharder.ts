// Sharding: several replicas share the keys of controllers, each key one replica's at a time. This makes members.
import { type Clock, Lease, sleep } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import { momentOf } from "../leadership/lease-time.js";
import type { AccessNeed } from "../rbac/access-need.js";
import { memberLease } from "./member-lease.js";
import { Membership } from "./membership.js";

export interface Durations {
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
  readonly handover: number;
}

/** The sharding of keys among replicas; the same settings in all of them. Times are milliseconds. */
export interface ShardingDurations {
  /** The lease duration: a lease that is not renewed for so long loses its keys. Default: 15 s. */
  readonly leaseDuration?: number | undefined;
  /** The renew deadline: a member goes on for so long without a successful renewal. Default: 10 s. */
  readonly renewDeadline?: number | undefined;
  /** The interval at which to renew and to read the other leases. Default: 2 s. */
  readonly retryPeriod?: number | undefined;
  /** The time that keys in flight may take after they were assigned to another member. Default: 30 s. */
  readonly handover?: number | undefined;
}

/** Options of sharding. */
export interface ShardingOptions extends ShardingDurations {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: () => number;
  readonly newId: () => string;
  /** The name of the Lease with the map, and how the names of the members' begin. */
  readonly group: string;
  readonly namespace: string;
  /** Names the replica, for people. */
  readonly identity: string;
  /** Called with each failure; it is retried. */
  readonly onError: (error: unknown) => void;
}

/** Joins a shard group, in which every key belongs to one replica. */
export class Sharder {
  readonly #options: ShardingOptions;
  readonly #durations: Durations;

  constructor(options: ShardingOptions) {
    const {
      leaseDuration = 15_000,
      renewDeadline = 10_000,
      retryPeriod = 2_000,
      handover = 30_000,
    } = options;
    if (!(retryPeriod > 0 && retryPeriod < renewDeadline && renewDeadline < leaseDuration))
      throw new RangeError("sharding needs retryPeriod < renewDeadline < leaseDuration");
    this.#options = options;
    this.#durations = { leaseDuration, renewDeadline, retryPeriod, handover };
  }

  /** The permissions it needs. */
  get need(): AccessNeed {
    return shardingNeed(this.#options.namespace);
  }

  /** Begins a life as a member; rejects with the signal's reason. */
  async join(signal: AbortSignal): Promise<Membership> {
    const { client, clock, group, namespace, identity, newId, onError } = this.#options;
    const { leaseDuration, renewDeadline, retryPeriod } = this.#durations;
    for (;;) {
      signal.throwIfAborted();
      const began = momentOf(clock);
      // Each life has a name of its own: what is said of an earlier one cannot be mistaken for it.
      const id = `${group}-${newId()}`;
      const lease = memberLease({ group, namespace, id, identity, leaseDuration, now: clock.now() });
      try {
        const created = await client.create(Lease, lease, { signal, timeout: renewDeadline });
        return new Membership(this.#options, this.#durations, created, began);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        onError(error);
      }
      await sleep(clock, retryPeriod, signal);
    }
  }
}

/** The permissions every member needs in the namespace of the leases. */
export function shardingNeed(namespace: string): AccessNeed {
  const verbs = ["get", "list", "create", "update", "delete"];
  return { group: Lease.group, resource: Lease.plural, verbs, namespaces: [namespace] };
}

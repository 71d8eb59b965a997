// Sharding: several replicas share the keys of controllers, each key one replica's at a time. This makes members.
import { type Clock, Lease, sleep } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import type { AccessNeed } from "../rbac/access-need.js";
import { memberLease } from "./member-lease.js";
import { Membership } from "./membership.js";

export interface Durations {
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
  readonly handover: number;
}

/** How replicas share keys; the same in all of them. Times are milliseconds. */
export interface ShardingDurations {
  /** How long a lease that is not renewed keeps its keys, in milliseconds. Default: 15 s. */
  readonly leaseDuration?: number | undefined;
  /** How long a member goes on without a successful renewal. Default: 10 s. */
  readonly renewDeadline?: number | undefined;
  /** How often to renew and to look at the others. Default: 2 s. */
  readonly retryPeriod?: number | undefined;
  /** How long keys in flight may take when they have gone to another. Default: 30 s. */
  readonly handover?: number | undefined;
}

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
  /** Hears what failed; it is tried again. */
  readonly onError: (error: unknown) => void;
}

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

  /** What it must be allowed to do. */
  get need(): AccessNeed {
    return shardingNeed(this.#options.namespace);
  }

  /** Begins a life as a member; rejects with the signal's reason. */
  async join(signal: AbortSignal): Promise<Membership> {
    const { client, clock, group, namespace, identity, newId, onError } = this.#options;
    const { leaseDuration, renewDeadline, retryPeriod } = this.#durations;
    for (;;) {
      signal.throwIfAborted();
      const began = clock.monotonic();
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

/** What every member must be allowed to do in the namespace of the leases. */
export function shardingNeed(namespace: string): AccessNeed {
  const verbs = ["get", "list", "create", "update", "delete"];
  return { group: Lease.group, resource: Lease.plural, verbs, namespaces: [namespace] };
}

// The map of members and their leases, as they stand on the server: read together, changed one at a time.
import { isConflict, isNotFound, Lease } from "@kubewright/api";
import type { CallOptions } from "@kubewright/client";
import {
  type Acknowledged,
  acknowledgedBy,
  changedMap,
  groupLabel,
  mapLease,
  mapOf,
} from "./member-lease.js";
import { ObservedLeases } from "./observed-leases.js";
import { emptyMap, type ShardMap } from "./shard-map.js";
import type { Laggard } from "./shard-view.js";
import type { ShardingOptions } from "./sharder.js";

/** The map and the leases at one moment. */
export interface Look {
  readonly lease: Lease;
  readonly map: ShardMap;
  readonly uid: string;
  readonly members: ReadonlyMap<string, Lease>;
}

export class ShardRegister {
  readonly #options: ShardingOptions;
  readonly #observed: ObservedLeases;

  /** `leaseDuration` in milliseconds: who has not renewed for so long is gone. */
  constructor(options: ShardingOptions, leaseDuration: number) {
    this.#options = options;
    this.#observed = new ObservedLeases(options.clock, leaseDuration);
  }

  /** Undefined when there is no map. */
  async look(bounds: CallOptions): Promise<Look | undefined> {
    const { client, group, namespace } = this.#options;
    const { items } = await client.list(Lease, {
      ...bounds,
      namespace,
      labelSelector: `${groupLabel}=${group}`,
    });
    const members = new Map(items.map((lease) => [lease.metadata?.name ?? "", lease]));
    const lease = members.get(group);
    members.delete(group);
    if (!lease) return undefined;
    const map = mapOf(lease) ?? emptyMap;
    this.#observed.see(
      members,
      map.members.map(({ id }) => id),
    );
    return { lease, map, uid: lease.metadata?.uid ?? "", members };
  }

  /** Rejects when there is a map by now. */
  async create(map: ShardMap, bounds: CallOptions): Promise<void> {
    await this.#options.client.create(Lease, mapLease(this.#options, map), bounds);
  }

  /** Replaces the map that was seen; false when somebody was faster. */
  async swap({ lease }: Look, map: ShardMap, bounds: CallOptions): Promise<boolean> {
    try {
      await this.#options.client.update(Lease, changedMap(lease, map), bounds);
      return true;
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return false;
      throw error;
    }
  }

  /** The members in the map whose lease has expired. */
  goneFrom({ map }: Look): ReadonlySet<string> {
    return new Set(map.members.map(({ id }) => id).filter((id) => this.#observed.isExpired(id)));
  }

  /** Deletes leases of members that are in no map and gone: they would be read for ever. */
  async tidy({ map, members }: Look, bounds: CallOptions): Promise<void> {
    const entered = new Set(map.members.map(({ id }) => id));
    for (const [name, { metadata }] of members) {
      if (entered.has(name) || !this.#observed.isExpired(name)) continue;
      const preconditions = { uid: metadata?.uid, resourceVersion: metadata?.resourceVersion };
      await this.remove(name, { ...bounds, preconditions });
    }
  }

  /** Deletes a member's lease, unless it is renewed, made anew or gone already. */
  async remove(
    name: string,
    options: CallOptions & { readonly preconditions?: Readonly<Record<string, string | undefined>> },
  ): Promise<void> {
    const { client, namespace } = this.#options;
    try {
      await client.delete(Lease, name, { ...options, namespace });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  /** The members that may still work by an older generation, seen by a member that has acknowledged this one. */
  laggards({ map, uid, members }: Look, me: string, mine: Acknowledged | undefined): readonly Laggard[] {
    const laggards: Laggard[] = [];
    const entered = new Set(map.members.map(({ id }) => id));
    // Others take our silence for idleness: before the first word nothing is begun.
    if (mine?.map !== uid) laggards.push({ id: me, acknowledged: -1 });
    for (const id of entered) {
      const lease = members.get(id);
      const said = lease && acknowledgedBy(lease);
      // A member without an acknowledgement has begun nothing, and will not before it has followed us.
      if (id === me || (lease && !said)) continue;
      const acknowledged = said?.map === uid ? said.generation : -1;
      if (acknowledged < map.generation) laggards.push({ id, acknowledged });
    }
    // These members follow a map that no longer exists.
    for (const [id, lease] of members) {
      const said = acknowledgedBy(lease);
      if (entered.has(id) || !said || said.map === uid || this.#observed.isExpired(id)) continue;
      laggards.push({ id, acknowledged: -1 });
    }
    return laggards;
  }
}

// The view of a member: which keys it may work on, given the map and the generation every other member has acknowledged.
//
// A member that has acknowledged a generation works on nothing it does not own in it. One that has not may still be busy with
// what it owned before. A key that was ours is in flight nowhere else; a key that becomes ours may be, so it waits until every
// member that could have owned it has acknowledged. One that cannot have owned it is a member outweighed, for this key, by
// another that was there all along, from the generation it acknowledged until now.
import { hashOf, weightOf } from "./rendezvous.js";
import type { ShardMap } from "./shard-map.js";

/** A member that has not followed the map to its present generation. */
export interface Laggard {
  readonly id: string;
  /** The generation it has acknowledged; -1 when that is not known, so that it could own anything. */
  readonly acknowledged: number;
}

interface Weighed {
  readonly id: string;
  readonly hash: number;
  readonly since: number;
}

export class ShardView {
  readonly generation: number;
  readonly me: string;
  readonly #members: readonly Weighed[];
  readonly #laggards: readonly { readonly hash: number; readonly acknowledged: number }[];
  /** The identity of the view: it differs for views that allow different keys. */
  readonly identity: string;

  constructor(me: string, { generation, members }: ShardMap, laggards: readonly Laggard[]) {
    this.me = me;
    this.generation = generation;
    this.#members = members.map(({ id, since }) => ({ id, since, hash: hashOf(id) }));
    this.#laggards = laggards.map(({ id, acknowledged }) => ({ hash: hashOf(id), acknowledged }));
    this.identity = JSON.stringify([generation, laggards]);
  }

  get size(): number {
    return this.#members.length;
  }

  /** True when the map gives us the key. */
  owns(key: string): boolean {
    return this.#owner(hashOf(key)) === this.me;
  }

  /** True when, besides, no other member can have it in flight any more. */
  mayStart(key: string): boolean {
    const hash = hashOf(key);
    if (this.#owner(hash) !== this.me) return false;
    return this.#laggards.every(({ hash: laggard, acknowledged }) => {
      const weight = weightOf(laggard, hash);
      return this.#members.some(
        (member) =>
          member.since <= acknowledged && member.hash !== laggard && weightOf(member.hash, hash) > weight,
      );
    });
  }

  #owner(key: number): string | undefined {
    let owner: string | undefined;
    let most = -1;
    for (const { id, hash } of this.#members) {
      const weight = weightOf(hash, key);
      if (weight > most || (weight === most && owner !== undefined && id > owner)) {
        owner = id;
        most = weight;
      }
    }
    return owner;
  }
}

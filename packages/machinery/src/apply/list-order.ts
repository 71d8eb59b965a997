// The order of items in a merged list. Applied items come in the order they were applied in; live items that no apply names
// stay where they are relative to the items both lists have.
import type { ListInfo } from "@kubewright/api";
import { type ItemIdentity, itemIdentity } from "./list-item.js";

/** One place of the merged list: an item of the live list, of the applied one, or of both. */
export interface Place {
  readonly live: unknown;
  readonly applied: unknown;
}

/** The places of the merged list, in order. Items of the applied list must be unique. Throws ListItemError. */
export function pairItems(
  live: readonly unknown[],
  applied: readonly unknown[],
  typeInfo: ListInfo,
): Place[] {
  const ours = live.map((item) => itemIdentity(typeInfo, item));
  const theirs = applied.map((item) => itemIdentity(typeInfo, item));
  if (ours.length === theirs.length && ours.every((id, index) => id === theirs[index])) {
    return live.map((item, index) => ({ live: item, applied: applied[index] }));
  }
  return new Interleaving(live, ours, applied, theirs).places();
}

class Interleaving {
  readonly #live: readonly unknown[];
  readonly #liveIds: readonly ItemIdentity[];
  readonly #liveById = new Map<ItemIdentity, unknown>();
  readonly #appliedIds: readonly ItemIdentity[];
  readonly #appliedById = new Map<ItemIdentity, unknown>();
  readonly #shared: readonly ItemIdentity[];
  readonly #placed = new Set<ItemIdentity>();
  readonly #places: Place[] = [];
  #nextShared = 0;

  constructor(
    live: readonly unknown[],
    liveIds: readonly ItemIdentity[],
    applied: readonly unknown[],
    appliedIds: readonly ItemIdentity[],
  ) {
    this.#live = live;
    this.#liveIds = liveIds;
    for (const [index, id] of liveIds.entries()) {
      // Live items that share an identity are not merged into: null stands for "there is something".
      this.#liveById.set(id, this.#liveById.has(id) ? null : live[index]);
    }
    this.#appliedIds = appliedIds;
    for (const [index, id] of appliedIds.entries()) this.#appliedById.set(id, applied[index]);
    this.#shared = appliedIds.filter((id) => this.#liveById.has(id));
  }

  places(): Place[] {
    let live = 0;
    let applied = 0;
    while (live < this.#liveIds.length || applied < this.#appliedIds.length) {
      const ours = this.#liveIds[live];
      const theirs = this.#appliedIds[applied];
      if (ours !== undefined && ours === theirs) {
        this.#place(ours);
        live++;
        applied++;
      } else if (ours !== undefined && this.#standsElsewhere(ours, theirs)) {
        live++;
      } else if (ours !== undefined && !this.#appliedById.has(ours)) {
        this.#places.push({ live: this.#live[live], applied: undefined });
        live++;
      } else {
        if (ours !== undefined && this.#placed.has(ours)) live++;
        if (theirs !== undefined) {
          this.#place(theirs);
          applied++;
        }
      }
    }
    return this.#places;
  }

  /** A live item the applied list moves: it is placed there. */
  #standsElsewhere(ours: ItemIdentity, theirs: ItemIdentity | undefined): boolean {
    const expected = this.#shared[this.#nextShared];
    return theirs !== undefined && expected !== undefined && expected !== ours && this.#appliedById.has(ours);
  }

  #place(id: ItemIdentity): void {
    this.#placed.add(id);
    this.#places.push({ live: this.#liveById.get(id), applied: this.#appliedById.get(id) });
    if (this.#shared[this.#nextShared] === id) this.#nextShared++;
  }
}

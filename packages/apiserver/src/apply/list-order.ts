// Where the items of two merged lists stand. Applied items come in the order they were applied in; live items nobody
// applied stay where they are relative to the items both lists have.
import type { ListFacts } from "@kubewright/api";
import { itemElement } from "./list-item.js";
import type { PathElement } from "./path-element.js";

/** One place of the merged list: an item of the live list, of the applied one, or of both. */
export interface Place {
  readonly live: unknown;
  readonly applied: unknown;
}

/** The places of the merged list, in order. Throws ListItemError. */
export function mergeOrder(live: readonly unknown[], applied: readonly unknown[], facts: ListFacts): Place[] {
  return new Interleaving(live, applied, facts).places();
}

class Interleaving {
  readonly #live: readonly unknown[];
  readonly #liveElements: readonly PathElement[];
  readonly #liveByElement = new Map<PathElement, unknown>();
  readonly #appliedElements: readonly PathElement[];
  readonly #appliedByElement = new Map<PathElement, unknown>();
  readonly #shared: readonly PathElement[];
  readonly #placed = new Set<PathElement>();
  readonly #places: Place[] = [];
  #nextShared = 0;

  constructor(live: readonly unknown[], applied: readonly unknown[], facts: ListFacts) {
    this.#live = live;
    this.#liveElements = live.map((item) => itemElement(facts, item));
    for (const [index, element] of this.#liveElements.entries()) {
      // Live items that share an identity are not merged into: null stands for "there is something".
      this.#liveByElement.set(element, this.#liveByElement.has(element) ? null : live[index]);
    }
    this.#appliedElements = applied.map((item) => itemElement(facts, item));
    for (const [index, element] of this.#appliedElements.entries()) {
      this.#appliedByElement.set(element, applied[index]);
    }
    this.#shared = this.#appliedElements.filter((element) => this.#liveByElement.has(element));
  }

  places(): Place[] {
    let live = 0;
    let applied = 0;
    while (live < this.#liveElements.length || applied < this.#appliedElements.length) {
      const ours = this.#liveElements[live];
      const theirs = this.#appliedElements[applied];
      if (ours !== undefined && ours === theirs) {
        this.#place(ours);
        live++;
        applied++;
      } else if (ours !== undefined && this.#standsElsewhere(ours, theirs)) {
        live++;
      } else if (ours !== undefined && !this.#appliedByElement.has(ours)) {
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

  /** A live item the applied list moves: it waits for its turn there. */
  #standsElsewhere(ours: PathElement, theirs: PathElement | undefined): boolean {
    const expected = this.#shared[this.#nextShared];
    return (
      theirs !== undefined && expected !== undefined && expected !== ours && this.#appliedByElement.has(ours)
    );
  }

  #place(element: PathElement): void {
    this.#placed.add(element);
    this.#places.push({
      live: this.#liveByElement.get(element),
      applied: this.#appliedByElement.get(element),
    });
    if (this.#shared[this.#nextShared] === element) this.#nextShared++;
  }
}

// The affinity terms of pods that have their place, each distinct term once, with the nodes whose pods have it. Pods of a
// workload share their terms, so that a new pod is checked against the terms of thousands by evaluating a few.
import type { AffinityTerm } from "./affinity-term.js";
import { bump } from "./pod-counters.js";
import type { PodInfo } from "./pod-info.js";

export interface PlacedTerm {
  readonly term: AffinityTerm;
  /** By node: how many pods there have it, each counted with its weight. */
  readonly byNode: ReadonlyMap<string, number>;
}

interface MutableTerm extends PlacedTerm {
  readonly byNode: Map<string, number>;
  pods: number;
}

/** The weight of a required affinity of a placed pod that a new pod satisfies. */
const requiredWeight = 1;

export class PlacedTerms {
  readonly #avoids = new Map<string, MutableTerm>();
  readonly #scored = new Map<string, MutableTerm>();

  /** Required anti-affinity of pods in place. */
  get avoids(): Iterable<PlacedTerm> {
    return this.#avoids.values();
  }

  /** The terms of placed pods that score nodes: preferred ones, and required affinity with its own weight. */
  get scored(): Iterable<PlacedTerm> {
    return this.#scored.values();
  }

  get size(): number {
    return this.#avoids.size + this.#scored.size;
  }

  update({ affinity }: PodInfo, node: string, sign: 1 | -1): void {
    for (const term of affinity.avoids) change(this.#avoids, term, node, sign, sign);
    for (const term of affinity.requires) change(this.#scored, term, node, sign * requiredWeight, sign);
    for (const { term, weight } of affinity.prefers) change(this.#scored, term, node, sign * weight, sign);
  }
}

function change(
  terms: Map<string, MutableTerm>,
  term: AffinityTerm,
  node: string,
  weight: number,
  pods: 1 | -1,
): void {
  let known = terms.get(term.id);
  if (!known) {
    known = { term, byNode: new Map(), pods: 0 };
    terms.set(term.id, known);
  }
  bump(known.byNode, node, weight);
  known.pods += pods;
  if (known.pods <= 0) terms.delete(term.id);
}

// Admission: what may change or refuse a write between decoding and storing. The chain is a list; more plugins join it.

import type { AdmissionMetrics, AdmissionPhase } from "../metrics/admission-metrics.js";
import type { ResourceKind } from "../registry/resource-kind.js";
import type { Transaction } from "../registry/strategy.js";
import type { RequestContext } from "../request/context.js";
import type { DraftObject } from "../request/draft.js";
import type { StoredObject } from "../storage/index.js";

export interface AdmissionRequest {
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly kind: ResourceKind;
  readonly subresource: string | undefined;
  readonly name: string;
  readonly namespace: string | undefined;
  /** What is about to be stored; absent when deleting. Mutating plugins change it in place. */
  readonly object: DraftObject | undefined;
  readonly oldObject: StoredObject | undefined;
  readonly dryRun: boolean;
  readonly context: RequestContext;
}

/**
 * What a plugin does when the chain runs once more: someone changed the object after other plugins had seen it, so they
 * see it again.
 */
export interface SecondRound {
  /** Whether this plugin asks for the second round. */
  readonly needed: boolean;
  mutate(request: AdmissionRequest): Promise<void>;
}

/** Refuses by throwing an ApiError. */
export interface AdmissionPlugin {
  readonly name: string;
  /** Runs again in a second round unless it returns what to do there. */
  mutate?(request: AdmissionRequest): Promise<SecondRound | void> | SecondRound | void;
  /** Returns what it has taken on the way (of a quota), to be told whether the write went through. */
  validate?(request: AdmissionRequest): Promise<Transaction | void> | Transaction | void;
  /** Lets go of what it follows. */
  close?(): void;
}

/** One pass of a request through the plugins, timed: each from the end of the one before it. */
class Measured {
  readonly #metrics: AdmissionMetrics;
  readonly #phase: AdmissionPhase;
  readonly #operation: string;
  readonly #began: number;
  #last: number;
  #plugin = "";

  constructor(metrics: AdmissionMetrics, phase: AdmissionPhase, operation: string) {
    this.#metrics = metrics;
    this.#phase = phase;
    this.#operation = operation;
    this.#began = metrics.now();
    this.#last = this.#began;
  }

  begin(plugin: string): void {
    this.#plugin = plugin;
  }

  end(rejected = false): void {
    const now = this.#metrics.now();
    this.#metrics.plugin(this.#plugin, this.#phase, this.#operation, now - this.#last, rejected);
    this.#last = now;
  }

  async step<T>(pass: Promise<T>): Promise<T> {
    let rejected = true;
    try {
      const outcome = await pass;
      rejected = false;
      return outcome;
    } finally {
      if (rejected) this.end(true);
      this.#metrics.step(this.#phase, this.#operation, this.#metrics.now() - this.#began, rejected);
    }
  }
}

/** Runs the plugins in order. */
export class AdmissionChain {
  readonly #metrics: AdmissionMetrics | undefined;
  readonly #plugins: readonly AdmissionPlugin[];
  readonly #mutating: readonly AdmissionPlugin[];
  readonly #validating: readonly AdmissionPlugin[];

  constructor(plugins: readonly AdmissionPlugin[], metrics?: AdmissionMetrics) {
    this.#metrics = metrics;
    this.#plugins = plugins;
    this.#mutating = plugins.filter((plugin) => plugin.mutate);
    this.#validating = plugins.filter((plugin) => plugin.validate);
  }

  mutate(request: AdmissionRequest): Promise<void> {
    const measure = this.#metrics && new Measured(this.#metrics, "admit", request.operation);
    return measure ? measure.step(this.#mutate(request, measure)) : this.#mutate(request, undefined);
  }

  /** Resolves to what was taken for the write, where something was: whoever writes says whether it went through. */
  validate(request: AdmissionRequest): Promise<Transaction | undefined> {
    const measure = this.#metrics && new Measured(this.#metrics, "validate", request.operation);
    return measure ? measure.step(this.#validate(request, measure)) : this.#validate(request, undefined);
  }

  async #mutate(request: AdmissionRequest, measure: Measured | undefined): Promise<void> {
    let rounds: Map<AdmissionPlugin, SecondRound> | undefined;
    let again = false;
    for (const plugin of this.#mutating) {
      measure?.begin(plugin.name);
      const outcome = plugin.mutate?.(request);
      // Most plugins need not wait, and all requests pass through all of them.
      const second = outcome instanceof Promise ? await outcome : outcome;
      measure?.end();
      if (!second) continue;
      rounds ??= new Map();
      rounds.set(plugin, second);
      again ||= second.needed;
    }
    if (!again) return;
    for (const plugin of this.#mutating) await (rounds?.get(plugin) ?? plugin).mutate?.(request);
  }

  async #validate(
    request: AdmissionRequest,
    measure: Measured | undefined,
  ): Promise<Transaction | undefined> {
    let taken: Transaction[] | undefined;
    try {
      for (const plugin of this.#validating) {
        measure?.begin(plugin.name);
        const outcome = plugin.validate?.(request);
        const transaction = outcome instanceof Promise ? await outcome : outcome;
        measure?.end();
        if (!transaction) continue;
        taken ??= [];
        taken.push(transaction);
      }
    } catch (error) {
      for (const transaction of taken ?? []) transaction.revert();
      throw error;
    }
    return taken && allOf(taken);
  }

  close(): void {
    for (const plugin of this.#plugins) plugin.close?.();
  }
}

const allOf = (taken: readonly Transaction[]): Transaction => ({
  commit: () => {
    for (const transaction of taken) transaction.commit();
  },
  revert: () => {
    for (const transaction of taken) transaction.revert();
  },
});

// Admission: what may change or refuse a write between decoding and storing. The chain is a list; more plugins join it.

import type { AdmissionMetrics, AdmissionPhase, PassSeries } from "../metrics/admission-metrics.js";
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
  readonly #names: readonly string[];
  readonly #series: PassSeries;
  readonly #began: number;
  #last: number;
  #place = 0;

  constructor(metrics: AdmissionMetrics, phase: AdmissionPhase, operation: string, names: readonly string[]) {
    this.#metrics = metrics;
    this.#phase = phase;
    this.#operation = operation;
    this.#names = names;
    this.#series = metrics.pass(phase, operation, names);
    this.#began = metrics.now();
    this.#last = this.#began;
  }

  /** The next plugin is done. */
  next(): void {
    const now = this.#metrics.now();
    this.#series.plugins[this.#place++]?.observe((now - this.#last) / 1000);
    this.#last = now;
  }

  async step<T>(pass: Promise<T>): Promise<T> {
    let rejected = true;
    try {
      const outcome = await pass;
      rejected = false;
      return outcome;
    } finally {
      const now = this.#metrics.now();
      const whole = (now - this.#began) / 1000;
      if (!rejected) this.#series.whole.observe(whole);
      else this.#refused((now - this.#last) / 1000, whole);
    }
  }

  #refused(plugin: number, whole: number): void {
    const name = this.#names[this.#place] ?? "";
    this.#metrics.refused(this.#phase, this.#operation, name, { plugin, whole });
  }
}

/** Runs the plugins in order. */
export class AdmissionChain {
  readonly #metrics: AdmissionMetrics | undefined;
  readonly #plugins: readonly AdmissionPlugin[];
  readonly #mutating: readonly AdmissionPlugin[];
  readonly #validating: readonly AdmissionPlugin[];
  readonly #mutatingNames: readonly string[];
  readonly #validatingNames: readonly string[];

  constructor(plugins: readonly AdmissionPlugin[], metrics?: AdmissionMetrics) {
    this.#metrics = metrics;
    this.#plugins = plugins;
    this.#mutating = plugins.filter((plugin) => plugin.mutate);
    this.#validating = plugins.filter((plugin) => plugin.validate);
    this.#mutatingNames = this.#mutating.map(({ name }) => name);
    this.#validatingNames = this.#validating.map(({ name }) => name);
  }

  mutate(request: AdmissionRequest): Promise<void> {
    const measure =
      this.#metrics && new Measured(this.#metrics, "admit", request.operation, this.#mutatingNames);
    return measure ? measure.step(this.#mutate(request, measure)) : this.#mutate(request, undefined);
  }

  /** Resolves to what was taken for the write, where something was: whoever writes says whether it went through. */
  validate(request: AdmissionRequest): Promise<Transaction | undefined> {
    const measure =
      this.#metrics && new Measured(this.#metrics, "validate", request.operation, this.#validatingNames);
    return measure ? measure.step(this.#validate(request, measure)) : this.#validate(request, undefined);
  }

  async #mutate(request: AdmissionRequest, measure: Measured | undefined): Promise<void> {
    let rounds: Map<AdmissionPlugin, SecondRound> | undefined;
    let again = false;
    for (const plugin of this.#mutating) {
      const outcome = plugin.mutate?.(request);
      // Most plugins need not wait, and all requests pass through all of them.
      const second = outcome instanceof Promise ? await outcome : outcome;
      measure?.next();
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
        const outcome = plugin.validate?.(request);
        const transaction = outcome instanceof Promise ? await outcome : outcome;
        measure?.next();
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

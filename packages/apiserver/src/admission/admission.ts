// Admission: what may change or refuse a write between decoding and storing. The chain is a list; more plugins join it.

import type { Transaction } from "../kinds/strategy.js";
import type { AdmissionMetrics, AdmissionPhase } from "../metrics/admission-metrics.js";
import type { AdmissionControl, AdmissionRequest } from "../registry/admission-control.js";
import { type ResourceKind, resourceId } from "../registry/resource-kind.js";
import { MeasuredPass } from "./measured-pass.js";

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
  /** The resources it is about, as `plural` or `plural.group`; all of them unless told. */
  readonly resources?: readonly string[] | undefined;
  /** Runs again in a second round unless it returns what to do there. */
  mutate?(request: AdmissionRequest): Promise<SecondRound | void> | SecondRound | void;
  /** Returns what it has taken on the way (of a quota), to be told whether the write went through. */
  validate?(request: AdmissionRequest): Promise<Transaction | void> | Transaction | void;
  /** Lets go of what it follows. */
  close?(): void;
}

/** The plugins that are about a kind, in order, and the names of those that are not. */
interface Plan {
  readonly phase: AdmissionPhase;
  readonly plugins: readonly AdmissionPlugin[];
  readonly names: readonly string[];
  readonly others: readonly string[];
}

/** Runs the plugins in order. */
export class AdmissionChain implements AdmissionControl {
  readonly #metrics: AdmissionMetrics | undefined;
  readonly #plugins: readonly AdmissionPlugin[];
  /** Kinds that the same plugins are about share their plans. */
  readonly #plans = new Map<string, Plan>();
  readonly #mutating = new WeakMap<ResourceKind, Plan>();
  readonly #validating = new WeakMap<ResourceKind, Plan>();

  constructor(plugins: readonly AdmissionPlugin[], metrics?: AdmissionMetrics) {
    this.#metrics = metrics;
    this.#plugins = plugins;
  }

  async mutate(request: AdmissionRequest): Promise<void> {
    const plan = this.#mutating.get(request.kind) ?? this.#plan("admit", request.kind);
    const measure = this.#metrics && new MeasuredPass(this.#metrics, request.operation, plan);
    try {
      await runMutating(plan.plugins, request, measure);
    } catch (error) {
      measure?.refused();
      throw error;
    }
    measure?.passed();
  }

  /** Resolves to what was taken for the write, where something was: whoever writes says whether it went through. */
  async validate(request: AdmissionRequest): Promise<Transaction | undefined> {
    const plan = this.#validating.get(request.kind) ?? this.#plan("validate", request.kind);
    const measure = this.#metrics && new MeasuredPass(this.#metrics, request.operation, plan);
    const taken: Transaction[] = [];
    try {
      for (const plugin of plan.plugins) {
        const outcome = plugin.validate?.(request);
        const transaction = outcome instanceof Promise ? await outcome : outcome;
        measure?.next();
        if (transaction) taken.push(transaction);
      }
    } catch (error) {
      measure?.refused();
      for (const transaction of taken) transaction.revert();
      throw error;
    }
    measure?.passed();
    return taken.length > 0 ? allOf(taken) : undefined;
  }

  close(): void {
    for (const plugin of this.#plugins) plugin.close?.();
  }

  #plan(phase: AdmissionPhase, kind: ResourceKind): Plan {
    const id = resourceId(kind);
    const all = this.#plugins.filter((plugin) => (phase === "admit" ? plugin.mutate : plugin.validate));
    const plugins = all.filter(({ resources }) => !resources || resources.includes(id));
    const names = plugins.map(({ name }) => name);
    const key = `${phase} ${names.join(" ")}`;
    const others = all.map(({ name }) => name).filter((name) => !names.includes(name));
    const plan = this.#plans.get(key) ?? { phase, plugins, names, others };
    this.#plans.set(key, plan);
    (phase === "admit" ? this.#mutating : this.#validating).set(kind, plan);
    return plan;
  }
}

async function runMutating(
  plugins: readonly AdmissionPlugin[],
  request: AdmissionRequest,
  measure: MeasuredPass | undefined,
): Promise<void> {
  let rounds: Map<AdmissionPlugin, SecondRound> | undefined;
  let again = false;
  for (const plugin of plugins) {
    const outcome = plugin.mutate?.(request);
    // Most plugins need not wait, and all requests pass through many of them.
    const second = outcome instanceof Promise ? await outcome : outcome;
    measure?.next();
    if (!second) continue;
    rounds ??= new Map();
    rounds.set(plugin, second);
    again ||= second.needed;
  }
  if (!again) return;
  for (const plugin of plugins) await (rounds?.get(plugin) ?? plugin).mutate?.(request);
}

const allOf = (taken: readonly Transaction[]): Transaction => ({
  commit: () => {
    for (const transaction of taken) transaction.commit();
  },
  revert: () => {
    for (const transaction of taken) transaction.revert();
  },
});

// The admission chain: plugins that may change or refuse a write between decoding and storing.

import type { Transaction } from "@kubewright/kinds";
import type { AdmissionMetrics, AdmissionPhase } from "../metrics/admission-metrics.js";
import type { AdmissionControl, AdmissionRequest } from "../registry/admission-control.js";
import { type ResourceKind, resourceId } from "../registry/resource-kind.js";
import { MeasuredPass } from "./measured-pass.js";

/**
 * The second call of a plugin, when the chain runs once more: the object was changed after other plugins had seen it, so they see it
 * again (reinvocation).
 */
export interface SecondRound {
  /** Whether this plugin asks for the second round. */
  readonly needed: boolean;
  mutate(request: AdmissionRequest): Promise<void>;
}

/** Refuses by throwing an ApiError. */
export interface AdmissionPlugin {
  readonly name: string;
  /** The resources it handles, as `plural` or `plural.group`. Default: all of them. */
  readonly resources?: readonly string[] | undefined;
  /** Runs again in the second round, unless it returns its own SecondRound. */
  mutate?(request: AdmissionRequest): Promise<SecondRound | void> | SecondRound | void;
  /** May return a reservation (of quota), which is committed or released after the write. */
  validate?(request: AdmissionRequest): Promise<Transaction | void> | Transaction | void;
  /** Ends its watches. */
  close?(): void;
}

/** The plugins that handle a kind, in order, and the names of the others. */
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
  /** Plans by the set of plugins, so that kinds with the same plugins share one. */
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

  /** Resolves to the reservations for the write, if any; the caller commits or releases them. */
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
    // Most plugins are synchronous; awaiting each of them would cost every request a microtask per plugin.
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

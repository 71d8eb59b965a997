// The scaling decision of an autoscaler: the number of replicas, from its metrics, recent changes and its own bounds.
import {
  Amount,
  type Clock,
  HorizontalPodAutoscaler,
  LabelMatcher,
  type Pod,
  type Scale,
} from "@kubewright/api";
import type { StoreReader } from "@kubewright/runtime";
import type { EventRecorder } from "../../events/event-recorder.js";
import type { ControllerEnvironment } from "../controller.js";
import type { AutoscalerStatus } from "./autoscaler-status.js";
import type { MetricStatus } from "./metric-proposal.js";
import { proposeReplicas } from "./propose-replicas.js";
import type { Tolerances } from "./replica-count.js";
import { limitReplicas, remember, type ScalingHistory } from "./scaling-rules.js";
import { TargetSelectors } from "./target-selectors.js";

const defaultTolerance = 0.1;

/** How many replicas there should be, and why. */
export interface Decision {
  readonly replicas: number;
  readonly reason: string;
  readonly statuses: readonly MetricStatus[];
  /** The proposal of the metrics, before rules and bounds. */
  readonly proposed?: number | undefined;
}

/** A decision, or none when metrics say nothing. */
export type Outcome =
  | { readonly ok: true; readonly decision: Decision }
  | { readonly ok: false; readonly statuses: readonly MetricStatus[] };

/** The proposal of the metrics. */
interface MetricsProposal {
  readonly current: number;
  readonly best: NonNullable<ReturnType<typeof proposeReplicas>["best"]>;
  readonly statuses: readonly MetricStatus[];
}

export interface ScalingDecisionsOptions {
  readonly clock: Clock;
  readonly metrics: ControllerEnvironment["metrics"];
  readonly events: EventRecorder;
  readonly pods: StoreReader<Pod>;
}

export class ScalingDecisions {
  readonly #options: ScalingDecisionsOptions;
  readonly #histories = new Map<string, ScalingHistory>();
  readonly #selectors: TargetSelectors;

  constructor(options: ScalingDecisionsOptions) {
    this.#options = options;
    this.#selectors = new TargetSelectors(options.pods);
  }

  /** The autoscaler is gone. */
  forget(key: string): void {
    this.#histories.delete(key);
    this.#selectors.forget(key);
  }

  /** The decision for an autoscaler now; its conditions give the reason. */
  decide(key: string, autoscaler: HorizontalPodAutoscaler, scale: Scale, status: AutoscalerStatus): Outcome {
    const current = scale.spec?.replicas ?? 0;
    this.#begin(key, current);
    const { minReplicas = 1, maxReplicas } = autoscaler.spec;
    const settled = (replicas: number, reason: string) =>
      ({ ok: true, decision: { replicas, reason, statuses: [] } }) as const;
    if (current === 0 && minReplicas !== 0) {
      const message = "scaling is disabled since the replica count of the target is zero";
      status.condition("ScalingActive", false, "ScalingDisabled", message);
      return settled(0, "");
    }
    if (current > maxReplicas)
      return settled(maxReplicas, "Current number of replicas above Spec.MaxReplicas");
    if (current < minReplicas)
      return settled(minReplicas, "Current number of replicas below Spec.MinReplicas");
    return this.#decideByMetrics(key, autoscaler, scale, status);
  }

  #decideByMetrics(
    key: string,
    autoscaler: HorizontalPodAutoscaler,
    scale: Scale,
    status: AutoscalerStatus,
  ): Outcome {
    const selector = this.#selectors.read(key, scale.status?.selector ?? "");
    if (!(selector instanceof LabelMatcher)) {
      const { event, message, condition } = selector;
      this.#options.events.warning(HorizontalPodAutoscaler, autoscaler, event, message);
      status.condition("ScalingActive", false, condition.reason, condition.message);
      return this.#fail(autoscaler, message, []);
    }
    const now = this.#options.clock.now();
    const current = scale.spec?.replicas ?? 0;
    const { namespace = "" } = autoscaler.metadata ?? {};
    const pods = this.#options.pods
      .list({ namespace })
      .filter(({ metadata }) => selector.matches(metadata?.labels));
    const { best, statuses, failures, error } = proposeReplicas(autoscaler.spec.metrics ?? [], {
      metrics: this.#options.metrics,
      namespace,
      selector,
      pods,
      specReplicas: current,
      statusReplicas: scale.status?.replicas ?? 0,
      tolerances: tolerancesOf(autoscaler),
      now,
    });
    for (const { reason, message } of failures)
      this.#options.events.warning(HorizontalPodAutoscaler, autoscaler, reason, message);
    const [failure] = failures;
    if (!best && failure) {
      const message = `the HPA was unable to compute the replica count: ${failure.message}`;
      status.condition("ScalingActive", false, failure.reason, message);
    }
    if (!best) return this.#fail(autoscaler, error ?? "", statuses);
    const found = `the HPA was able to successfully calculate a replica count from ${best.name}`;
    status.condition("ScalingActive", true, "ValidMetricFound", found);
    return { ok: true, decision: this.#limit(key, autoscaler, { current, best, statuses }, status) };
  }

  /** Keeps what metrics ask for within bounds, and as steady as the autoscaler wants it. */
  #limit(
    key: string,
    { spec }: HorizontalPodAutoscaler,
    { current, best, statuses }: MetricsProposal,
    status: AutoscalerStatus,
  ): Decision {
    const limited = limitReplicas({
      behavior: spec.behavior,
      current,
      desired: best.replicas,
      min: spec.minReplicas ?? 1,
      max: spec.maxReplicas,
      history: this.#histories.get(key) ?? emptyHistory,
      now: this.#options.clock.now(),
    });
    status.condition("AbleToScale", true, limited.stabilized.reason, limited.stabilized.message);
    status.condition("ScalingLimited", limited.isLimited, limited.limit.reason, limited.limit.message);
    const reason = best.replicas > current ? `${best.name} above target` : "All metrics below target";
    return { replicas: limited.replicas, reason, statuses, proposed: best.replicas };
  }

  #fail(autoscaler: HorizontalPodAutoscaler, message: string, statuses: readonly MetricStatus[]): Outcome {
    this.#options.events.warning(
      HorizontalPodAutoscaler,
      autoscaler,
      "FailedComputeMetricsReplicas",
      message,
    );
    return { ok: false, statuses };
  }

  /** The current size counts as its first proposal, so that nothing is scaled down the moment an autoscaler is created. */
  #begin(key: string, replicas: number): void {
    if (this.#histories.has(key)) return;
    const time = this.#options.clock.now();
    this.#histories.set(key, { ...emptyHistory, proposals: [{ time, replicas }] });
  }

  /** Records a decision that was carried out. */
  remember(key: string, current: number, { proposed, replicas }: Decision): void {
    const history = this.#histories.get(key) ?? emptyHistory;
    const done = { desired: proposed, current, replicas };
    this.#histories.set(key, remember(history, done, this.#options.clock.now()));
  }
}

const emptyHistory: ScalingHistory = { proposals: [], added: [], removed: [] };

function tolerancesOf({ spec }: HorizontalPodAutoscaler): Tolerances {
  const { scaleUp, scaleDown } = spec.behavior ?? {};
  const of = (tolerance: string | number | undefined): number =>
    tolerance === undefined ? defaultTolerance : Amount.parse(tolerance).toNumber();
  return { up: of(scaleUp?.tolerance), down: of(scaleDown?.tolerance) };
}

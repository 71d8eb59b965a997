// Scales what autoscalers refer to by what its pods use, or by any other number they are told to look at.
import {
  Amount,
  deepEqual,
  HorizontalPodAutoscaler,
  type HorizontalPodAutoscalerStatus,
  LabelMatcher,
  Pod,
} from "@kubewright/api";
import type { StoreReader } from "@kubewright/runtime";
import type { EventRecorder } from "../../events/event-recorder.js";
import { serverMessage } from "../../workload/server-message.js";
import type { BuiltInController, ControllerEnvironment } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";
import { AutoscalerStatus } from "./autoscaler-status.js";
import type { MetricStatus } from "./metric-proposal.js";
import { proposeReplicas } from "./propose-replicas.js";
import type { Tolerances } from "./replica-count.js";
import { readTarget, type ScaleTarget } from "./scale-target.js";
import { limitReplicas, remember, type ScalingHistory } from "./scaling-rules.js";
import { TargetSelectors } from "./target-selectors.js";

export const horizontalPodAutoscalerController: BuiltInController = {
  name: "horizontalpodautoscaler",
  start: (environment) => new Autoscalers(environment).start(),
};

/** Every autoscaler is looked at this often. */
const period = 15_000;
const defaultTolerance = 0.1;

/** How many replicas there should be, and why. */
interface Decision {
  readonly replicas: number;
  readonly reason: string;
  readonly statuses: readonly MetricStatus[];
  /** What the metrics asked for, before rules and bounds. */
  readonly proposed?: number | undefined;
}

type Outcome =
  | { readonly ok: true; readonly decision: Decision }
  | { readonly ok: false; readonly statuses: readonly MetricStatus[] };

class Autoscalers {
  readonly #environment: ControllerEnvironment;
  readonly #events: EventRecorder;
  readonly #loop: SyncLoop;
  readonly #autoscalers: StoreReader<HorizontalPodAutoscaler>;
  readonly #pods: StoreReader<Pod>;
  readonly #histories = new Map<string, ScalingHistory>();
  readonly #selectors: TargetSelectors;

  constructor(environment: ControllerEnvironment) {
    this.#environment = environment;
    this.#events = environment.events("horizontal-pod-autoscaler");
    this.#loop = new SyncLoop(environment, {
      name: "horizontalpodautoscaler",
      sync: (key) => this.#sync(key),
    });
    // Its own words in the status are no news.
    this.#autoscalers = this.#loop.watch(HorizontalPodAutoscaler, ({ key, previous, current }) =>
      deepEqual(previous?.spec, current?.spec) ? [] : [key],
    );
    this.#pods = this.#loop.cache(Pod);
    this.#selectors = new TargetSelectors(this.#pods);
  }

  start(): Promise<SyncLoop> {
    return this.#loop.start();
  }

  async #sync(key: string): Promise<number | undefined> {
    const autoscaler = this.#autoscalers.get(key);
    if (autoscaler && !autoscaler.metadata?.deletionTimestamp) {
      await this.#scale(key, autoscaler);
      return period;
    }
    this.#histories.delete(key);
    this.#selectors.forget(key);
    return undefined;
  }

  async #scale(key: string, autoscaler: HorizontalPodAutoscaler): Promise<void> {
    const status = new AutoscalerStatus(autoscaler, this.#environment.clock.now());
    const target = await this.#target(autoscaler, status);
    if (!target) return this.#write(autoscaler, status.conditionsOnly());
    status.condition(
      "AbleToScale",
      true,
      "SucceededGetScale",
      "the HPA controller was able to get the target's current scale",
    );
    const current = target.scale.spec?.replicas ?? 0;
    this.#begin(key, current);
    const decision = this.#decide(key, autoscaler, target, status);
    if (!decision.ok)
      return this.#write(autoscaler, status.whole(current, undefined, decision.statuses, false));
    const { replicas, statuses, proposed } = decision.decision;
    const isScaled =
      replicas !== current && (await this.#rescale(autoscaler, target, decision.decision, status));
    if (replicas !== current && !isScaled)
      return this.#write(autoscaler, status.whole(current, undefined, statuses, false));
    this.#remember(key, { desired: proposed, current, replicas });
    await this.#write(autoscaler, status.whole(current, replicas, statuses, isScaled));
  }

  async #target(
    autoscaler: HorizontalPodAutoscaler,
    status: AutoscalerStatus,
  ): Promise<ScaleTarget | undefined> {
    try {
      return await readTarget(this.#environment.client.live, autoscaler);
    } catch (error) {
      const message = serverMessage(error);
      this.#events.warning(HorizontalPodAutoscaler, autoscaler, "FailedGetScale", message);
      const text = `the HPA controller was unable to get the target's current scale: ${message}`;
      status.condition("AbleToScale", false, "FailedGetScale", text);
      return undefined;
    }
  }

  #decide(
    key: string,
    autoscaler: HorizontalPodAutoscaler,
    target: ScaleTarget,
    status: AutoscalerStatus,
  ): Outcome {
    const current = target.scale.spec?.replicas ?? 0;
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
    return this.#decideByMetrics(key, autoscaler, target, status);
  }

  #decideByMetrics(
    key: string,
    autoscaler: HorizontalPodAutoscaler,
    { scale }: ScaleTarget,
    status: AutoscalerStatus,
  ): Outcome {
    const selector = this.#selectors.read(key, scale.status?.selector ?? "");
    if (!(selector instanceof LabelMatcher)) {
      const { event, message, condition } = selector;
      this.#events.warning(HorizontalPodAutoscaler, autoscaler, event, message);
      status.condition("ScalingActive", false, condition.reason, condition.message);
      return this.#fail(autoscaler, message, []);
    }
    const now = this.#environment.clock.now();
    const current = scale.spec?.replicas ?? 0;
    const { namespace = "" } = autoscaler.metadata ?? {};
    const pods = this.#pods.list({ namespace }).filter(({ metadata }) => selector.matches(metadata?.labels));
    const { best, statuses, failures, error } = proposeReplicas(autoscaler.spec.metrics ?? [], {
      metrics: this.#environment.metrics,
      namespace,
      selector,
      pods,
      specReplicas: current,
      statusReplicas: scale.status?.replicas ?? 0,
      tolerances: tolerancesOf(autoscaler),
      now,
    });
    for (const { reason, message } of failures)
      this.#events.warning(HorizontalPodAutoscaler, autoscaler, reason, message);
    const [failure] = failures;
    if (!best && failure) {
      const message = `the HPA was unable to compute the replica count: ${failure.message}`;
      status.condition("ScalingActive", false, failure.reason, message);
    }
    if (!best) return this.#fail(autoscaler, error ?? "", statuses);
    const found = `the HPA was able to successfully calculate a replica count from ${best.name}`;
    status.condition("ScalingActive", true, "ValidMetricFound", found);
    const limited = limitReplicas({
      behavior: autoscaler.spec.behavior,
      current,
      desired: best.replicas,
      min: autoscaler.spec.minReplicas ?? 1,
      max: autoscaler.spec.maxReplicas,
      history: this.#histories.get(key) ?? emptyHistory,
      now,
    });
    status.condition("AbleToScale", true, limited.stabilized.reason, limited.stabilized.message);
    status.condition("ScalingLimited", limited.isLimited, limited.limit.reason, limited.limit.message);
    const reason = best.replicas > current ? `${best.name} above target` : "All metrics below target";
    return {
      ok: true,
      decision: { replicas: limited.replicas, reason, statuses, proposed: best.replicas },
    };
  }

  #fail(autoscaler: HorizontalPodAutoscaler, message: string, statuses: readonly MetricStatus[]): Outcome {
    this.#events.warning(HorizontalPodAutoscaler, autoscaler, "FailedComputeMetricsReplicas", message);
    return { ok: false, statuses };
  }

  async #rescale(
    autoscaler: HorizontalPodAutoscaler,
    { resource, scale }: ScaleTarget,
    { replicas, reason }: Decision,
    status: AutoscalerStatus,
  ): Promise<boolean> {
    const { namespace } = autoscaler.metadata ?? {};
    const text = `New size: ${replicas}; reason: ${reason}`;
    try {
      const wanted = { ...scale, spec: { ...scale.spec, replicas } };
      await this.#environment.client.live.update(resource, wanted, { namespace, subresource: "scale" });
    } catch (error) {
      const message = serverMessage(error);
      this.#events.warning(
        HorizontalPodAutoscaler,
        autoscaler,
        "FailedRescale",
        `${text}; error: ${message}`,
      );
      const failed = `the HPA controller was unable to update the target scale: ${message}`;
      status.condition("AbleToScale", false, "FailedUpdateScale", failed);
      return false;
    }
    const done = `the HPA controller was able to update the target scale to ${replicas}`;
    status.condition("AbleToScale", true, "SucceededRescale", done);
    this.#events.normal(HorizontalPodAutoscaler, autoscaler, "SuccessfulRescale", text);
    return true;
  }

  /** What it found counts as its first proposal, so that nothing shrinks the moment an autoscaler is made. */
  #begin(key: string, replicas: number): void {
    if (this.#histories.has(key)) return;
    const time = this.#environment.clock.now();
    this.#histories.set(key, { ...emptyHistory, proposals: [{ time, replicas }] });
  }

  #remember(
    key: string,
    {
      desired,
      current,
      replicas,
    }: { readonly desired: number | undefined; readonly current: number; readonly replicas: number },
  ): void {
    const history = this.#histories.get(key) ?? emptyHistory;
    const now = this.#environment.clock.now();
    this.#histories.set(key, remember(history, { desired, current, replicas }, now));
  }

  async #write(autoscaler: HorizontalPodAutoscaler, status: HorizontalPodAutoscalerStatus): Promise<void> {
    if (deepEqual(status, autoscaler.status)) return;
    await this.#environment.client.update(
      HorizontalPodAutoscaler,
      { ...autoscaler, status },
      { subresource: "status" },
    );
  }
}

const emptyHistory: ScalingHistory = { proposals: [], added: [], removed: [] };

function tolerancesOf({ spec }: HorizontalPodAutoscaler): Tolerances {
  const { scaleUp, scaleDown } = spec.behavior ?? {};
  const of = (tolerance: string | number | undefined): number =>
    tolerance === undefined ? defaultTolerance : Amount.parse(tolerance).toNumber();
  return { up: of(scaleUp?.tolerance), down: of(scaleDown?.tolerance) };
}

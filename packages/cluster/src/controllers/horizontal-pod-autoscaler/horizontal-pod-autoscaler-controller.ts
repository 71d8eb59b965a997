// The HorizontalPodAutoscaler controller: scales targets by the resource usage of their pods, or by the other metrics in the spec.
import { deepEqual, HorizontalPodAutoscaler, type HorizontalPodAutoscalerStatus, Pod } from "@kubewright/api";
import type { StoreReader } from "@kubewright/runtime";
import type { EventRecorder } from "../../events/event-recorder.js";
import { serverMessage } from "../../workload/server-message.js";
import type { BuiltInController, ControllerEnvironment } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";
import { AutoscalerStatus } from "./autoscaler-status.js";
import { readTarget, type ScaleTarget } from "./scale-target.js";
import { type Decision, ScalingDecisions } from "./scaling-decisions.js";

export const horizontalPodAutoscalerController: BuiltInController = {
  name: "horizontalpodautoscaler",
  start: (environment) => new Autoscalers(environment).start(),
};

/** Every autoscaler is looked at this often. */
const period = 15_000;

class Autoscalers {
  readonly #environment: ControllerEnvironment;
  readonly #events: EventRecorder;
  readonly #loop: SyncLoop;
  readonly #autoscalers: StoreReader<HorizontalPodAutoscaler>;
  readonly #decisions: ScalingDecisions;

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
    this.#decisions = new ScalingDecisions({
      clock: environment.clock,
      metrics: environment.metrics,
      events: this.#events,
      pods: this.#loop.cache(Pod),
    });
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
    this.#decisions.forget(key);
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
    const outcome = this.#decisions.decide(key, autoscaler, target.scale, status);
    if (!outcome.ok)
      return this.#write(autoscaler, status.whole(current, undefined, outcome.statuses, false));
    const { decision } = outcome;
    const { replicas, statuses } = decision;
    const isScaled = replicas !== current && (await this.#rescale(autoscaler, target, decision, status));
    if (replicas !== current && !isScaled)
      return this.#write(autoscaler, status.whole(current, undefined, statuses, false));
    this.#decisions.remember(key, current, decision);
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

  async #write(autoscaler: HorizontalPodAutoscaler, status: HorizontalPodAutoscalerStatus): Promise<void> {
    if (deepEqual(status, autoscaler.status)) return;
    await this.#environment.client.update(
      HorizontalPodAutoscaler,
      { ...autoscaler, status },
      { subresource: "status" },
    );
  }
}

// The status of a HorizontalPodAutoscaler.
import {
  findCondition,
  formatTime,
  type HorizontalPodAutoscaler,
  type HorizontalPodAutoscalerCondition,
  type HorizontalPodAutoscalerStatus,
} from "@kubewright/api";
import type { MetricStatus } from "./metric-proposal.js";

type ConditionType = "AbleToScale" | "ScalingActive" | "ScalingLimited";

/** Collects conditions and events of one sync of an autoscaler. */
export class AutoscalerStatus {
  readonly #before: HorizontalPodAutoscaler;
  readonly #now: number;
  #conditions: readonly HorizontalPodAutoscalerCondition[];

  constructor(autoscaler: HorizontalPodAutoscaler, now: number) {
    this.#before = autoscaler;
    this.#now = now;
    this.#conditions = autoscaler.status?.conditions ?? [];
  }

  condition(type: ConditionType, isTrue: boolean, reason: string, message: string): void {
    const known = findCondition(this.#conditions, type);
    const status = isTrue ? "True" : "False";
    const lastTransitionTime = known?.status === status ? known.lastTransitionTime : formatTime(this.#now);
    const condition = { type, status, reason, message, lastTransitionTime };
    this.#conditions = known
      ? this.#conditions.map((one) => (one === known ? condition : one))
      : [...this.#conditions, condition];
  }

  /** Conditions alone: nothing more is known. */
  conditionsOnly(): HorizontalPodAutoscalerStatus {
    return { desiredReplicas: 0, ...this.#before.status, conditions: this.#conditions };
  }

  /** The whole status; `desired` stays as it was when it could not be worked out. */
  whole(
    currentReplicas: number,
    desired: number | undefined,
    metrics: readonly MetricStatus[],
    hasScaled: boolean,
  ): HorizontalPodAutoscalerStatus {
    const { lastScaleTime, desiredReplicas = 0 } = this.#before.status ?? {};
    const scaled = hasScaled ? formatTime(this.#now) : lastScaleTime;
    return {
      ...(scaled ? { lastScaleTime: scaled } : {}),
      currentReplicas,
      desiredReplicas: desired ?? desiredReplicas,
      currentMetrics: metrics.length > 0 ? metrics : undefined,
      conditions: this.#conditions,
    };
  }
}

// The limits that end a pod before its containers do: its active deadline, and eviction by its node.
import { type Clock, Pod, type Timer } from "@kubewright/api";
import type { EventRecorder } from "../events/event-recorder.js";
import type { ContainerRuntime } from "./container-runtime.js";
import type { PodFailure } from "./pod-status.js";

export interface PodLimitsOptions {
  readonly clock: Clock;
  readonly runtime: ContainerRuntime;
  readonly events: EventRecorder;
  readonly pod: () => Pod;
  readonly startedAt: number;
  readonly fail: (failure: PodFailure) => void;
}

export class PodLimits {
  readonly #options: PodLimitsOptions;
  #deadline: Timer | undefined;
  #eviction: Timer | undefined;

  constructor(options: PodLimitsOptions) {
    this.#options = options;
  }

  /** The deadline, or what rules say of evictions, may be another. */
  watch(): void {
    this.watchDeadline();
    this.watchEviction();
  }

  watchDeadline(): void {
    this.#deadline?.cancel();
    const { clock, pod, startedAt } = this.#options;
    const seconds = pod().spec?.activeDeadlineSeconds;
    if (seconds === undefined) return;
    this.#deadline = clock.setTimer(startedAt + seconds * 1000 - clock.now(), () => this.#exceedDeadline());
  }

  watchEviction(): void {
    this.#eviction?.cancel();
    const { clock, pod, runtime, startedAt, fail } = this.#options;
    const eviction = runtime.eviction?.(pod());
    if (!eviction) return;
    const failure = { reason: "Evicted", message: eviction.message, isDisruption: true };
    const left = startedAt + eviction.after - clock.now();
    if (left <= 0) fail(failure);
    else this.#eviction = clock.setTimer(left, () => fail(failure));
  }

  cancel(): void {
    this.#deadline?.cancel();
    this.#eviction?.cancel();
  }

  #exceedDeadline(): void {
    const { events, pod, fail } = this.#options;
    const message = "Pod was active on the node longer than the specified deadline";
    events.normal(Pod, pod(), "DeadlineExceeded", message);
    fail({ reason: "DeadlineExceeded", message, isDisruption: false });
  }
}

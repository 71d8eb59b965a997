// One pod on a node, from its first status to its removal.
import { type Clock, type Container, formatTime, isNotFound, Pod, type Timer } from "@kubewright/api";
import type { CachedClient } from "@kubewright/runtime";
import type { EventRecorder } from "../events/event-recorder.js";
import type { ContainerHost } from "./container-host.js";
import type { ContainerRuntime } from "./container-runtime.js";
import { PodContainers } from "./pod-containers.js";
import { configurationProblem, environmentReferences, type PodReferences } from "./pod-references.js";
import { type PodFailure, podStatus } from "./pod-status.js";
import { mountProblem, volumeSources } from "./pod-volumes.js";
import { StatusWriter } from "./status-writer.js";
import type { Turnstile } from "./turnstile.js";

export interface PodWorkerOptions {
  readonly client: CachedClient;
  readonly clock: Clock;
  readonly runtime: ContainerRuntime;
  readonly references: PodReferences;
  readonly events: EventRecorder;
  readonly podIP: string;
  readonly hostIP: string;
  readonly turnstile: Turnstile;
  /** Whether somebody binds claims, so that pods have to wait for it. */
  readonly claimsGetBound: boolean;
  readonly report: (where: string, error: unknown) => void;
}

export class PodWorker {
  readonly #options: PodWorkerOptions;
  readonly #stop = new AbortController();
  readonly #containers: PodContainers;
  readonly #writer: StatusWriter;
  readonly #startedAt: number;
  readonly #startTime: string;
  #pod: Pod;
  #hasSandbox = false;
  #isHeld = false;
  /** It is being deleted. */
  #isEnding = false;
  #isClosed = false;
  #failure: PodFailure | undefined;
  /** When the pod has run for long enough, or is to be evicted. */
  #deadline: Timer | undefined;
  #eviction: Timer | undefined;
  #life: Promise<void>;

  constructor(pod: Pod, options: PodWorkerOptions) {
    this.#pod = pod;
    this.#options = options;
    const { client, clock } = options;
    const { startTime } = pod.status ?? {};
    this.#startedAt = startTime === undefined ? clock.now() : Date.parse(startTime);
    this.#startTime = formatTime(this.#startedAt);
    const report = (where: string, error: unknown): void => options.report(where, error);
    this.#containers = new PodContainers(pod, this.#host(), (error) => this.#report(error));
    this.#writer = new StatusWriter({
      client,
      clock,
      pod: () => this.#pod,
      status: () => this.#status(),
      onWritten: (written) => (this.#pod = written),
      report,
      turnstile: options.turnstile,
    });
    this.#isEnding = pod.metadata?.deletionTimestamp !== undefined;
    this.#life = this.#isEnding ? this.#remove() : this.#live();
  }

  /** The pod changed. */
  update(pod: Pod): void {
    const before = this.#pod;
    this.#pod = pod;
    if (this.#isHeld) return;
    if (pod.metadata?.deletionTimestamp) {
      if (!this.#isEnding) this.#life = this.#end(this.#life);
      return;
    }
    if (pod.spec !== before.spec && this.#hasSandbox) this.#containers.update(pod);
    if (pod.spec?.activeDeadlineSeconds !== before.spec?.activeDeadlineSeconds) this.#watchDeadline();
    const isNew = pod.metadata?.generation !== before.metadata?.generation;
    if (isNew || (pod.spec?.readinessGates?.length ?? 0) > 0) this.#writer.changed();
  }

  /** The node cannot be heard, and hears nothing. */
  hold(): void {
    this.#isHeld = true;
    this.#writer.hold();
  }

  /** The node is back; the pod is as given now. */
  release(pod: Pod): void {
    this.#isHeld = false;
    this.#writer.release();
    this.update(pod);
  }

  /** Rules about pods may have changed. */
  reconsider(): void {
    if (this.#stop.signal.aborted || this.#isClosed) return;
    this.#eviction?.cancel();
    const eviction = this.#options.runtime.eviction?.(this.#pod);
    if (!eviction) return;
    const failure = { reason: "Evicted", message: eviction.message, isDisruption: true };
    const left = this.#startedAt + eviction.after - this.#options.clock.now();
    if (left <= 0) this.#fail(failure);
    else this.#eviction = this.#options.clock.setTimer(left, () => this.#fail(failure));
  }

  /** Stops without a word: the node goes away, or the pod is gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimers();
    this.#stop.abort();
    const closed = this.#writer.close();
    this.#containers.close();
    await this.#life;
    await closed;
  }

  async #live(): Promise<void> {
    const done = this.#options.clock.busy(`pod ${this.#pod.metadata?.name} starts`);
    // Only until its containers are up: what they do after that is told by themselves. A pod that runs, by what an earlier
    // kubelet wrote, is up again before anyone is told.
    const isNew = this.#pod.status?.phase !== "Running";
    await (isNew ? this.#writer.flush() : Promise.resolve()).finally(done);
    try {
      this.#watchDeadline();
      this.reconsider();
      if (!(await this.#mountVolumes())) return;
      this.#hasSandbox = true;
      await this.#containers.run(this.#pod);
    } catch (error) {
      this.#report(error);
    }
    if (!this.#stop.signal.aborted) this.#cancelTimers();
  }

  /** Waits for what volumes need; false when the pod stops meanwhile. */
  async #mountVolumes(): Promise<boolean> {
    const { references, events, claimsGetBound } = this.#options;
    const sources = volumeSources(this.#pod);
    if (sources.length === 0) return !this.#stop.signal.aborted;
    return references.settled({
      references: sources.map(({ reference }) => reference),
      namespace: this.#pod.metadata?.namespace ?? "",
      signal: this.#stop.signal,
      problem: () => mountProblem(references, this.#pod, { claimsGetBound }),
      onProblem: (problem) => events.warning(Pod, this.#pod, "FailedMount", problem),
    });
  }

  #watchDeadline(): void {
    this.#deadline?.cancel();
    const seconds = this.#pod.spec?.activeDeadlineSeconds;
    if (seconds === undefined || this.#stop.signal.aborted) return;
    const left = this.#startedAt + seconds * 1000 - this.#options.clock.now();
    this.#deadline = this.#options.clock.setTimer(left, () => {
      const message = "Pod was active on the node longer than the specified deadline";
      this.#options.events.normal(Pod, this.#pod, "DeadlineExceeded", message);
      this.#fail({ reason: "DeadlineExceeded", message, isDisruption: false });
    });
  }

  /** Ends the containers for good; the pod stays, as failed. */
  #fail(failure: PodFailure): void {
    if (this.#stop.signal.aborted) return;
    this.#failure = failure;
    this.#cancelTimers();
    if (failure.isDisruption) this.#options.events.warning(Pod, this.#pod, failure.reason, failure.message);
    this.#stop.abort();
    const grace = failure.isDisruption ? 0 : (this.#pod.spec?.terminationGracePeriodSeconds ?? 30) * 1000;
    this.#life = Promise.all([this.#life, this.#containers.stop(grace)]).then(() => this.#writer.flush());
  }

  /** Ends the containers, says so, and takes the pod away. */
  async #end(life: Promise<void>): Promise<void> {
    this.#isEnding = true;
    this.#cancelTimers();
    this.#stop.abort();
    const grace = (this.#pod.metadata?.deletionGracePeriodSeconds ?? 30) * 1000;
    await this.#containers.stop(grace);
    await life;
    await this.#writer.flush();
    if (!this.#isClosed) await this.#remove();
  }

  async #remove(): Promise<void> {
    const { name = "", namespace, uid } = this.#pod.metadata ?? {};
    const options = { namespace, gracePeriodSeconds: 0, preconditions: { uid } };
    try {
      await this.#options.client.delete(Pod, name, options);
    } catch (error) {
      if (!isNotFound(error)) this.#report(error);
    }
  }

  #cancelTimers(): void {
    this.#deadline?.cancel();
    this.#eviction?.cancel();
  }

  #status() {
    const { clock, podIP, hostIP } = this.#options;
    const { init, main, ephemeral, isInitialized } = this.#containers;
    return podStatus(
      this.#pod,
      {
        init,
        containers: main,
        ephemeral,
        isInitialized,
        hasSandbox: this.#hasSandbox,
        isStopping: this.#stop.signal.aborted,
        failure: this.#failure,
        podIP,
        hostIP,
        startTime: this.#startTime,
      },
      clock.now(),
    );
  }

  async #configured(container: Container, onProblem: (problem: string) => void): Promise<boolean> {
    const { references } = this.#options;
    const needed = environmentReferences(container);
    if (needed.length === 0) return true;
    return references.settled({
      references: needed,
      namespace: this.#pod.metadata?.namespace ?? "",
      signal: this.#stop.signal,
      problem: () => configurationProblem(references, this.#pod, container),
      onProblem,
    });
  }

  #report(error: unknown): void {
    this.#options.report(`pod ${this.#pod.metadata?.name}`, error);
  }

  #host(): ContainerHost {
    const { clock, runtime, events } = this.#options;
    return {
      clock,
      runtime,
      signal: this.#stop.signal,
      pod: () => this.#pod,
      changed: () => this.#writer.changed(),
      configured: (container, onProblem) => this.#configured(container, onProblem),
      event: (type, reason, message, container) => {
        if (this.#isClosed || this.#isHeld) return;
        const field = container && fieldPath(this.#pod, container);
        if (type === "Normal") events.normal(Pod, this.#pod, reason, message, field);
        else events.warning(Pod, this.#pod, reason, message, field);
      },
    };
  }
}

/** Where in the pod a container is, as events say it. */
function fieldPath({ spec }: Pod, { name }: Container): string {
  const isIn = (list: readonly { readonly name: string }[] | undefined): boolean =>
    list?.some((one) => one.name === name) ?? false;
  const field = isIn(spec?.initContainers)
    ? "initContainers"
    : isIn(spec?.ephemeralContainers)
      ? "ephemeralContainers"
      : "containers";
  return `spec.${field}{${name}}`;
}

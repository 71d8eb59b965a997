// One pod on a node, from its first status to its removal.
import { type Clock, type Container, formatTime, isNotFound, Pod, sleep } from "@kubewright/api";
import type { CachedClient } from "@kubewright/runtime";
import type { EventRecorder } from "../events/event-recorder.js";
import type { ContainerHost } from "./container-host.js";
import type { ContainerRuntime } from "./container-runtime.js";
import type { PodRejection } from "./pod-admission.js";
import { PodContainers } from "./pod-containers.js";
import { PodLimits } from "./pod-limits.js";
import { PodNeeds } from "./pod-needs.js";
import type { PodReferences } from "./pod-references.js";
import { type PodFailure, podStatus, rejectedStatus } from "./pod-status.js";
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
  /** Why the node does not take the pod: it fails without having run. */
  readonly rejection?: PodRejection | undefined;
  readonly report: (where: string, error: unknown) => void;
}

const rejectionDelay = 1000;

export class PodWorker {
  readonly #options: PodWorkerOptions;
  readonly #stop = new AbortController();
  readonly #containers: PodContainers;
  readonly #writer: StatusWriter;
  readonly #needs: PodNeeds;
  readonly #limits: PodLimits;
  readonly #startTime: string;
  #pod: Pod;
  #hasSandbox = false;
  #isHeld = false;
  /** It is being deleted. */
  #isEnding = false;
  #isClosed = false;
  #failure: PodFailure | undefined;
  #life: Promise<void>;

  constructor(pod: Pod, options: PodWorkerOptions) {
    this.#pod = pod;
    this.#options = options;
    const { client, clock } = options;
    const { startTime } = pod.status ?? {};
    const startedAt = startTime === undefined ? clock.now() : Date.parse(startTime);
    this.#startTime = formatTime(startedAt);
    const current = (): Pod => this.#pod;
    this.#needs = new PodNeeds({ ...options, pod: current, signal: this.#stop.signal });
    this.#limits = new PodLimits({
      ...options,
      pod: current,
      startedAt,
      fail: (failure) => this.#fail(failure),
    });
    this.#containers = new PodContainers(pod, this.#host(), (error) => this.#report(error));
    this.#writer = new StatusWriter({
      client,
      clock,
      pod: current,
      status: () => this.#status(),
      onWritten: (written) => (this.#pod = written),
      report: (where, error) => options.report(where, error),
      turnstile: options.turnstile,
    });
    this.#isEnding = pod.metadata?.deletionTimestamp !== undefined;
    if (options.rejection) this.#life = this.#reject(options.rejection);
    else this.#life = this.#isEnding ? this.#remove() : this.#live();
  }

  /** The pod changed. */
  update(pod: Pod): void {
    const before = this.#pod;
    this.#pod = pod;
    if (this.#isHeld) return;
    this.#options.runtime.podChanged?.(pod);
    if (pod.metadata?.deletionTimestamp) {
      if (!this.#isEnding) this.#life = this.#end(this.#life);
      return;
    }
    if (pod.spec !== before.spec && this.#hasSandbox) this.#containers.update(pod);
    const isStopping = this.#stop.signal.aborted;
    if (pod.spec?.activeDeadlineSeconds !== before.spec?.activeDeadlineSeconds && !isStopping)
      this.#limits.watchDeadline();
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
    if (!this.#stop.signal.aborted && !this.#isClosed) this.#limits.watchEviction();
  }

  /** Stops without a word: the node goes away, or the pod is gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#limits.cancel();
    this.#stop.abort();
    const closed = this.#writer.close();
    this.#containers.close();
    await this.#life;
    await closed;
  }

  async #live(): Promise<void> {
    const done = this.#options.clock.busy(`pod ${this.#pod.metadata?.name} starts`);
    // Only until its containers are up: after that they report themselves. A pod that runs, by what an earlier
    // kubelet wrote, is up again before its status is written.
    const isNew = this.#pod.status?.phase !== "Running";
    await (isNew ? this.#writer.flush() : Promise.resolve()).finally(done);
    try {
      if (!this.#stop.signal.aborted) this.#limits.watch();
      if (!(await this.#needs.mounted())) return;
      this.#hasSandbox = true;
      await this.#containers.run(this.#pod);
    } catch (error) {
      this.#report(error);
    }
    if (!this.#stop.signal.aborted) this.#limits.cancel();
  }

  /** Takes a moment: controllers make such a pod again at once, and would do nothing else. */
  async #reject({ reason, message }: PodRejection): Promise<void> {
    try {
      await sleep(this.#options.clock, rejectionDelay, this.#stop.signal);
    } catch {
      return;
    }
    this.#stop.abort();
    this.#options.events.warning(Pod, this.#pod, reason, message);
    await this.#writer.flush();
  }

  /** Ends the containers for good; the pod stays, as failed. */
  #fail(failure: PodFailure): void {
    if (this.#stop.signal.aborted) return;
    this.#failure = failure;
    this.#limits.cancel();
    if (failure.isDisruption) this.#options.events.warning(Pod, this.#pod, failure.reason, failure.message);
    this.#stop.abort();
    const grace = failure.isDisruption ? 0 : (this.#pod.spec?.terminationGracePeriodSeconds ?? 30) * 1000;
    this.#life = Promise.all([this.#life, this.#containers.stop(grace)]).then(() => this.#writer.flush());
  }

  /** Ends the containers, says so, and takes the pod away. */
  async #end(life: Promise<void>): Promise<void> {
    this.#isEnding = true;
    this.#limits.cancel();
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

  #status() {
    const { clock, podIP, hostIP, rejection } = this.#options;
    if (rejection) return rejectedStatus(this.#pod, rejection, this.#startTime);
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

  #report(error: unknown): void {
    this.#options.report(`pod ${this.#pod.metadata?.name}`, error);
  }

  #host(): ContainerHost {
    const { clock, runtime, events, client, podIP, hostIP } = this.#options;
    return {
      clock,
      runtime,
      node: { client, podIP, hostIP },
      signal: this.#stop.signal,
      pod: () => this.#pod,
      changed: () => this.#writer.changed(),
      configured: (container, onProblem) => this.#needs.configured(container, onProblem),
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

// One pod on a node, from its first status to its removal.
import { type Clock, type Container, deepEqual, formatTime, isNotFound, Pod, sleep } from "@kubewright/api";
import type { CachedClient } from "@kubewright/runtime";
import type { EventRecorder } from "../events/event-recorder.js";
import { configurationProblem } from "./container-configuration.js";
import { ContainerLifecycle } from "./container-lifecycle.js";
import type { ContainerRuntime } from "./container-runtime.js";
import { podStatus } from "./pod-status.js";

export interface PodWorkerOptions {
  readonly client: CachedClient;
  readonly clock: Clock;
  readonly runtime: ContainerRuntime;
  readonly events: EventRecorder;
  readonly podIP: string;
  readonly hostIP: string;
  readonly report: (where: string, error: unknown) => void;
}

export class PodWorker {
  readonly #options: PodWorkerOptions;
  readonly #stop = new AbortController();
  readonly #init: readonly ContainerLifecycle[];
  readonly #containers: readonly ContainerLifecycle[];
  readonly #startTime: string;
  #pod: Pod;
  #isInitialized = false;
  #hasSandbox = false;
  #isClosed = false;
  #written: unknown;
  /** The write in hand, and whether another must follow. */
  #publishing: Promise<void> | undefined;
  #isDirty = false;
  #life: Promise<void>;

  constructor(pod: Pod, options: PodWorkerOptions) {
    this.#pod = pod;
    this.#options = options;
    this.#startTime = formatTime(options.clock.now());
    const restart = pod.spec?.restartPolicy ?? "Always";
    const life = (container: Container, policy: "Always" | "OnFailure" | "Never"): ContainerLifecycle =>
      new ContainerLifecycle(container, policy, this.#host());
    this.#init = (pod.spec?.initContainers ?? []).map((container) =>
      life(container, isSidecar(container) ? "Always" : restart === "Always" ? "OnFailure" : restart),
    );
    this.#containers = (pod.spec?.containers ?? []).map((container) => life(container, restart));
    if (this.#init.length > 0) for (const one of [...this.#init, ...this.#containers]) one.holdBack();
    this.#life = this.#live();
  }

  /** The pod changed. */
  update(pod: Pod): void {
    this.#pod = pod;
    if (pod.metadata?.deletionTimestamp && !this.#stop.signal.aborted) this.#life = this.#end(this.#life);
    else if ((pod.spec?.readinessGates?.length ?? 0) > 0) this.#changed();
  }

  /** Stops without a word: the node goes away, or the pod is gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stop.abort();
    for (const one of [...this.#init, ...this.#containers]) one.close();
    await this.#life;
    await this.#publishing;
  }

  async #live(): Promise<void> {
    const done = this.#options.clock.busy(`pod ${this.#pod.metadata?.name} starts`);
    // Only until its containers are up: what they do after that is told by themselves.
    await this.#publish().finally(done);
    this.#hasSandbox = true;
    try {
      await this.#initialize();
      if (!this.#isInitialized) return;
      await Promise.all(this.#containers.map((one) => one.run()));
      if (this.#stop.signal.aborted) return;
      // Sidecars end with the containers they serve.
      for (const one of this.#init) one.stop(30_000);
    } catch (error) {
      this.#options.report(`pod ${this.#pod.metadata?.name}`, error);
    }
  }

  async #initialize(): Promise<void> {
    for (const one of this.#init) {
      const run = one.run();
      if (isSidecar(one.container)) {
        run.catch((error: unknown) => this.#options.report(`pod ${this.#pod.metadata?.name}`, error));
        continue;
      }
      await run;
      if (this.#stop.signal.aborted || one.terminated?.exitCode !== 0) return;
    }
    this.#isInitialized = !this.#stop.signal.aborted;
  }

  /** Ends the containers, says so, and takes the pod away. */
  async #end(life: Promise<void>): Promise<void> {
    const grace = (this.#pod.metadata?.deletionGracePeriodSeconds ?? 30) * 1000;
    this.#stop.abort();
    for (const one of [...this.#containers, ...this.#init]) one.stop(grace);
    await life;
    await this.#publish();
    if (this.#isClosed) return;
    await this.#remove().catch((error: unknown) =>
      this.#options.report(`pod ${this.#pod.metadata?.name}`, error),
    );
  }

  async #remove(): Promise<void> {
    const { name = "", namespace, uid } = this.#pod.metadata ?? {};
    try {
      await this.#options.client.delete(Pod, name, {
        namespace,
        gracePeriodSeconds: 0,
        preconditions: { uid },
      });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  #changed(): void {
    if (this.#isClosed) return;
    this.#isDirty = true;
    this.#publishing ??= this.#publishAll();
  }

  #publish(): Promise<void> {
    this.#changed();
    return this.#publishing ?? Promise.resolve();
  }

  /** Writes until what is written is what is. */
  async #publishAll(): Promise<void> {
    const done = this.#options.clock.busy(`status of pod ${this.#pod.metadata?.name}`);
    // Changes that come together are one.
    await Promise.resolve();
    while (this.#isDirty && !this.#isClosed) {
      this.#isDirty = false;
      try {
        await this.#write();
      } catch (error) {
        if (isNotFound(error)) break;
        this.#options.report(`status of pod ${this.#pod.metadata?.name}`, error);
        this.#isDirty = true;
        await sleep(this.#options.clock, 1000, this.#stop.signal).catch(() => undefined);
        if (this.#stop.signal.aborted) break;
      }
    }
    this.#publishing = undefined;
    done();
  }

  async #write(): Promise<void> {
    const { client, clock, podIP, hostIP } = this.#options;
    const { name = "", namespace, uid } = this.#pod.metadata ?? {};
    const state = {
      init: this.#init,
      containers: this.#containers,
      isInitialized: this.#isInitialized || this.#init.length === 0,
      hasSandbox: this.#hasSandbox,
      isStopping: this.#stop.signal.aborted,
      podIP,
      hostIP,
      startTime: this.#startTime,
    };
    const status = podStatus(this.#pod, state, clock.now());
    if (deepEqual(status, this.#written)) return;
    // A reason that no longer holds has to be taken away: conditions are merged.
    const conditions = status.conditions?.map((one) => ({ reason: null, message: null, ...one }));
    const strategic = { metadata: { uid }, status: { ...status, conditions } };
    this.#pod = await client.patch(Pod, name, { strategic }, { namespace, subresource: "status" });
    this.#written = status;
  }

  #host() {
    const { clock, runtime, events, client } = this.#options;
    return {
      clock,
      runtime,
      signal: this.#stop.signal,
      pod: () => this.#pod,
      changed: () => this.#changed(),
      configurationProblem: (container: Container) => configurationProblem(client, this.#pod, container),
      event: (type: "Normal" | "Warning", reason: string, message: string) => {
        if (this.#isClosed) return;
        if (type === "Normal") events.normal(Pod, this.#pod, reason, message);
        else events.warning(Pod, this.#pod, reason, message);
      },
    };
  }
}

/** An init container that runs beside the others. */
function isSidecar(container: Container): boolean {
  return container.restartPolicy === "Always";
}

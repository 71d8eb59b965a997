// The life of one container of a pod: pulled, started, ready, ended, and started again as its restart policy says.
import {
  type Container,
  type ContainerStateTerminated,
  type ContainerStatus,
  formatTime,
  type LifecycleHandler,
} from "@kubewright/api";
import { ContainerHistory } from "./container-history.js";
import type { ContainerHost } from "./container-host.js";
import type { ContainerExit, ContainerRequest, RunningContainer } from "./container-runtime.js";
import { containerStatus, terminatedState } from "./container-status.js";
import { ContainerTermination } from "./container-termination.js";
import { CrashBackOff, restBeforeRestart } from "./crash-back-off.js";
import { ImagePull } from "./image-pull.js";
import { Prober } from "./prober.js";
import { isToRestart, type RestartPolicy } from "./restart-policy.js";
import { withTerminationMessage } from "./termination-message.js";

/** The role of a container in its pod, and whether it is restarted. */
export interface ContainerRole {
  readonly kind: "init" | "sidecar" | "main" | "ephemeral";
  readonly restart: RestartPolicy;
}

export class ContainerLifecycle {
  readonly role: ContainerRole;
  readonly #host: ContainerHost;
  readonly #backOff = new CrashBackOff();
  readonly #image: ImagePull;
  readonly #history = new ContainerHistory();
  readonly #termination: ContainerTermination;
  #container: Container;
  #running: RunningContainer | undefined;
  #prober: Prober | undefined;
  /** It ended, or will, and has to be started again whatever its exit code. */
  #isCondemned = false;
  #isRetired = false;
  #isOver = false;
  #onStarted: (() => void) | undefined;
  /** Settles when it ended for good, or the pod stopped. */
  done: Promise<void> = Promise.resolve();

  constructor(container: Container, role: ContainerRole, host: ContainerHost) {
    this.#container = container;
    this.role = role;
    this.#host = host;
    this.#termination = new ContainerTermination(host.clock, (error) =>
      host.event("Warning", "FailedPreStopHook", `PreStopHook failed: ${messageOf(error)}`, this.#container),
    );
    const field = role.kind === "main" ? "containerStatuses" : "initContainerStatuses";
    this.#history.resume(host.pod(), container.name, field);
    this.#image = new ImagePull(host, (reason, message) => this.#wait(reason, message));
  }

  get container(): Container {
    return this.#container;
  }

  get terminated(): ContainerStateTerminated | undefined {
    return this.#history.terminated;
  }

  get isRunning(): boolean {
    return this.#history.isRunning;
  }

  get hasRun(): boolean {
    return this.#history.hasRun;
  }

  /** It ended and is not started again. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get isStarted(): boolean {
    return this.isRunning && this.#prober?.isStarted === true;
  }

  get isReady(): boolean {
    if (this.role.kind === "init") return this.terminated?.exitCode === 0;
    return this.isRunning && this.#prober?.isReady === true;
  }

  /** Waits for its turn. */
  holdBack(): void {
    this.#history.wait("PodInitializing");
  }

  /** Runs until it ended for good, or until the pod stops. */
  run(): Promise<void> {
    this.done = this.#live();
    return this.done;
  }

  /** Resolves when it has started, or never will. */
  started(): Promise<void> {
    if (this.isStarted) return Promise.resolve();
    const begun = new Promise<void>((resolve) => (this.#onStarted = resolve));
    return Promise.race([begun, this.done]);
  }

  /** Asks it to end within the grace period, in milliseconds. */
  stop(gracePeriod: number): void {
    if (!this.#running || this.#termination.isUnderWay) return;
    this.#host.event("Normal", "Killing", `Stopping container ${this.#container.name}`, this.#container);
    this.#termination.begin(this.#running, this.#container, gracePeriod);
  }

  /** Its end is not followed by another start. */
  retire(): void {
    this.#isRetired = true;
  }

  /** Its part of the pod's spec changed. */
  respec(container: Container): void {
    const isOther = container.image !== this.#container.image;
    this.#container = container;
    if (isOther && this.#running)
      this.#restart(`Container ${container.name} definition changed, will be restarted`);
  }

  close(): void {
    this.#prober?.close();
    this.#termination.end();
    this.#running?.stop(0);
  }

  status(): ContainerStatus {
    const { pod } = this.#host;
    const { state, last, restarts, terminated } = this.#history;
    return containerStatus({
      pod: pod(),
      container: this.#container,
      state,
      last,
      containerID: this.#running?.id ?? terminated?.containerID ?? last?.containerID,
      imageID: this.hasRun ? this.#image.id : "",
      isReady: this.isReady,
      isStarted: this.isStarted,
      restarts,
    });
  }

  async #live(): Promise<void> {
    const { signal, clock } = this.#host;
    for (let attempt = 0; ; attempt++) {
      const running = await this.#begin(attempt);
      if (!running) return;
      const begun = clock.monotonic();
      await this.#runOnce(running);
      if (signal.aborted || this.#isOver) return;
      const delay = this.#backOff.next(clock.monotonic() - begun);
      const isAwake = await restBeforeRestart(this.#host, this.#container, delay, (reason, message) =>
        this.#wait(reason, message),
      );
      if (!isAwake || this.#isRetired) return;
      this.#history.restarts += 1;
    }
  }

  /** Gets image and configuration, and starts it; undefined when the pod stops meanwhile. */
  async #begin(attempt: number): Promise<RunningContainer | undefined> {
    const { runtime, signal } = this.#host;
    const node = {
      ...this.#host.node,
      event: (type: "Normal" | "Warning", reason: string, message: string) =>
        this.#host.event(type, reason, message, this.#container),
    };
    const request = (): ContainerRequest => ({
      pod: this.#host.pod(),
      container: this.#container,
      attempt,
      node,
    });
    try {
      if (!(await this.#image.have(request))) return undefined;
      const container = await this.#configured();
      if (!container || signal.aborted) return undefined;
      return await runtime.start({ ...request(), container }, signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  #configured(): Promise<Container | undefined> {
    const onProblem = (problem: string): void => {
      this.#host.event("Warning", "Failed", `Error: ${problem}`, this.#container);
      this.#wait("CreateContainerConfigError", problem);
    };
    return this.#host.configured(() => this.#container, onProblem);
  }

  async #runOnce(running: RunningContainer): Promise<void> {
    const { clock, runtime } = this.#host;
    const startedAt = formatTime(clock.now());
    this.#history.start(startedAt);
    this.#running = running;
    this.#isCondemned = false;
    this.#prober = undefined;
    this.#host.event("Normal", "Created", `Container created`, this.#container);
    this.#host.event("Normal", "Started", `Container started`, this.#container);
    const { postStart } = this.#container.lifecycle ?? {};
    if (postStart) void this.#afterStart(running, postStart);
    else this.#prober = this.#probing(running);
    await this.#reportStart(running);
    const exit = withTerminationMessage(await running.exited, this.#container, () =>
      runtime.log(this.#host.pod().metadata?.uid ?? "", this.#container.name, { previous: false }),
    );
    this.#ended(exit, { startedAt, finishedAt: formatTime(clock.now()) }, running.id);
  }

  /** The hook goes first: the container has started, and is probed, once that has succeeded. */
  async #afterStart(running: RunningContainer, hook: LifecycleHandler): Promise<void> {
    try {
      await running.hook(hook, this.#host.signal);
      if (this.#running !== running || this.#termination.isUnderWay) return;
      this.#prober = this.#probing(running);
      this.#changed();
    } catch (error) {
      if (this.#running !== running || this.#host.signal.aborted) return;
      const message = `PostStartHook failed: ${messageOf(error)}`;
      this.#host.event("Warning", "FailedPostStartHook", message, this.#container);
      this.#restart("FailedPostStartHook");
    }
  }

  /** A kubelet looks now and then: a container that ends as it begins is never seen running. */
  async #reportStart({ exited }: RunningContainer): Promise<void> {
    let isOver = false;
    exited.then(
      () => (isOver = true),
      () => undefined,
    );
    await Promise.resolve();
    if (!isOver) this.#changed();
  }

  #ended(exit: ContainerExit, times: { startedAt: string; finishedAt: string }, id: string): void {
    this.#prober?.close();
    this.#termination.end();
    this.#running = undefined;
    this.#history.end(terminatedState(exit, times, id));
    const { restart } = this.role;
    const isForced = this.#isCondemned && restart !== "Never";
    this.#isOver =
      this.#isRetired ||
      this.#host.signal.aborted ||
      !(isForced || isToRestart(restart, this.#container, exit.exitCode));
    this.#changed();
  }

  #probing(running: RunningContainer): Prober {
    return new Prober({
      clock: this.#host.clock,
      container: this.#container,
      running,
      changed: () => this.#changed(),
      unhealthy: (message) => this.#host.event("Warning", "Unhealthy", message, this.#container),
      kill: (failed) => {
        const probe = this.#container[`${failed}Probe`];
        const grace = probe?.terminationGracePeriodSeconds;
        this.#restart(`Container ${this.#container.name} failed ${failed} probe, will be restarted`, grace);
      },
    });
  }

  #restart(why: string, graceSeconds?: number): void {
    this.#isCondemned = true;
    this.#host.event("Normal", "Killing", why, this.#container);
    const seconds = graceSeconds ?? this.#host.pod().spec?.terminationGracePeriodSeconds ?? 30;
    this.#termination.begin(this.#running, this.#container, seconds * 1000);
  }

  #wait(reason: string, message: string): void {
    this.#history.wait(reason, message);
    this.#changed();
  }

  #changed(): void {
    if (this.isStarted) this.#onStarted?.();
    this.#host.changed();
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

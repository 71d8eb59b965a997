// The life of one container of a pod: pulled, started, ready, ended, and started again as its restart policy says.
import {
  type Clock,
  type Container,
  type ContainerState,
  type ContainerStateTerminated,
  type ContainerStatus,
  formatTime,
  type Pod,
  sleep,
} from "@kubewright/api";
import {
  type ContainerExit,
  type ContainerRequest,
  type ContainerRuntime,
  ImageError,
  type RunningContainer,
} from "./container-runtime.js";
import { ReadinessProbe } from "./readiness-probe.js";

/** What a container tells the pod it belongs to. */
export interface ContainerHost {
  readonly clock: Clock;
  readonly runtime: ContainerRuntime;
  /** Ends every wait when the pod is to stop. */
  readonly signal: AbortSignal;
  /** Why the container cannot be made yet; undefined when nothing is in the way. */
  configurationProblem(container: Container): Promise<string | undefined>;
  pod(): Pod;
  changed(): void;
  event(type: "Normal" | "Warning", reason: string, message: string): void;
}

const firstBackoff = 10_000;
const longestBackoff = 300_000;
/** A container that ran this long starts its backoff afresh. */
const steadyAfter = 600_000;

export class ContainerLifecycle {
  readonly container: Container;
  readonly #host: ContainerHost;
  readonly #restart: "Always" | "OnFailure" | "Never";
  #state: ContainerState = { waiting: { reason: "ContainerCreating" } };
  #last: ContainerStateTerminated | undefined;
  #restarts = 0;
  #imageID = "";
  #running: RunningContainer | undefined;
  #probe: ReadinessProbe | undefined;

  constructor(container: Container, restart: "Always" | "OnFailure" | "Never", host: ContainerHost) {
    this.container = container;
    this.#restart = restart;
    this.#host = host;
  }

  get terminated(): ContainerStateTerminated | undefined {
    return this.#state.terminated;
  }

  get isRunning(): boolean {
    return this.#state.running !== undefined;
  }

  get isStarted(): boolean {
    return this.isRunning && this.#probe?.isStarted === true;
  }

  get isReady(): boolean {
    return this.isRunning && this.#probe?.isReady === true;
  }

  /** Waits for its turn. */
  holdBack(): void {
    this.#state = { waiting: { reason: "PodInitializing" } };
  }

  /** Runs until it ended for good, or until the pod stops. */
  async run(): Promise<void> {
    let backoff = firstBackoff;
    for (let attempt = 0; ; attempt++) {
      if (!(await this.#prepare(attempt))) return;
      const begun = this.#host.clock.monotonic();
      const exit = await this.#runOnce(attempt);
      if (this.#host.signal.aborted || !this.#isToRestart(exit)) return;
      if (this.#host.clock.monotonic() - begun > steadyAfter) backoff = firstBackoff;
      if (attempt > 0 && !(await this.#backOff(backoff))) return;
      if (attempt > 0) backoff = Math.min(backoff * 2, longestBackoff);
      this.#restarts += 1;
    }
  }

  /** Asks it to end within the grace period, in milliseconds. */
  stop(gracePeriod: number): void {
    if (!this.#running) return;
    this.#host.event("Normal", "Killing", `Stopping container ${this.container.name}`);
    this.#running.stop(gracePeriod);
  }

  close(): void {
    this.#probe?.close();
    this.#running?.stop(0);
  }

  status(): ContainerStatus {
    const { name, image = "" } = this.container;
    const ended = this.#state.terminated;
    const id = this.#running?.id ?? ended?.containerID;
    return {
      name,
      image,
      imageID: this.#imageID,
      ...(id === undefined ? {} : { containerID: id }),
      state: this.#state,
      lastState: this.#last ? { terminated: this.#last } : {},
      ready: this.isReady,
      started: this.isStarted,
      restartCount: this.#restarts,
    };
  }

  /** Gets image and configuration; false when the pod stops meanwhile. */
  async #prepare(attempt: number): Promise<boolean> {
    const request = this.#request(attempt);
    let delay = firstBackoff;
    while (!this.#host.signal.aborted) {
      const problem = await this.#pull(request);
      if (!problem) return !this.#host.signal.aborted;
      const { reason, message } = problem;
      this.#wait(reason, message);
      if (!(await this.#pause(reason === "CreateContainerConfigError" ? 1000 : delay))) return false;
      if (reason !== "ErrImagePull") continue;
      this.#host.event("Normal", "BackOff", `Back-off pulling image "${request.container.image}"`);
      this.#wait("ImagePullBackOff", `Back-off pulling image "${request.container.image}": ${message}`);
      if (!(await this.#pause(delay))) return false;
      delay = Math.min(delay * 2, longestBackoff);
    }
    return false;
  }

  async #pull(request: ContainerRequest): Promise<{ reason: string; message: string } | undefined> {
    const { image } = request.container;
    try {
      this.#imageID = await this.#host.runtime.pull(request);
    } catch (error) {
      if (!(error instanceof ImageError)) throw error;
      this.#host.event("Warning", "Failed", `Failed to pull image "${image}": ${error.message}`);
      this.#host.event("Warning", "Failed", `Error: ${error.reason}`);
      return { reason: error.reason, message: error.message };
    }
    this.#host.event("Normal", "Pulled", `Container image "${image}" already present on machine`);
    const problem = await this.#host.configurationProblem(request.container);
    if (problem === undefined) return undefined;
    this.#host.event("Warning", "Failed", `Error: ${problem}`);
    return { reason: "CreateContainerConfigError", message: problem };
  }

  async #runOnce(attempt: number): Promise<ContainerExit> {
    const { clock, runtime } = this.#host;
    const running = runtime.start(this.#request(attempt));
    const startedAt = formatTime(clock.now());
    this.#running = running;
    this.#probe = new ReadinessProbe(this.container, running, clock, () => this.#host.changed());
    this.#state = { running: { startedAt } };
    this.#host.event("Normal", "Created", `Container created`);
    this.#host.event("Normal", "Started", `Container started`);
    this.#host.changed();
    const exit = await running.exited;
    this.#probe.close();
    this.#running = undefined;
    this.#state = { terminated: terminated(exit, startedAt, formatTime(clock.now()), running.id) };
    this.#host.changed();
    return exit;
  }

  #isToRestart({ exitCode }: ContainerExit): boolean {
    return this.#restart === "Always" || (this.#restart === "OnFailure" && exitCode !== 0);
  }

  async #backOff(delay: number): Promise<boolean> {
    const { metadata } = this.#host.pod();
    const { name } = this.container;
    const pod = `${metadata?.name}_${metadata?.namespace}(${metadata?.uid})`;
    this.#host.event("Warning", "BackOff", `Back-off restarting failed container ${name} in pod ${pod}`);
    this.#wait(
      "CrashLoopBackOff",
      `back-off ${duration(delay)} restarting failed container=${name} pod=${pod}`,
    );
    return this.#pause(delay);
  }

  #wait(reason: string, message: string): void {
    this.#last = this.#state.terminated ?? this.#last;
    this.#state = { waiting: { reason, message } };
    this.#host.changed();
  }

  /** False when the pod stops meanwhile. */
  async #pause(delay: number): Promise<boolean> {
    try {
      await sleep(this.#host.clock, delay, this.#host.signal);
      return true;
    } catch {
      return false;
    }
  }

  #request(attempt: number): ContainerRequest {
    this.#last = this.#state.terminated ?? this.#last;
    return { pod: this.#host.pod(), container: this.container, attempt };
  }
}

function terminated(
  exit: ContainerExit,
  startedAt: string,
  finishedAt: string,
  id: string,
): ContainerStateTerminated {
  const { exitCode, reason = exitCode === 0 ? "Completed" : "Error", message } = exit;
  return {
    exitCode,
    reason,
    ...(message === undefined ? {} : { message }),
    startedAt,
    finishedAt,
    containerID: id,
  };
}

/** As the kubelet writes it: `10s`, `2m40s`, `5m0s`. */
function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}

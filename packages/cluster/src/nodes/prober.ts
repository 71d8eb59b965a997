// The probes of a running container: start-up first; once that succeeded, liveness and readiness. What is not probed is
// taken to be healthy.
import type { Clock, Container, Probe } from "@kubewright/api";
import type { ProbeKind, RunningContainer } from "./container-runtime.js";
import { ProbeLoop } from "./probe-loop.js";

export interface ProberOptions {
  readonly clock: Clock;
  readonly container: Container;
  readonly running: RunningContainer;
  /** Whether it is started or ready may have changed. */
  readonly changed: () => void;
  readonly unhealthy: (message: string) => void;
  /** The container must be restarted, as this probe failed. */
  readonly kill: (failed: "startup" | "liveness") => void;
}

const titles = { startup: "Startup", readiness: "Readiness", liveness: "Liveness" } as const;

export class Prober {
  readonly #options: ProberOptions;
  #startup: ProbeLoop | undefined;
  #readiness: ProbeLoop | undefined;
  #liveness: ProbeLoop | undefined;
  #isStarted = false;

  constructor(options: ProberOptions) {
    this.#options = options;
    const { running, container } = options;
    running.onChange(() => this.#look());
    this.#startup = this.#loop("startup", container.startupProbe);
    if (this.#startup) this.#startup.start();
    else this.#begin();
  }

  get isStarted(): boolean {
    return this.#isStarted;
  }

  get isReady(): boolean {
    return this.#isStarted && !this.#options.running.isHeldUnready && (this.#readiness?.isGood ?? true);
  }

  close(): void {
    for (const loop of [this.#startup, this.#readiness, this.#liveness]) loop?.close();
  }

  /** The container has started. */
  #begin(): void {
    this.#startup?.close();
    this.#startup = undefined;
    this.#isStarted = true;
    const { container } = this.#options;
    this.#readiness = this.#loop("readiness", container.readinessProbe);
    this.#liveness = this.#loop("liveness", container.livenessProbe);
    this.#readiness?.start();
    this.#liveness?.start();
  }

  #look(): void {
    for (const loop of [this.#startup, this.#readiness, this.#liveness]) loop?.look();
    this.#options.changed();
  }

  #loop(kind: ProbeKind, probe: Probe | undefined): ProbeLoop | undefined {
    if (!probe) return undefined;
    const { clock, running, container, unhealthy } = this.#options;
    const problem = portProblem(probe, container);
    if (problem !== undefined)
      unhealthy(`${titles[kind]} probe errored and resulted in unknown state: ${problem}`);
    return new ProbeLoop({
      clock,
      probe,
      problem,
      initially: kind === "startup" ? undefined : kind === "liveness",
      looksAhead: running.probesWait !== true,
      run: () => running.probe(kind),
      onFailure: (message) => unhealthy(`${titles[kind]} probe failed: ${message ?? failureOf(probe)}`),
      onResult: (isGood) => this.#onResult(kind, isGood),
    });
  }

  #onResult(kind: ProbeKind, isGood: boolean): void {
    const { changed, kill } = this.#options;
    if (kind === "startup" && isGood) this.#begin();
    else if (kind !== "readiness" && !isGood) {
      this.close();
      kill(kind);
    }
    changed();
  }
}

/** The kubelet's message for a probe of a port that the container has no name for; undefined when the port is known. */
function portProblem({ httpGet, tcpSocket }: Probe, { ports = [] }: Container): string | undefined {
  const port = httpGet?.port ?? tcpSocket?.port;
  if (typeof port !== "string" || ports.some(({ name }) => name === port) || /^\d+$/.test(port))
    return undefined;
  return `strconv.Atoi: parsing ${JSON.stringify(port)}: invalid syntax`;
}

/** The typical failure message of a probe. */
function failureOf({ httpGet, tcpSocket, grpc }: Probe): string {
  if (httpGet) return "HTTP probe failed with statuscode: 503";
  if (tcpSocket) return `dial tcp: connect: connection refused`;
  return grpc ? 'service unhealthy (responded with "NOT_SERVING")' : "command failed";
}

// Whether a running container has started and is ready: at once without probes, and else when they first succeed.
import type { Clock, Container, Probe, Timer } from "@kubewright/api";
import type { RunningContainer } from "./container-runtime.js";

export class ReadinessProbe {
  isStarted = false;
  isReady = false;
  readonly #container: Container;
  readonly #running: RunningContainer;
  readonly #clock: Clock;
  readonly #onChange: () => void;
  #timer: Timer | undefined;

  constructor(container: Container, running: RunningContainer, clock: Clock, onChange: () => void) {
    this.#container = container;
    this.#running = running;
    this.#clock = clock;
    this.#onChange = onChange;
    this.#run("startup", container.startupProbe);
  }

  close(): void {
    this.#timer?.cancel();
  }

  #run(kind: "startup" | "readiness", probe: Probe | undefined): void {
    if (probe) this.#after(probe.initialDelaySeconds ?? 0, kind, probe);
    else this.#succeed(kind);
  }

  #after(seconds: number, kind: "startup" | "readiness", probe: Probe): void {
    if (seconds === 0) this.#try(kind, probe);
    else this.#timer = this.#clock.setTimer(seconds * 1000, () => this.#try(kind, probe));
  }

  #try(kind: "startup" | "readiness", probe: Probe): void {
    if (this.#running.probe(kind)) this.#succeed(kind);
    else this.#after(probe.periodSeconds ?? 10, kind, probe);
  }

  #succeed(kind: "startup" | "readiness"): void {
    if (kind === "readiness") this.isReady = true;
    else {
      this.isStarted = true;
      this.#run("readiness", this.#container.readinessProbe);
    }
    this.#onChange();
  }
}

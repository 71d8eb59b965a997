// How a container is asked to end: its last hook runs first, as far as the grace period lets it.
import type { Clock, Container, Timer } from "@kubewright/api";
import type { RunningContainer } from "./container-runtime.js";
import { scriptOf, scriptTime } from "./simulated-script.js";

/** What is left for the container itself when the hook took it all. */
const leastGrace = 2000;

export class ContainerTermination {
  readonly #clock: Clock;
  #hook: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The hook runs. */
  get isUnderWay(): boolean {
    return this.#hook !== undefined;
  }

  /** Asks it to end within the grace period, in milliseconds. */
  begin(running: RunningContainer | undefined, container: Container, gracePeriod: number): void {
    const hook = Math.min(hookTime(container), gracePeriod);
    if (hook === 0) running?.stop(gracePeriod);
    else
      this.#hook = this.#clock.setTimer(hook, () => running?.stop(Math.max(leastGrace, gracePeriod - hook)));
  }

  /** It ended, or is given up. */
  end(): void {
    this.#hook?.cancel();
    this.#hook = undefined;
  }
}

function hookTime({ lifecycle }: Container): number {
  const { sleep, exec } = lifecycle?.preStop ?? {};
  if (sleep) return sleep.seconds * 1000;
  return exec?.command ? scriptTime(scriptOf({ name: "", command: exec.command })) : 0;
}

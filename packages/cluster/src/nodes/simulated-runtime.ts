// Containers without containers: outcomes follow from what the pod says. Long-running containers run, simple commands end
// as they would, and images whose name says so cannot be pulled.
import type { Clock, Timer } from "@kubewright/api";
import {
  type ContainerExit,
  type ContainerRequest,
  type ContainerRuntime,
  ImageError,
  type LogLine,
  type RunningContainer,
} from "./container-runtime.js";
import { type ScriptStep, scriptOf } from "./simulated-script.js";

export interface SimulatedRuntimeOptions {
  readonly clock: Clock;
  readonly random: () => number;
}

const missingImage = /(does-?not-?exist|non-?existent|no-such-image|missing-image)/i;
const reference = /^[a-z0-9]([a-zA-Z0-9._:/@-]*[a-zA-Z0-9])?$/;

interface Runs {
  current: LogLine[];
  previous: LogLine[];
}

export class SimulatedRuntime implements ContainerRuntime {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #logs = new Map<string, Map<string, Runs>>();

  constructor({ clock, random }: SimulatedRuntimeOptions) {
    this.#clock = clock;
    this.#random = random;
  }

  async pull({ container: { image = "", imagePullPolicy } }: ContainerRequest): Promise<string> {
    if (!reference.test(image))
      throw new ImageError(
        "InvalidImageName",
        `Failed to apply default image tag "${image}": couldn't parse image name`,
      );
    if (missingImage.test(image)) {
      if (imagePullPolicy === "Never")
        throw new ImageError(
          "ErrImageNeverPull",
          `Container image "${image}" is not present with pull policy of Never`,
        );
      throw new ImageError(
        "ErrImagePull",
        `failed to pull and unpack image "${image}": failed to resolve reference "${image}": not found`,
      );
    }
    return `${image.split("@")[0]}@sha256:${digest(image)}`;
  }

  start(request: ContainerRequest): RunningContainer {
    const { pod, container } = request;
    const lines = this.#beginLog(pod.metadata?.uid ?? "", container.name);
    const print = (text: string): void => {
      if (lines.length < 10_000) lines.push({ at: this.#clock.now(), text });
    };
    return new SimulatedContainer(this.#clock, `simulated://${this.#hex(64)}`, scriptOf(container), print);
  }

  logs(podUid: string, container: string, { previous }: { readonly previous: boolean }): readonly LogLine[] {
    const runs = this.#logs.get(podUid)?.get(container);
    return (previous ? runs?.previous : runs?.current) ?? [];
  }

  forget(podUid: string): void {
    this.#logs.delete(podUid);
  }

  #beginLog(uid: string, container: string): LogLine[] {
    const pod = this.#logs.get(uid) ?? new Map<string, Runs>();
    this.#logs.set(uid, pod);
    const runs: Runs = { current: [], previous: pod.get(container)?.current ?? [] };
    pod.set(container, runs);
    return runs.current;
  }

  #hex(length: number): string {
    let text = "";
    while (text.length < length)
      text += Math.floor(this.#random() * 0x1_0000_0000)
        .toString(16)
        .padStart(8, "0");
    return text;
  }
}

class SimulatedContainer implements RunningContainer {
  readonly id: string;
  readonly exited: Promise<ContainerExit>;
  readonly #clock: Clock;
  readonly #print: (text: string) => void;
  #exit: (exit: ContainerExit) => void = () => undefined;
  #timer: Timer | undefined;
  #isOver = false;

  constructor(clock: Clock, id: string, steps: readonly ScriptStep[], print: (text: string) => void) {
    this.id = id;
    this.#clock = clock;
    this.#print = print;
    this.exited = new Promise((resolve) => {
      this.#exit = resolve;
    });
    this.#run(steps);
  }

  probe(): boolean {
    return !this.#isOver;
  }

  /** Servers end well as soon as they are asked to; what is in the middle of something is killed. */
  stop(): void {
    this.#end({ exitCode: this.#timer ? 137 : 0 });
  }

  #run([step, ...rest]: readonly ScriptStep[]): void {
    if (!step || this.#isOver || step.does === "serve") return;
    if (step.does === "exit") {
      this.#end({ exitCode: step.code });
    } else if (step.does === "sleep") {
      this.#timer = this.#clock.setTimer(step.milliseconds, () => this.#run(rest));
    } else {
      this.#print(step.text);
      this.#run(rest);
    }
  }

  #end(exit: ContainerExit): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#timer?.cancel();
    this.#exit(exit);
  }
}

/** The same image always has the same identity: FNV-1a, stretched to the length of a digest. */
function digest(image: string): string {
  let text = "";
  for (let round = 0; text.length < 64; round++) {
    let hash = 0x811c9dc5 ^ round;
    for (let at = 0; at < image.length; at++) hash = Math.imul(hash ^ image.charCodeAt(at), 0x01000193);
    text += (hash >>> 0).toString(16).padStart(8, "0");
  }
  return text;
}

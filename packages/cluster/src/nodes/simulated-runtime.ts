// Containers without containers: outcomes follow from what the pod says, and from rules. Long-running containers run,
// simple commands end as they would, and images whose name says so cannot be pulled.
import { type Clock, type Pod, sleep } from "@kubewright/api";
import type {
  ContainerLog,
  ContainerRequest,
  ContainerRuntime,
  ContainerUsage,
  PulledImage,
} from "./container-runtime.js";
import { ImageStore } from "./image-store.js";
import type { ExecCall, PortCall } from "./rules/rule.js";
import { RuleSet, spentKey } from "./rules/rule-set.js";
import { SimulatedContainer } from "./simulated-container.js";
import { SimulatedLog } from "./simulated-log.js";
import { scriptOf } from "./simulated-script.js";
import { answerHttp } from "./streaming/default-port.js";
import { runProgram } from "./streaming/simulated-programs.js";

export interface SimulatedRuntimeOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** None by default. */
  readonly rules?: RuleSet | undefined;
}

/** What a container uses of which no rule speaks. */
const idle = { cpu: 0.001, memory: 8 * 1024 * 1024 };

interface Runs {
  current: SimulatedContainer;
  previous: SimulatedLog | undefined;
}

export class SimulatedRuntime implements ContainerRuntime {
  readonly rules: RuleSet;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #images = new ImageStore();
  /** By uid of the pod, then by name of the container. */
  readonly #pods = new Map<string, Map<string, Runs>>();

  constructor({ clock, random, rules = new RuleSet() }: SimulatedRuntimeOptions) {
    this.#clock = clock;
    this.#random = random;
    this.rules = rules;
    rules.onChange(() => this.#reconsider());
  }

  hasImage(request: ContainerRequest): boolean {
    return this.#images.find(request) !== undefined && this.rules.effectsOn(request).pullError === undefined;
  }

  async pull(request: ContainerRequest, signal: AbortSignal): Promise<PulledImage> {
    const { pullError, pullTime = 0 } = this.rules.effectsOn(request);
    const present = pullError === undefined ? this.#images.find(request) : undefined;
    if (present) return present;
    const isHere = this.#images.has(request.pod.spec?.nodeName ?? "", request.container.image ?? "");
    if (pullTime > 0 && !isHere) await sleep(this.#clock, pullTime, signal);
    return { ...this.#images.pull(request, pullError), wasPresent: false };
  }

  async start(request: ContainerRequest, signal: AbortSignal): Promise<SimulatedContainer> {
    const { startLatency = 0 } = this.rules.effectsOn(request);
    if (startLatency > 0) await sleep(this.#clock, startLatency, signal);
    const { pod, container } = request;
    const running = new SimulatedContainer({
      clock: this.#clock,
      id: `simulated://${this.#hex(64)}`,
      steps: scriptOf(container),
      log: new SimulatedLog(this.#clock),
      effects: () => this.rules.effectsOn(request),
      spend: ({ spent }) => spent.set(spentKey(request), (spent.get(spentKey(request)) ?? 0) + 1),
    });
    this.#remember(pod.metadata?.uid ?? "", container.name, running);
    return running;
  }

  log(
    podUid: string,
    container: string,
    { previous }: { readonly previous: boolean },
  ): ContainerLog | undefined {
    const runs = this.#pods.get(podUid)?.get(container);
    return previous ? runs?.previous : runs?.current.log;
  }

  async exec(call: ExecCall): Promise<number> {
    const container = call.pod.spec?.containers.find(({ name }) => name === call.container);
    const { exec } = this.rules.effectsOn({
      pod: call.pod,
      container: container ?? { name: call.container },
    });
    const code = await exec?.(call);
    if (code !== undefined) return code;
    if (call.command.length > 0) return runProgram(call.command, call, this.#clock);
    return this.#attach(call);
  }

  async connect(call: PortCall): Promise<void> {
    const { portForward = answerHttp } = this.rules.effectsOn({ pod: call.pod });
    await portForward(call);
  }

  usage(pod: Pod): readonly ContainerUsage[] {
    const used: ContainerUsage[] = [];
    for (const [container, { current }] of this.#pods.get(pod.metadata?.uid ?? "") ?? []) {
      if (current.log.isOver) continue;
      const { cpu = idle.cpu, memory = idle.memory } = current.usage() ?? {};
      used.push({ container, cpu, memory });
    }
    return used;
  }

  eviction(pod: Pod): { readonly after: number; readonly message: string } | undefined {
    return this.rules.effectsOn({ pod }).evict;
  }

  onChange(listener: () => void): () => void {
    return this.rules.onChange(listener);
  }

  images(node: string): readonly { readonly name: string; readonly image: PulledImage }[] {
    return this.#images.on(node);
  }

  forget(podUid: string): void {
    this.#pods.delete(podUid);
    this.rules.forget(podUid);
  }

  /** Whoever joins a container sees what it writes from then on. */
  async #attach({ pod, container, stdout, signal }: ExecCall): Promise<number> {
    const log = this.log(pod.metadata?.uid ?? "", container, { previous: false });
    let next = log?.read(0).next ?? 0;
    while (log && !log.isOver && !signal.aborted) {
      await log.more(signal);
      const written = log.read(next);
      next = written.next;
      await stdout(written.lines.map(({ text }) => `${text}\n`).join(""));
    }
    return 0;
  }

  #remember(uid: string, container: string, current: SimulatedContainer): void {
    let pod = this.#pods.get(uid);
    if (!pod) {
      pod = new Map();
      this.#pods.set(uid, pod);
    }
    pod.set(container, { current, previous: pod.get(container)?.current.log });
  }

  #reconsider(): void {
    for (const pod of this.#pods.values()) for (const { current } of pod.values()) current.reconsider();
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

// Containers without containers: outcomes follow from what the pod says, and from rules. Long-running containers run,
// simple commands end as they would, and images whose name says so cannot be pulled.
import type { Duplex } from "node:stream";
import { type Clock, flatText, type Pod, sleep } from "@kubewright/api";
import type { PortTarget } from "@kubewright/apiserver";
import type {
  ContainerLog,
  ContainerRequest,
  ContainerRuntime,
  ContainerUsage,
  PulledImage,
} from "./container-runtime.js";
import { referenceExpander } from "./expand-references.js";
import { ImageStore } from "./image-store.js";
import type { ExecCall, ExecRequest, PortCall } from "./rules/rule.js";
import { RuleSet, type RuleSubject, spentKey } from "./rules/rule-set.js";
import { commandOf } from "./shell/container-command.js";
import { VolumeFiles } from "./shell/file-tree.js";
import { hasExecProbe, SimulatedContainer } from "./simulated-container.js";
import { SimulatedLog } from "./simulated-log.js";
import { hostnameOf, SimulatedVolumes, type Surroundings } from "./simulated-volumes.js";
import { answerHttp } from "./streaming/default-port.js";
import { portDuplex } from "./streaming/port-duplex.js";
import { execProgram } from "./streaming/simulated-exec.js";

/** Options of the simulated runtime. */
export interface SimulatedRuntimeOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** None by default. */
  readonly rules?: RuleSet | undefined;
}

/** The usage of a container without a rule. */
const idle = { cpu: 0.001, memory: 8 * 1024 * 1024 };

interface Runs {
  readonly request: ContainerRequest;
  readonly current: SimulatedContainer;
  /** Its files outside of volumes. */
  readonly files: VolumeFiles;
  readonly previous: SimulatedLog | undefined;
}

/** The runtime that simulates containers by rules. */
export class SimulatedRuntime implements ContainerRuntime {
  readonly rules: RuleSet;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #images = new ImageStore();
  readonly #volumes = new SimulatedVolumes();
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
    const { startLatency = 0, serves, files: given } = this.rules.effectsOn(request);
    if (startLatency > 0) await sleep(this.#clock, startLatency, signal);
    const { pod, container } = request;
    const said = commandOf(container);
    const files = new VolumeFiles();
    for (const [path, content] of Object.entries(given ?? {})) files.set(path.slice(1), Buffer.from(content));
    const surroundings =
      serves !== undefined || Array.isArray(said) || hasExecProbe(container) || container.lifecycle
        ? await this.#volumes.surroundings(request, files)
        : undefined;
    const running = new SimulatedContainer({
      clock: this.#clock,
      id: `simulated://${this.#hex(64)}`,
      container,
      command: typeof said === "string" ? said : withVariables(said, surroundings),
      hostname: hostnameOf(pod),
      podIP: request.node.podIP,
      surroundings,
      log: new SimulatedLog(this.#clock),
      effects: () => this.rules.effectsOn(request),
      spend: ({ spent }) => spent.set(spentKey(request), (spent.get(spentKey(request)) ?? 0) + 1),
    });
    this.#remember(request, running, files);
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

  async exec(request: ExecRequest): Promise<number> {
    const runs = this.#pods.get(request.pod.metadata?.uid ?? "")?.get(request.container);
    if (!runs) throw new Error(`container ${request.container} does not run`);
    const current = asItIs(runs.request, request.pod);
    const found = (): Promise<Surroundings> =>
      this.#volumes.surroundings(current, runs.files, { withTokens: true });
    const call: ExecCall = {
      ...request,
      environment: async () => Object.fromEntries((await found()).variables),
      readFile: async (path) => (await found()).files.read(path),
      listFiles: async (path) => (await found()).files.list(path),
    };
    const code = await this.rules.effectsOn(runs.request).exec?.(call);
    if (code !== undefined) return code;
    if (request.command.length > 0) return execProgram(request, await found(), this.#clock);
    return this.#attach(request);
  }

  async connect(call: PortCall): Promise<void> {
    const { portForward, answers } = this.rules.effectsOn(serverAt(call));
    await (portForward ? portForward(call) : answerHttp(call, answers));
  }

  async dial({ pod, port }: PortTarget): Promise<Duplex | undefined> {
    const runs = this.#pods.get(pod?.metadata?.uid ?? "");
    if (!pod || ![...(runs?.values() ?? [])].some(({ current }) => !current.log.isOver)) return undefined;
    return portDuplex(port, (connection) => this.connect({ ...connection, pod }));
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
    this.#volumes.forget(podUid);
    this.rules.forget(podUid);
  }

  /** An attached client sees the output of the container from then on. */
  async #attach({ pod, container, stdout, signal }: ExecRequest): Promise<number> {
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

  #remember(request: ContainerRequest, current: SimulatedContainer, files: VolumeFiles): void {
    const uid = request.pod.metadata?.uid ?? "";
    let pod = this.#pods.get(uid);
    if (!pod) {
      pod = new Map();
      this.#pods.set(uid, pod);
    }
    const { name } = request.container;
    pod.set(name, { request, current, files, previous: pod.get(name)?.current.log });
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
    return flatText(text);
  }
}

/** Kubelets put variables into commands as they do into values. */
const withVariables = (
  words: readonly string[],
  surroundings: Surroundings | undefined,
): readonly string[] => (surroundings ? words.map(referenceExpander(surroundings.variables)) : words);

/** The container that listens on a port: the one that declares it, or the only one. */
function serverAt({ pod, port }: Pick<PortCall, "pod" | "port">): RuleSubject {
  const all = pod.spec?.containers ?? [];
  const declaring = all.find(({ ports = [] }) => ports.some(({ containerPort }) => containerPort === port));
  return { pod, container: declaring ?? (all.length === 1 ? all[0] : undefined) };
}

/** The container with what it may use now: that changes while it runs. */
function asItIs(request: ContainerRequest, pod: Pod): ContainerRequest {
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  const now = [...containers, ...initContainers].find(({ name }) => name === request.container.name);
  return now ? { ...request, container: { ...request.container, resources: now.resources } } : request;
}

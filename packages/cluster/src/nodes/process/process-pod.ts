// A pod that has processes on this machine: its place, its folder, and the runs of its containers.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { KubeObject, Pod, Timer } from "@kubewright/api";
import type { ContainerRequest, ContainerUsage } from "../container-runtime.js";
import { hostsFile } from "../hosts-file.js";
import type { ImageProgram } from "./image-map.js";
import { clusterHosts, resolverFile } from "./name-files.js";
import type { NodeMachine } from "./node-machine.js";
import { PodDirectory } from "./pod-directory.js";
import { PodSandbox } from "./pod-sandbox.js";
import type { ProcessContainer } from "./process-container.js";
import type { RecordedLog } from "./recorded-log.js";
import { startContainer } from "./start-container.js";

interface Runs {
  readonly current: ProcessContainer;
  readonly previous: RecordedLog | undefined;
}

/** When tokens that could not be renewed are tried again, in milliseconds. */
const renewalRetry = 10_000;

export class ProcessPod {
  readonly #machine: NodeMachine;
  readonly #sandbox: Promise<PodSandbox>;
  readonly #folder: PodDirectory;
  /** The folder, when its volumes are filled. */
  readonly #directory: Promise<PodDirectory>;
  readonly #runs = new Map<string, Runs>();
  #pod: Pod;
  #tokens: Timer | undefined;
  #isClosed = false;

  /** Makes the place of a pod, once for all of its containers; `volumes` is where volumes are that outlive pods. */
  constructor({ pod, node }: ContainerRequest, machine: NodeMachine, volumes: string) {
    this.#pod = pod;
    this.#machine = machine;
    const { isolation, network, state } = machine;
    const seen = machine.asSeenInside(node);
    const name = `${pod.metadata?.uid}-${machine.nextId()}`;
    const directory = new PodDirectory(pod, {
      path: join(state.path, "pods", name),
      memory: join(state.memory, name),
      volumes,
      node: seen,
      otherUsers: isolation.otherUsers,
      hosts: () => `${hostsFile(this.#pod, seen.podIP)}${clusterNames(this.#pod, machine)}`,
      resolver: isolation.network === "bridge" ? resolverFile(pod) : resolverOfMachine(),
    });
    this.#sandbox = PodSandbox.open(pod, node.podIP, isolation, network);
    this.#folder = directory;
    this.#directory = directory.fill().then(() => directory);
    this.#directory.then(() => this.#renewTokens(directory)).catch(() => undefined);
  }

  /** Resolves when containers can be started, and rejects when the place could not be made. */
  async made(): Promise<void> {
    await Promise.all([this.#sandbox, this.#directory]);
  }

  async start(request: ContainerRequest, program: ImageProgram): Promise<ProcessContainer> {
    this.#pod = request.pod;
    const [sandbox, directory] = await Promise.all([
      this.#sandbox,
      this.#directory,
      this.#machine.networkReady(),
    ]);
    const current = await startContainer(request, program, { sandbox, directory }, this.#machine);
    const { name } = request.container;
    this.#runs.set(name, { current, previous: this.#runs.get(name)?.current.log });
    return current;
  }

  /** The run of a container, and the log of the one before. */
  runOf(container: string): Runs | undefined {
    return this.#runs.get(container);
  }

  usage(): readonly ContainerUsage[] {
    return [...this.#runs]
      .filter(([, { current }]) => current.isRunning)
      .map(([container, { current }]) => ({ container, ...current.usage() }));
  }

  /** The number that this machine knows its place by. */
  async pid(): Promise<number> {
    return (await this.#sandbox).pid;
  }

  /** The pod changed: files that show labels or annotations follow. */
  change(pod: Pod): void {
    const { metadata: before } = this.#pod;
    this.#pod = pod;
    if (before?.labels !== pod.metadata?.labels || before?.annotations !== pod.metadata?.annotations)
      void this.refresh();
  }

  /** Whether a volume names the object. */
  uses({ metadata }: KubeObject): boolean {
    return (
      this.#pod.metadata?.namespace === metadata?.namespace &&
      JSON.stringify(this.#pod.spec?.volumes ?? []).includes(`"${metadata?.name}"`)
    );
  }

  /** Fills the volumes again whose content comes from the API. */
  refresh(): Promise<boolean> {
    return this.#inDirectory((directory) => directory.refresh(this.#pod));
  }

  refreshHosts(): Promise<boolean> {
    return this.#inDirectory((directory) => directory.refreshHosts());
  }

  /** Ends its processes, and takes its folder away. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#tokens?.cancel();
    const running = [...this.#runs.values()].map(({ current }) => current);
    for (const each of running) each.stop(0);
    await Promise.all(running.map(({ exited }) => exited));
    await this.#sandbox.then(
      (sandbox) => sandbox.close(),
      () => undefined,
    );
    await this.#directory.catch(() => undefined);
    this.#folder.remove();
  }

  /** Whether it worked; what did not is reported. */
  async #inDirectory(work: (directory: PodDirectory) => void | Promise<void>): Promise<boolean> {
    try {
      const directory = await this.#directory;
      if (!this.#isClosed) await work(directory);
      return true;
    } catch (error) {
      this.#machine.environment.report(`files of pod ${this.#pod.metadata?.name}`, error);
      return false;
    }
  }

  /** Fills the volumes again before tokens in them expire, and sooner again when that did not work. */
  #renewTokens(directory: PodDirectory, after = directory.tokensFor): void {
    if (after === undefined || this.#isClosed) return;
    this.#tokens = this.#machine.environment.clock.setTimer(after, () => {
      void this.refresh().then((isDone) =>
        this.#renewTokens(directory, isDone ? directory.tokensFor : renewalRetry),
      );
    });
  }
}

/** Pods without a network of their own have no name server of the cluster. */
const clusterNames = ({ metadata }: Pod, { names }: NodeMachine): string =>
  names ? clusterHosts(names, metadata?.namespace ?? "") : "";

/** Pods without a network of their own ask whom this machine asks. */
function resolverOfMachine(): string {
  try {
    return readFileSync("/etc/resolv.conf", "utf8");
  } catch {
    return "";
  }
}

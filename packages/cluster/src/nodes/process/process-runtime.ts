// Containers as processes of this machine: images stand for programs by a map, pods are kept apart by namespaces of Linux. What is
// not in the map is simulated.
import { existsSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import {
  Amount,
  ConfigMap,
  type Container,
  type KubeObject,
  PersistentVolume,
  type Pod,
  Secret,
  type Timer,
} from "@kubewright/api";
import type { Address, PortTarget, ServiceResolver } from "@kubewright/apiserver";
import type { InformerLease } from "@kubewright/runtime";
import { containerEnvironment, expandReferences } from "../container-environment.js";
import type {
  ContainerLog,
  ContainerRequest,
  ContainerRuntime,
  ContainerUsage,
  PulledImage,
  RunningContainer,
  RuntimeEnvironment,
} from "../container-runtime.js";
import type { ExecRequest, PortCall } from "../rules/rule.js";
import { linkedServices, serviceVariables } from "../service-variables.js";
import { SimulatedRuntime } from "../simulated-runtime.js";
import { join as joinSockets } from "./agent/service-proxy.js";
import { ClusterNetwork } from "./cluster-network.js";
import { privilegesOf } from "./container-privileges.js";
import { ContainerProcess } from "./container-process.js";
import { containerScript, findRootEntries, type RootEntry } from "./container-root.js";
import { forwardPort } from "./forward-port.js";
import { builtInImages, ImageMap, type ImageProgram } from "./image-map.js";
import { findIsolation, type Isolation, type IsolationOptions, ProcessNodesError } from "./machine.js";
import { findMemoryControl, type MemoryControl, MemoryGroup } from "./memory-limit.js";
import { NodeNetwork } from "./node-network.js";
import { PodDirectory } from "./pod-directory.js";
import { PodSandbox } from "./pod-sandbox.js";
import { ProcessContainer } from "./process-container.js";
import { RecordedLog } from "./recorded-log.js";
import { StateDirectory } from "./state-directory.js";

export interface ProcessRuntimeOptions extends IsolationOptions {
  /** The programs that stand for images, besides the built-in ones, which they override. */
  readonly images?: readonly ImageProgram[] | undefined;
  /** The built-in images that are used, by name. Default: all whose program is on the path. */
  readonly builtIns?: readonly string[] | undefined;
  /** Where volumes are kept that outlive pods. Default: they go with the cluster. */
  readonly volumes?: string | undefined;
  /** The program that runs in the network of the nodes. Default: the one of this package. */
  readonly agent?: string | undefined;
}

/** A pod that has processes here. */
interface ProcessPod {
  readonly sandbox: Promise<PodSandbox>;
  readonly directory: Promise<PodDirectory>;
  pod: Pod;
  readonly runs: Map<string, { current: ProcessContainer; previous: RecordedLog | undefined }>;
  tokens: Timer | undefined;
}

interface Open {
  readonly environment: RuntimeEnvironment;
  readonly isolation: Isolation;
  readonly entries: readonly RootEntry[];
  readonly state: StateDirectory;
  readonly network: NodeNetwork;
  readonly cluster: ClusterNetwork;
  readonly memory: MemoryControl;
  readonly simulated: SimulatedRuntime;
  readonly leases: readonly InformerLease<KubeObject>[];
  readonly unsubscribe: readonly (() => void)[];
}

const searchPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * Runs containers as processes of this machine.
 *
 * @example
 * const runtime = new ProcessRuntime({ images: [{ image: "etcd", programs: { etcd: "/opt/etcd/etcd" }, command: ["etcd"] }] });
 * await using cluster = await startCluster({ runtime });
 */
export class ProcessRuntime implements ContainerRuntime {
  readonly version = "process://1.0";
  readonly #options: ProcessRuntimeOptions;
  readonly #images: ImageMap;
  readonly #pods = new Map<string, ProcessPod>();
  readonly #closing = new Set<Promise<void>>();
  /** Where the API server reaches pods, by address and port. */
  readonly #doors = new Map<string, { readonly server: Server; readonly address: Promise<Address> }>();
  #open: Open | undefined;
  #nextId = 0;

  constructor(options: ProcessRuntimeOptions = {}) {
    this.#options = options;
    this.#images = new ImageMap([
      ...builtInImages(options.path, options.builtIns),
      ...(options.images ?? []),
    ]);
  }

  /** How pods are kept apart on this machine, one property a line; empty before the nodes are there. */
  get isolation(): readonly string[] {
    if (!this.#open) return [];
    const { isolation, memory, entries } = this.#open;
    const bare = entries
      .filter(({ link, isLayered }) => link === undefined && !isLayered)
      .map(({ name }) => `/${name}`);
    return [
      `privileges: ${isolation.userNamespace ? "a user namespace of this user" : "root"}`,
      "namespaces: mount, pid, uts, ipc, net (pods on a bridge in a network namespace of the nodes)",
      `files: layers in memory over the folders of this machine${bare.length > 0 ? `, except ${bare.join(", ")}` : ""}`,
      memory.version === 0
        ? `memory limits: not enforced (${memory.why})`
        : `memory limits: control groups, version ${memory.version}`,
      `other users (runAsUser): ${isolation.otherUsers ? "yes" : "no, needs root"}`,
    ];
  }

  async open(environment: RuntimeEnvironment): Promise<void> {
    const { clock, random, rules, pool, report } = environment;
    const isolation = await findIsolation(this.#options);
    const state = new StateDirectory();
    const entries = await findRootEntries(isolation, join(state.path, "root"));
    const memory = findMemoryControl(state.id);
    if (memory.version !== 0) state.noteGroup(memory.parent);
    const script = this.#options.agent ?? agentScript();
    const network = await NodeNetwork.open(isolation, script, {
      onEnd: (why) => report("process nodes", new Error(why)),
      report: (line) => report("process nodes", new Error(line)),
    }).catch((error: unknown) => {
      state.remove();
      throw error;
    });
    const cluster = new ClusterNetwork(pool, clock, ({ ports, names }) => network.update(ports, names));
    const simulated = new SimulatedRuntime({ clock, random, rules });
    const volumes = pool.acquire(PersistentVolume);
    const maps = pool.acquire(ConfigMap);
    const secrets = pool.acquire(Secret);
    const data = (object: KubeObject | undefined): void => this.#dataChanged(object);
    const unsubscribe = [
      volumes.informer.onChange(({ previous, current }) => {
        if (previous && !current) this.#volumeGone(previous);
      }),
      maps.informer.onChange(({ current, previous }) => data(current ?? previous)),
      secrets.informer.onChange(({ current, previous }) => data(current ?? previous)),
    ];
    const leases = [volumes, maps, secrets] as unknown as readonly InformerLease<KubeObject>[];
    this.#open = {
      environment,
      isolation,
      entries,
      state,
      network,
      cluster,
      memory,
      simulated,
      leases,
      unsubscribe,
    };
  }

  async close(): Promise<void> {
    if (!this.#open) return;
    const { network, cluster, state, leases, unsubscribe } = this.#open;
    for (const stop of unsubscribe) stop();
    for (const uid of [...this.#pods.keys()]) this.forget(uid);
    for (const { server } of this.#doors.values()) server.close();
    await Promise.all(this.#closing);
    await cluster.close();
    await network.close();
    await Promise.all(leases.map((lease) => lease.release()));
    state.remove();
    this.#open = undefined;
  }

  hasImage(request: ContainerRequest): boolean {
    return this.#programOf(request.container) !== undefined || this.#opened().simulated.hasImage(request);
  }

  async pull(request: ContainerRequest, signal: AbortSignal): Promise<PulledImage> {
    const { image = "" } = request.container;
    if (this.#programOf(request.container)) return { id: `process://${image}`, wasPresent: true, bytes: 0 };
    request.node.event(
      "Normal",
      "Simulated",
      `No program of this machine stands for image "${image}": the container is simulated`,
    );
    return this.#opened().simulated.pull(request, signal);
  }

  async start(request: ContainerRequest, signal: AbortSignal): Promise<RunningContainer> {
    const program = this.#programOf(request.container);
    if (!program) return this.#opened().simulated.start(request, signal);
    const { pod, container } = request;
    const uid = pod.metadata?.uid ?? "";
    const place = this.#pods.get(uid) ?? this.#place(request);
    place.pod = pod;
    const running = await this.#startIn(place, request, program);
    if (signal.aborted) running.stop(0);
    place.runs.set(container.name, {
      current: running,
      previous: place.runs.get(container.name)?.current.log,
    });
    return running;
  }

  log(podUid: string, container: string, options: { readonly previous: boolean }): ContainerLog | undefined {
    const runs = this.#pods.get(podUid)?.runs.get(container);
    if (!runs) return this.#opened().simulated.log(podUid, container, options);
    return options.previous ? runs.previous : runs.current.log;
  }

  async exec(call: ExecRequest): Promise<number> {
    const runs = this.#pods.get(call.pod.metadata?.uid ?? "")?.runs.get(call.container);
    return runs ? runs.current.exec(call) : this.#opened().simulated.exec(call);
  }

  async connect(call: PortCall): Promise<void> {
    const { network, simulated, isolation } = this.#opened();
    const place = this.#pods.get(call.pod.metadata?.uid ?? "");
    if (!place) return simulated.connect(call);
    const { pid } = await place.sandbox;
    await forwardPort(call, { network, isolation, pid });
  }

  async dial(target: PortTarget): Promise<Duplex | undefined> {
    const { network, simulated } = this.#opened();
    const { pod, address, port } = target;
    if (pod && !this.#pods.has(pod.metadata?.uid ?? "")) return simulated.dial(target);
    return network.connect(address, port);
  }

  usage(pod: Pod): readonly ContainerUsage[] {
    const runs =
      this.#pods.get(pod.metadata?.uid ?? "")?.runs ?? new Map<string, { current: ProcessContainer }>();
    const own = [...runs].filter(([, { current }]) => current.isRunning);
    return [
      ...own.map(([container, { current }]) => ({ container, ...current.usage() })),
      ...this.#opened().simulated.usage(pod),
    ];
  }

  eviction(pod: Pod): { readonly after: number; readonly message: string } | undefined {
    return this.#opened().simulated.eviction(pod);
  }

  podChanged(pod: Pod): void {
    const place = this.#pods.get(pod.metadata?.uid ?? "");
    if (!place || place.pod.metadata?.resourceVersion === pod.metadata?.resourceVersion) return;
    const isOther =
      place.pod.metadata?.labels !== pod.metadata?.labels ||
      place.pod.metadata?.annotations !== pod.metadata?.annotations;
    place.pod = pod;
    if (isOther) this.#refresh(place);
  }

  /** The pod is gone: its processes end, and its folder goes. */
  forget(podUid: string): void {
    this.#open?.simulated.forget(podUid);
    const place = this.#pods.get(podUid);
    if (!place) return;
    this.#pods.delete(podUid);
    const closed = this.#leave(place)
      .catch((error: unknown) => this.#open?.environment.report("a pod that is gone", error))
      .finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }

  /** The API server reaches pods by a port of this machine that leads to them, and to nobody else. */
  readonly resolveService: ServiceResolver = async ({ namespace, name, port = 443 }) => {
    const targets = this.#open?.cluster.targetsOf(namespace, name, port) ?? [];
    const target = targets[Math.floor((this.#open?.environment.random() ?? 0) * targets.length)];
    if (!target) return undefined;
    if (target.isOutside) return { host: target.address, port: target.port };
    return this.#door(target.address, target.port);
  };

  #opened(): Open {
    if (!this.#open) throw new ProcessNodesError("the process nodes are not there yet, or no longer");
    return this.#open;
  }

  #programOf({ image = "" }: Container): ImageProgram | undefined {
    return this.#images.find(image);
  }

  /** Makes the place of a pod, once for all of its containers. */
  #place({ pod, node }: ContainerRequest): ProcessPod {
    const { isolation, network, state } = this.#opened();
    const uid = pod.metadata?.uid ?? "";
    const directory = new PodDirectory(pod, {
      path: join(state.path, "pods", uid),
      volumes: this.#options.volumes ?? join(state.path, "volumes"),
      node,
      otherUsers: isolation.otherUsers,
    });
    const place: ProcessPod = {
      pod,
      runs: new Map(),
      tokens: undefined,
      sandbox: PodSandbox.open(pod, node.podIP, isolation, network),
      directory: directory.fill().then(() => directory),
    };
    for (const made of [place.sandbox, place.directory]) made.catch(() => this.#pods.delete(uid));
    place.directory.then(() => this.#renewTokens(place, directory)).catch(() => undefined);
    this.#pods.set(uid, place);
    return place;
  }

  async #startIn(
    place: ProcessPod,
    request: ContainerRequest,
    program: ImageProgram,
  ): Promise<ProcessContainer> {
    const { isolation, network, state, entries, environment, memory } = this.#opened();
    const { pod, container, node } = request;
    const [sandbox, directory] = await Promise.all([place.sandbox, place.directory]);
    const env = await this.#environment(request, program);
    const { flags: privileges, ignored } = privilegesOf(pod, container, isolation);
    if (ignored !== undefined) node.event("Warning", "IgnoredSecurityContext", ignored);
    const workingDir = container.workingDir || program.workingDir || "/";
    const group = this.#limit(request, memory);
    const log = new RecordedLog(() => environment.clock.now());
    const words = [
      ...(container.command ?? program.entrypoint ?? []),
      ...(container.args ?? (container.command ? [] : (program.command ?? []))),
    ].map((word) => expandReferences(word, env));
    const process = await ContainerProcess.start({
      isolation,
      network,
      sandbox,
      env: Object.fromEntries(env),
      hasInput: container.stdin === true,
      onOutput: (stream, bytes) => log.write(stream, bytes),
      script: containerScript(
        {
          base: join(state.path, "root"),
          mounts: await directory.mountsOf(container),
          programs: programPaths(program),
          workingDir,
          command: words,
          privileges,
          isReadOnly: container.securityContext?.readOnlyRootFilesystem === true,
          group: group?.members,
        },
        isolation,
        entries,
      ),
    });
    return new ProcessContainer({
      id: `process://${pod.metadata?.uid}-${container.name}-${this.#nextId++}`,
      pod,
      container,
      podIP: node.podIP,
      process,
      log,
      clock: environment.clock,
      isolation,
      network,
      privileges,
      workingDir,
      env: Object.fromEntries(env),
      messageFile: directory.messageOf(container),
      memory: group,
    });
  }

  async #environment(
    { pod, container, node }: ContainerRequest,
    program: ImageProgram,
  ): Promise<ReadonlyMap<string, string>> {
    const { cluster } = this.#opened();
    const given: readonly (readonly [string, string])[] = [
      ["PATH", searchPath],
      ["HOSTNAME", pod.spec?.hostname ?? pod.metadata?.name ?? ""],
      ["HOME", "/root"],
      ...Object.entries(program.env ?? {}),
      ...serviceVariables(await linkedServices(pod, (namespace) => cluster.servicesIn(namespace))),
    ];
    return containerEnvironment(pod, container, node, given);
  }

  #limit({ pod, container, node }: ContainerRequest, control: MemoryControl): MemoryGroup | undefined {
    const limit = container.resources?.limits?.["memory"];
    if (limit === undefined) return undefined;
    if (control.version === 0) {
      node.event("Warning", "MemoryLimitNotEnforced", `The memory limit is not enforced: ${control.why}`);
      return undefined;
    }
    const bytes = Math.ceil(Amount.parse(String(limit)).toNumber());
    const group = new MemoryGroup(control, `${pod.metadata?.uid}-${container.name}-${this.#nextId}`, bytes);
    this.#opened().state.noteGroup(group.path);
    return group;
  }

  #refresh(place: ProcessPod): void {
    void place.directory
      .then((directory) => directory.refresh(place.pod))
      .catch((error: unknown) =>
        this.#open?.environment.report(`volumes of pod ${place.pod.metadata?.name}`, error),
      );
  }

  #dataChanged(object: KubeObject | undefined): void {
    const { namespace, name = "" } = object?.metadata ?? {};
    for (const place of this.#pods.values())
      if (
        place.pod.metadata?.namespace === namespace &&
        JSON.stringify(place.pod.spec?.volumes ?? []).includes(`"${name}"`)
      )
        this.#refresh(place);
  }

  #volumeGone({ metadata }: KubeObject): void {
    const name = metadata?.name ?? "";
    const { state } = this.#opened();
    if (/^[a-z0-9][a-z0-9.-]*$/.test(name))
      rmSync(join(this.#options.volumes ?? join(state.path, "volumes"), name), {
        recursive: true,
        force: true,
      });
  }

  #renewTokens(place: ProcessPod, directory: PodDirectory): void {
    if (directory.tokensFor === undefined || !this.#open) return;
    place.tokens = this.#open.environment.clock.setTimer(directory.tokensFor, () => {
      this.#refresh(place);
      this.#renewTokens(place, directory);
    });
  }

  async #leave({ sandbox, directory, runs, tokens }: ProcessPod): Promise<void> {
    tokens?.cancel();
    for (const { current } of runs.values()) current.stop(0);
    await Promise.all([...runs.values()].map(({ current }) => current.exited));
    await sandbox.then(
      (place) => place.close(),
      () => undefined,
    );
    await directory.then(
      (folder) => folder.remove(),
      () => undefined,
    );
  }

  async #door(host: string, port: number): Promise<Address> {
    const key = `${host}:${port}`;
    const known = this.#doors.get(key);
    if (known) return known.address;
    const { network } = this.#opened();
    const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (client) => {
      client.on("error", () => undefined);
      network.connect(host, port).then(
        (pod) => {
          joinSockets(client, pod);
          client.resume();
        },
        () => client.destroy(),
      );
    });
    const address = new Promise<Address>((resolve, reject) => {
      server.once("error", reject);
      server.listen(0, "127.0.0.1", () => {
        const bound = server.address();
        resolve({ host: "127.0.0.1", port: typeof bound === "object" && bound ? bound.port : 0 });
      });
    });
    server.unref();
    this.#doors.set(key, { server, address });
    return address;
  }
}

function programPaths({ programs = {} }: ImageProgram): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(programs).map(([name, file]) => [
      name.startsWith("/") ? name : `/usr/local/bin/${name}`,
      file,
    ]),
  );
}

/** Beside this file where everything is one bundle, else the one of the package. */
function agentScript(): string {
  const beside = fileURLToPath(new URL("./process-agent.js", import.meta.url));
  return existsSync(beside)
    ? beside
    : createRequire(import.meta.url).resolve("@kubewright/cluster/process-agent");
}

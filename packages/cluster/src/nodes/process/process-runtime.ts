// Containers as processes of this machine: images stand for programs by a map, pods are kept apart by namespaces of Linux. What is
// not in the map is simulated.
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { ConfigMap, type KubeObject, PersistentVolume, type Pod, Secret } from "@kubewright/api";
import type { PortTarget, ServiceResolver } from "@kubewright/apiserver";
import type { InformerLease } from "@kubewright/runtime";
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
import { SimulatedRuntime } from "../simulated-runtime.js";
import { forwardPort } from "./forward-port.js";
import { builtInImages, ImageMap, type ImageProgram } from "./image-map.js";
import { ProcessNodesError } from "./machine.js";
import { NodeMachine, type NodeMachineOptions } from "./node-machine.js";
import { ProcessPod } from "./process-pod.js";
import { ServiceDoors } from "./service-doors.js";

/** Options of process nodes. */
export interface ProcessRuntimeOptions extends NodeMachineOptions {
  /** The programs that stand for images, besides the built-in ones, which they override. */
  readonly images?: readonly ImageProgram[] | undefined;
  /** The built-in images that are used, by name. Default: all whose program is on the path. */
  readonly builtIns?: readonly string[] | undefined;
  /** Where volumes are kept that outlive pods. Default: they go with the cluster. */
  readonly volumes?: string | undefined;
}

/** What there is while there are nodes. */
interface Open {
  readonly machine: NodeMachine;
  readonly simulated: SimulatedRuntime;
  readonly leases: readonly InformerLease<KubeObject>[];
  readonly unsubscribe: readonly (() => void)[];
}

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
  readonly #doors = new ServiceDoors();
  #open: Open | undefined;

  constructor(options: ProcessRuntimeOptions = {}) {
    this.#options = options;
    this.#images = new ImageMap([
      ...builtInImages(options.path, options.builtIns),
      ...(options.images ?? []),
    ]);
  }

  /** How pods are kept apart on this machine, one property a line; empty before the nodes are there. */
  get isolation(): readonly string[] {
    return this.#open?.machine.describe() ?? [];
  }

  async open(environment: RuntimeEnvironment): Promise<void> {
    const { clock, random, rules, pool } = environment;
    checkPrograms(this.#options.images ?? []);
    const machine = await NodeMachine.open(environment, this.#options, () => {
      for (const pod of this.#pods.values()) void pod.refreshHosts();
    });
    const simulated = new SimulatedRuntime({ clock, random, rules });
    const volumes = pool.acquire(PersistentVolume);
    const maps = pool.acquire(ConfigMap);
    const secrets = pool.acquire(Secret);
    const unsubscribe = [
      volumes.informer.onChange(({ previous, current }) => {
        if (previous && !current) this.#volumeGone(previous);
      }),
      maps.informer.onChange(({ current, previous }) => this.#dataChanged(current ?? previous)),
      secrets.informer.onChange(({ current, previous }) => this.#dataChanged(current ?? previous)),
    ];
    const leases = [volumes, maps, secrets] as unknown as readonly InformerLease<KubeObject>[];
    this.#open = { machine, simulated, leases, unsubscribe };
  }

  async close(): Promise<void> {
    if (!this.#open) return;
    const { machine, leases, unsubscribe } = this.#open;
    for (const stop of unsubscribe) stop();
    for (const uid of [...this.#pods.keys()]) this.forget(uid);
    this.#doors.close();
    await Promise.all(this.#closing);
    await machine.close();
    await Promise.all(leases.map((lease) => lease.release()));
    this.#open = undefined;
  }

  hasImage(request: ContainerRequest): boolean {
    return this.#programOf(request) !== undefined || this.#opened().simulated.hasImage(request);
  }

  async pull(request: ContainerRequest, signal: AbortSignal): Promise<PulledImage> {
    const { image = "" } = request.container;
    if (this.#programOf(request)) return { id: `process://${image}`, wasPresent: true, bytes: 0 };
    request.node.event(
      "Normal",
      "Simulated",
      `No program of this machine stands for image "${image}": the container is simulated`,
    );
    return this.#opened().simulated.pull(request, signal);
  }

  async start(request: ContainerRequest, signal: AbortSignal): Promise<RunningContainer> {
    const program = this.#programOf(request);
    if (!program) return this.#opened().simulated.start(request, signal);
    const place = this.#pods.get(request.pod.metadata?.uid ?? "") ?? this.#place(request);
    const running = await place.start(request, program);
    if (signal.aborted) running.stop(0);
    return running;
  }

  log(podUid: string, container: string, options: { readonly previous: boolean }): ContainerLog | undefined {
    const run = this.#pods.get(podUid)?.runOf(container);
    if (!run) return this.#opened().simulated.log(podUid, container, options);
    return options.previous ? run.previous : run.current.log;
  }

  async exec(call: ExecRequest): Promise<number> {
    const run = this.#podOf(call.pod)?.runOf(call.container);
    return run ? run.current.exec(call) : this.#opened().simulated.exec(call);
  }

  async connect(call: PortCall): Promise<void> {
    const { machine, simulated } = this.#opened();
    const { network, isolation } = machine;
    const place = this.#podOf(call.pod);
    if (!place) return simulated.connect(call);
    await forwardPort(call, { network, isolation, pid: await place.pid() });
  }

  async dial(target: PortTarget): Promise<Duplex | undefined> {
    const { machine, simulated } = this.#opened();
    const { pod, address, port } = target;
    if (pod && !this.#podOf(pod)) return simulated.dial(target);
    return machine.network.connect(address, port);
  }

  usage(pod: Pod): readonly ContainerUsage[] {
    return [...(this.#podOf(pod)?.usage() ?? []), ...this.#opened().simulated.usage(pod)];
  }

  eviction(pod: Pod): { readonly after: number; readonly message: string } | undefined {
    return this.#opened().simulated.eviction(pod);
  }

  podChanged(pod: Pod): void {
    this.#podOf(pod)?.change(pod);
  }

  /** The pod is gone: its processes end, and its folder goes. */
  forget(podUid: string): void {
    this.#open?.simulated.forget(podUid);
    const place = this.#pods.get(podUid);
    this.#pods.delete(podUid);
    if (place) this.#leave(place);
  }

  /** The API server reaches pods by a port of this machine that leads to them, and to nobody else. */
  readonly resolveService: ServiceResolver = async ({ namespace, name, port = 443 }) => {
    if (!this.#open) return undefined;
    const { cluster, network, environment } = this.#open.machine;
    const targets = cluster.targetsOf(namespace, name, port);
    const target = targets[Math.floor(environment.random() * targets.length)];
    if (!target) return undefined;
    if (target.isOutside) return { host: target.address, port: target.port };
    return this.#doors.to(target.address, target.port, network);
  };

  #opened(): Open {
    if (!this.#open) throw new ProcessNodesError("the process nodes are not there yet, or no longer");
    return this.#open;
  }

  #programOf({ container }: ContainerRequest): ImageProgram | undefined {
    return this.#images.find(container.image ?? "");
  }

  #podOf({ metadata }: Pod): ProcessPod | undefined {
    return this.#pods.get(metadata?.uid ?? "");
  }

  #place(request: ContainerRequest): ProcessPod {
    const uid = request.pod.metadata?.uid ?? "";
    const place = new ProcessPod(request, this.#opened().machine, this.#volumes());
    // One that could not be made is made anew when the container is tried again.
    place.made().catch(() => {
      if (this.#pods.get(uid) !== place) return;
      this.#pods.delete(uid);
      this.#leave(place);
    });
    this.#pods.set(uid, place);
    return place;
  }

  #leave(place: ProcessPod): void {
    const closed = place
      .close()
      .catch((error: unknown) =>
        this.#open?.machine.environment.report("process nodes: a pod that is gone", error),
      )
      .finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }

  #volumes(): string {
    return this.#options.volumes ?? join(this.#opened().machine.state.path, "volumes");
  }

  #dataChanged(object: KubeObject | undefined): void {
    for (const place of this.#pods.values()) if (object && place.uses(object)) void place.refresh();
  }

  #volumeGone({ metadata }: KubeObject): void {
    const name = metadata?.name ?? "";
    if (/^[a-z0-9][a-z0-9.-]*$/.test(name))
      rmSync(join(this.#volumes(), name), { recursive: true, force: true });
  }
}

/** A map with programs that are not there is refused when the cluster starts, not when the first pod does. */
function checkPrograms(images: readonly ImageProgram[]): void {
  for (const { image, programs = {} } of images)
    for (const [name, file] of Object.entries(programs))
      if (!existsSync(file))
        throw new ProcessNodesError(
          `image map: there is no ${file}, which is to be ${name} of image ${image}`,
        );
}

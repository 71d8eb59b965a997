// The nodes of a cluster, and the kubelets on them: every pod bound to one of them gets a worker. One watch of pods and one
// of nodes serve them all.
import type { Duplex } from "node:stream";
import {
  type Clock,
  findCondition,
  Node,
  Pod,
  type TransportRequest,
  type TransportResponse,
} from "@kubewright/api";
import type { NodeProxy, PodConnection, PortTarget } from "@kubewright/apiserver";
import type { CachedClient, InformerLease, InformerPool, ObjectChange } from "@kubewright/runtime";
import type { EventRecorder } from "../events/event-recorder.js";
import type { ContainerRuntime } from "./container-runtime.js";
import { Heartbeats } from "./heartbeats.js";
import { kubeletApi } from "./kubelet-api.js";
import { hostAddress, indexOfRange, isSimulated } from "./node-object.js";
import { NodeRegistration } from "./node-registration.js";
import { type NodeSpec, nodeNameOf } from "./node-spec.js";
import { PodAddresses } from "./pod-addresses.js";
import { PodAdmission, type PodRejection } from "./pod-admission.js";
import { podConnection } from "./pod-connection.js";
import { PodReferences } from "./pod-references.js";
import { PodWorker } from "./pod-worker.js";
import { ReferenceChanges } from "./reference-changes.js";
import type { RuleSet } from "./rules/rule-set.js";
import { StatusReports } from "./status-reports.js";
import { Turnstile } from "./turnstile.js";

export interface SimulatedNodesOptions {
  /** Acts as the controllers of nodes do. */
  readonly control: CachedClient;
  /** The clients and credentials of a node's kubelet. */
  readonly access: (node: string) => KubeletAccess;
  readonly pool: InformerPool;
  readonly clock: Clock;
  readonly random: () => number;
  readonly nodes: readonly NodeSpec[];
  readonly runtime: ContainerRuntime;
  readonly rules: RuleSet;
  readonly claimsGetBound: boolean;
  /** Set where the API server is in another process: it reaches the nodes by an address, and nobody can say who looks at them. */
  readonly external?: ExternalPlace | undefined;
  readonly report: (where: string, error: unknown) => void;
}

/** Nodes of an API server in another process. */
export interface ExternalPlace {
  readonly address: string;
  readonly kubeletPort: () => number;
  /** Whether a kubelet is to run for the node. */
  readonly manages: (node: Node) => boolean;
}

/** Acts as one kubelet. */
export interface KubeletAccess {
  readonly client: CachedClient;
  readonly events: EventRecorder;
}

const writesAtOnce = 32;

/** A node that has a kubelet here. */
interface Kubelet extends KubeletAccess {
  readonly index: number;
  readonly references: PodReferences;
  readonly admission: PodAdmission;
  isDown: boolean;
  /** By uid of the pod. */
  readonly workers: Map<string, PodWorker>;
}

export class SimulatedNodes implements NodeProxy {
  readonly heartbeats: Heartbeats;
  readonly reports: StatusReports;
  readonly #options: SimulatedNodesOptions;
  readonly #registration: NodeRegistration;
  readonly #changes: ReferenceChanges;
  /** By name of the node. */
  readonly #access = new Map<string, KubeletAccess>();
  readonly #addresses = new PodAddresses();
  readonly #turnstile = new Turnstile(writesAtOnce);
  /** By name. */
  readonly #kubelets = new Map<string, Kubelet>();
  readonly #unfinished = new Set<Promise<unknown>>();
  readonly #unsubscribe: (() => void)[] = [];
  #nextIndex = 0;
  #pods: InformerLease<Pod> | undefined;
  #nodes: InformerLease<Node> | undefined;

  constructor(options: SimulatedNodesOptions) {
    this.#options = options;
    const { control, clock, random, runtime, pool, external } = options;
    const kubelet = (node: string): CachedClient => this.#accessOf(node).client;
    this.heartbeats = new Heartbeats((node) => kubelet(node).live, clock, {
      isOnTime: external !== undefined,
    });
    const node = (name: string): Node | undefined => this.#nodes?.informer.store.get(name);
    this.reports = new StatusReports({ kubelet, node, clock, random, runtime });
    this.#registration = new NodeRegistration({
      kubelet,
      control,
      clock,
      reports: this.reports,
      place: () => ({
        runtime: runtime.version,
        ...(external ? { address: external.address, kubeletPort: external.kubeletPort() } : {}),
      }),
      heartbeats: this.heartbeats,
    });
    this.#changes = new ReferenceChanges(pool);
  }

  async start(): Promise<void> {
    const { pool, rules, nodes, runtime } = this.#options;
    const turnstile = new Turnstile(writesAtOnce);
    await Promise.all(nodes.map((spec) => turnstile.pass(() => this.#create(spec))));
    this.#nodes = pool.acquire(Node);
    this.#pods = pool.acquire(Pod);
    this.#unsubscribe.push(
      this.#nodes.informer.onChange((change) => this.#onNode(change)),
      this.#pods.informer.onChange((change) => this.#onPod(change)),
      rules.onChange(() => this.#onRules()),
      runtime.onChange?.(() => this.#reconsider()) ?? (() => undefined),
    );
    await Promise.all([this.#nodes.informer.synced(), this.#pods.informer.synced()]);
    this.#onRules();
    if (this.#options.external) this.reports.keepUp(() => true);
  }

  /** Whether the node has a kubelet here. */
  has(name: string): boolean {
    return this.#kubelets.has(name);
  }

  node(name: string): Node | undefined {
    return this.#nodes?.informer.store.get(name);
  }

  /** How many nodes have a kubelet here. */
  get size(): number {
    return this.#kubelets.size;
  }

  async close(): Promise<void> {
    for (const stop of this.#unsubscribe) stop();
    this.heartbeats.close();
    this.reports.close();
    for (const name of [...this.#kubelets.keys()]) this.#lose(name);
    await Promise.all(this.#unfinished);
    await this.#changes.close();
    await Promise.all([this.#pods?.release(), this.#nodes?.release()]);
  }

  async connect(connection: PodConnection) {
    const kubelet = this.#kubelets.get(connection.nodeName);
    if (!kubelet || kubelet.isDown) return undefined;
    const { runtime, clock } = this.#options;
    return podConnection(connection, { runtime, clock });
  }

  async dial(target: PortTarget): Promise<Duplex | undefined> {
    const kubelet = this.#kubelets.get(target.nodeName);
    return kubelet && !kubelet.isDown ? this.#options.runtime.dial?.(target) : undefined;
  }

  async kubelet(nodeName: string, request: TransportRequest): Promise<TransportResponse | undefined> {
    const kubelet = this.#kubelets.get(nodeName);
    const pods = this.#pods?.informer.store;
    if (!kubelet || kubelet.isDown || !pods) return undefined;
    return kubeletApi(request, {
      list: () => pods.list().filter(({ spec }) => spec?.nodeName === nodeName),
      get: (namespace, name) => {
        const pod = pods.get(`${namespace}/${name}`);
        return pod?.spec?.nodeName === nodeName ? pod : undefined;
      },
      connect: (connection) => this.connect(connection),
    });
  }

  async #create(spec: NodeSpec): Promise<void> {
    const index = this.#nextIndex++;
    const node = await this.#registration.create(spec, index);
    if (node) this.#add(nodeNameOf(spec, index), index);
  }

  #add(name: string, index: number): Kubelet {
    const access = this.#accessOf(name);
    const references = new PodReferences(access.client, this.#changes);
    const admission = new PodAdmission();
    const kubelet = { ...access, index, references, admission, isDown: false, workers: new Map() };
    this.#kubelets.set(name, kubelet);
    return kubelet;
  }

  #accessOf(node: string): KubeletAccess {
    const known = this.#access.get(node) ?? this.#options.access(node);
    this.#access.set(node, known);
    return known;
  }

  #onNode({ previous, current }: ObjectChange<Node>): void {
    const name = (current ?? previous)?.metadata?.name ?? "";
    const known = this.#kubelets.get(name);
    if (known && (!current || !this.#manages(current))) this.#lose(name);
    else if (known && previous && current) recordSchedulable(known.events, previous, current);
    if (known || !current || !this.#manages(current)) return;
    const index = this.#indexFor(current);
    this.#add(name, index);
    this.#work(`node ${name}`, this.#registration.adopt(current, index));
    this.#start(name);
    this.#onRules();
  }

  #manages(node: Node): boolean {
    return this.#options.external?.manages(node) ?? isSimulated(node);
  }

  /** A node that was there before, as after a restore, keeps its range. */
  #indexFor({ spec }: Node): number {
    const kept = indexOfRange(spec?.podCIDR);
    if (kept === undefined || [...this.#kubelets.values()].some(({ index }) => index === kept))
      return this.#nextIndex++;
    this.#nextIndex = Math.max(this.#nextIndex, kept + 1);
    return kept;
  }

  /** The node is gone, and its pods are nobody's. */
  #lose(name: string): void {
    const kubelet = this.#kubelets.get(name);
    if (!kubelet) return;
    this.#kubelets.delete(name);
    this.#access.delete(name);
    this.heartbeats.remove(name);
    this.reports.remove(name);
    for (const uid of kubelet.workers.keys()) this.#drop(kubelet, uid);
  }

  /** Pods may be there before their node is, or while it is down. */
  #start(name: string): void {
    for (const pod of this.#pods?.informer.store.list() ?? [])
      if (pod.spec?.nodeName === name) this.#onPod({ previous: undefined, current: pod });
  }

  #onRules(): void {
    for (const [name, kubelet] of this.#kubelets) {
      const isDown = this.#options.rules.isNodeDown(name);
      if (isDown === kubelet.isDown) continue;
      kubelet.isDown = isDown;
      if (isDown) this.#goDown(name, kubelet);
      else this.#comeBack(name, kubelet);
    }
  }

  #goDown(name: string, { workers }: Kubelet): void {
    for (const worker of workers.values()) worker.hold();
    this.#work(`node ${name}`, Promise.all([this.heartbeats.silence(name), this.reports.silence(name)]));
  }

  #comeBack(name: string, { workers, events }: Kubelet): void {
    const node = this.#nodes?.informer.store.get(name);
    if (node) this.#work(`node ${name}`, this.#back(node, events));
    for (const pod of this.#pods?.informer.store.list() ?? [])
      if (pod.spec?.nodeName === name) workers.get(pod.metadata?.uid ?? "")?.release(pod);
    this.#start(name);
  }

  async #back(node: Node, events: EventRecorder): Promise<void> {
    const wasReady = findCondition(node.status?.conditions, "Ready")?.status === "True";
    await this.#registration.back(node);
    if (!wasReady)
      events.normal(Node, node, "NodeReady", `Node ${node.metadata?.name} status is now: NodeReady`);
  }

  #reconsider(): void {
    for (const { workers } of this.#kubelets.values())
      for (const worker of workers.values()) worker.reconsider();
  }

  #onPod({ previous, current }: Pick<ObjectChange<Pod>, "previous" | "current">): void {
    const pod = current ?? previous;
    const kubelet = this.#kubelets.get(pod?.spec?.nodeName ?? "");
    const uid = pod?.metadata?.uid ?? "";
    if (!kubelet || !pod) return;
    // Only a cluster that was restored takes a deletion back.
    const isRevived = previous?.metadata?.deletionTimestamp && !current?.metadata?.deletionTimestamp;
    if (!current || isRevived) this.#drop(kubelet, uid);
    const known = kubelet.workers.get(uid);
    if (!current) return;
    if (known) {
      known.update(current);
      if (isOver(current)) kubelet.admission.release(uid);
      else kubelet.admission.update(current);
    } else if (!isOver(current) && !kubelet.isDown) this.#begin(kubelet, current, uid);
  }

  #begin(kubelet: Kubelet, pod: Pod, uid: string): void {
    const { clock, runtime, claimsGetBound, report } = this.#options;
    const hostIP = this.#options.external?.address ?? hostAddress(kubelet.index);
    const podIP = pod.spec?.hostNetwork
      ? hostIP
      : this.#addresses.allocate(kubelet.index, uid, pod.status?.podIP);
    kubelet.workers.set(
      uid,
      new PodWorker(pod, {
        rejection: pod.metadata?.deletionTimestamp ? undefined : this.#admit(kubelet, pod),
        client: kubelet.client,
        clock,
        runtime,
        references: kubelet.references,
        events: kubelet.events,
        podIP,
        hostIP,
        claimsGetBound,
        turnstile: this.#turnstile,
        report,
      }),
    );
  }

  #admit({ admission }: Kubelet, pod: Pod): PodRejection | undefined {
    return admission.admit(pod, this.#nodes?.informer.store.get(pod.spec?.nodeName ?? ""));
  }

  #drop({ workers, admission }: Kubelet, uid: string): void {
    const worker = workers.get(uid);
    if (!worker) return;
    admission.release(uid);
    workers.delete(uid);
    this.#addresses.release(uid);
    this.#options.runtime.forget(uid);
    this.#work("a pod that is gone", worker.close());
  }

  /** Something that goes on and is waited for at the end. */
  #work(what: string, work: Promise<unknown>): void {
    const done = this.#options.clock.busy(what);
    const watched = work
      .catch((error: unknown) => this.#options.report(what, error))
      .finally(() => {
        done();
        this.#unfinished.delete(watched);
      });
    this.#unfinished.add(watched);
  }
}

/** Kubelets say when their node is cordoned, and when it no longer is. */
function recordSchedulable(events: EventRecorder, previous: Node, current: Node): void {
  const { unschedulable = false } = current.spec ?? {};
  if (unschedulable === (previous.spec?.unschedulable ?? false)) return;
  const state = unschedulable ? "NodeNotSchedulable" : "NodeSchedulable";
  events.normal(Node, current, state, `Node ${current.metadata?.name} status is now: ${state}`);
}

function isOver({ status, metadata }: Pod): boolean {
  return !metadata?.deletionTimestamp && (status?.phase === "Succeeded" || status?.phase === "Failed");
}

// The context its author sees of a reconcile under way, and what it leaves to be done at its end.
import { type Condition, type ConditionUpdate, type KubeObject, Pod, type Scale } from "@kubewright/api";
import type { CallOptions } from "@kubewright/client";
import { keyOf } from "../informer/object-key.js";
import type { WorkItem } from "../queue/work-queue.js";
import { isRecord, type JsonRecord } from "./apply/json-record.js";
import { absent, ChildRun, type ChildScope, typed } from "./child-run.js";
import type { EventRecorder } from "./events/event-recorder.js";
import type { AnyResource } from "./kinds.js";
import type {
  EventInput,
  ListOptions,
  ReadOptions,
  ReconcileContext,
  ScaleTarget,
  StatusOptions,
} from "./reconcile-context.js";
import { scalableKind } from "./scaling.js";
import { statusPointer } from "./status/status-patch.js";
import type { StatusWriter } from "./status/status-writer.js";
import { podIndex } from "./watch-pods.js";

/** What all reconciles of a controller share. */
export interface RunScope extends ChildScope {
  readonly statusWriter: StatusWriter;
  readonly events: EventRecorder;
}

/** How long it may take to write of a run that was ended. */
const lastWordTimeout = 60_000;

type AnyContext = ReconcileContext<AnyResource, AnyResource, AnyResource>;

export class ReconcileRun extends ChildRun implements AnyContext {
  readonly #scope: RunScope;
  #said: Record<string, unknown> | undefined;
  #patience: Map<string, number> | undefined;
  #dueAt: number | undefined;

  constructor(scope: RunScope, object: KubeObject, item: WorkItem) {
    super(scope, object, item);
    this.#scope = scope;
  }

  async get(kind: AnyResource, name: string, options: ReadOptions = {}): Promise<never | undefined> {
    const { resource } = this.#scope.kinds.readable(kind);
    this.check();
    const isNamespaced = resource.scope === "Namespaced";
    const namespace = isNamespaced ? (options.namespace ?? this.object.metadata?.namespace) : undefined;
    const { client } = this.#scope;
    const bounded = this.#bounded({ namespace });
    const reading = options.live
      ? client.live.get(resource, name, bounded)
      : client.get(resource, name, bounded);
    const found = await reading.catch(absent);
    return found && typed(found);
  }

  async list(kind: AnyResource, options: ListOptions = {}): Promise<readonly never[]> {
    const { resource } = this.#scope.kinds.readable(kind);
    this.check();
    const { live, ...query } = options;
    const { client } = this.#scope;
    const bounded = this.#bounded(query);
    const { items } = await (live ? client.live.list(resource, bounded) : client.list(resource, bounded));
    return items.map(typed);
  }

  byIndex(kind: AnyResource, index: string, value: string): readonly never[] {
    const { informer, indexName } = this.#scope.kinds.readable(kind);
    if (!informer) throw new Error(`${kind.kind} is not watched, so it has no index "${index}"`);
    return informer.store.byIndex(indexName(index), value).map(typed);
  }

  pods(): readonly Pod[] {
    const { name = "", namespace } = this.object.metadata ?? {};
    return this.byIndex(Pod, podIndex, keyOf(name, namespace));
  }

  now(): number {
    return this.#scope.clock.now();
  }

  requeueAt(time: number | undefined): void {
    this.#dueAt = time;
  }

  /** Milliseconds until the due time that was stated; undefined when there is none, or it has passed. */
  get dueIn(): number | undefined {
    const left = this.#dueAt === undefined ? 0 : this.#dueAt - this.now();
    return left > 0 ? left : undefined;
  }

  async scale(target: ScaleTarget, replicas?: number): Promise<Scale | undefined> {
    const { client, kinds, fieldManager } = this.#scope;
    const resource = kinds.scalable(await scalableKind(client.live, target));
    const { name } = target;
    const namespace = resource.scope === "Namespaced" ? this.object.metadata?.namespace : undefined;
    if (replicas === undefined) return client.live.getScale(resource, name, { namespace }).catch(absent);
    const options = { ...this.bounds(), namespace, fieldManager };
    const work = client.live.scale(resource, name, replicas, options);
    return this.notes.write("patch", resource, keyOf(name, namespace), work, (scale) => scale).catch(absent);
  }

  /** The conditions of the object as they are. */
  get conditions(): readonly Condition[] {
    const status = "status" in this.object && isRecord(this.object.status) ? this.object.status : {};
    return Array.isArray(status["conditions"]) ? status["conditions"] : [];
  }

  status(status: JsonRecord, { patience = 0 }: StatusOptions = {}): void {
    const { conditions } = status;
    if (patience > 0) this.#patience ??= new Map();
    for (const name in status) this.#patience?.set(statusPointer(name), patience);
    const types = new Set(
      Array.isArray(conditions) ? conditions.map(({ type }: ConditionUpdate) => type) : [],
    );
    const earlier = this.#saidConditions.filter(({ type }) => !types.has(type));
    this.#said = { ...this.#said, ...status };
    if (Array.isArray(conditions)) this.#said["conditions"] = [...earlier, ...conditions];
  }

  event(event: EventInput): void {
    if (this.isOver) return;
    this.notes.event(event);
    this.#scope.events.record(this.#scope.resource, this.object, event);
  }

  /**
   * Writes what was said of the object, where that changes anything: within the bounds of the run, or, of one that was ended,
   * within a minute. Returns after how many milliseconds to look again, when the change can wait.
   */
  async writeStatus(): Promise<number | undefined> {
    const status = this.#said;
    if (!status) return undefined;
    this.#said = undefined;
    if (!this.isOver) await this.turn();
    const { statusWriter, resource, fence } = this.#scope;
    const note = (work: Promise<KubeObject>): Promise<KubeObject> =>
      this.notes.write("status", resource, this.key, work, (object) => object);
    const said = { status, patience: this.#patience, note };
    const bounds = (): CallOptions =>
      this.isOver ? { timeout: lastWordTimeout, ...fence.bounds() } : this.bounds();
    return statusWriter.write(this.object, said, bounds);
  }

  /** Options of a read that ends with the run. Most reads are answered by a cache and need no signal, so it is made when asked for. */
  #bounded<T extends object>(options: T): T & CallOptions {
    return Object.defineProperty(options, "signal", { get: () => this.signal, enumerable: true });
  }

  /** The conditions this run has said so far. */
  get #saidConditions(): readonly ConditionUpdate[] {
    const said = this.#said?.["conditions"];
    return Array.isArray(said) ? said : [];
  }
}

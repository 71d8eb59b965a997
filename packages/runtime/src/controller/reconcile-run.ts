// The context its author sees of a reconcile under way, and what it leaves to be done at its end.
import {
  type Condition,
  type ConditionUpdate,
  isBeingDeleted,
  isNotFound,
  type KubeObject,
} from "@kubewright/api";
import type { CachedClient } from "../informer/cached-client.js";
import { keyOf, objectKey } from "../informer/object-key.js";
import type { WorkItem } from "../queue/work-queue.js";
import type { Applier } from "./apply/applier.js";
import type { Contest } from "./apply/contest.js";
import { isRecord, type JsonRecord } from "./apply/json-record.js";
import { childOf, controllerIndex, otherController } from "./child.js";
import type { DeclaredKind, DeclaredKinds } from "./declared-kinds.js";
import type { EventRecorder } from "./events/event-recorder.js";
import type { AnyResource } from "./kinds.js";
import type {
  ChildInput,
  DeleteOptions,
  EventInput,
  ListOptions,
  ReadOptions,
  ReconcileContext,
} from "./reconcile-context.js";
import { Run, type RunEnvironment } from "./run.js";
import type { StatusWriter } from "./status/status-writer.js";

/** What all reconciles of a controller share. */
export interface RunScope extends RunEnvironment {
  readonly client: CachedClient;
  readonly fieldManager: string;
  readonly kinds: DeclaredKinds;
  readonly applier: Applier;
  readonly statusWriter: StatusWriter;
  readonly events: EventRecorder;
}

type AnyContext = ReconcileContext<AnyResource, AnyResource, AnyResource>;

export class ReconcileRun extends Run implements AnyContext {
  readonly #scope: RunScope;
  #said: Record<string, unknown> | undefined;
  /** Children declared so far, by kind and key. */
  #declared: Set<string> | undefined;
  #contests: readonly Contest[] = [];

  constructor(scope: RunScope, object: KubeObject, item: WorkItem) {
    super(scope, object, item);
    this.#scope = scope;
  }

  /** Children that somebody else keeps changing. */
  get contests(): readonly Contest[] {
    return this.#contests;
  }

  /** The conditions of the object as they are. */
  get conditions(): readonly Condition[] {
    const status = "status" in this.object && isRecord(this.object.status) ? this.object.status : {};
    return Array.isArray(status["conditions"]) ? status["conditions"] : [];
  }

  /** The conditions this run has said so far. */
  get #saidConditions(): readonly ConditionUpdate[] {
    const said = this.#said?.["conditions"];
    return Array.isArray(said) ? said : [];
  }

  async apply(kind: AnyResource, child: ChildInput<AnyResource>): Promise<never> {
    const declared = this.#scope.kinds.writable(kind);
    const owner = { resource: this.#scope.resource, object: this.object };
    const whole = childOf(declared, child as KubeObject, owner);
    const key = this.#declare(declared, whole);
    const live = declared.informer?.store.get(key);
    const other = live && declared.isOwned ? otherController(live, owner) : undefined;
    if (other)
      throw new Error(`${kind.kind} ${key} is controlled by ${other.kind} ${other.name}: it is left alone`);
    const applied = await this.#scope.applier.apply(declared, whole, live, () => this.bounds());
    if (applied.contest) this.#contests = [...this.#contests, applied.contest];
    return typed(applied.object);
  }

  keep(kind: AnyResource, child: string | ChildInput<AnyResource>): void {
    const declared = this.#scope.kinds.writable(kind);
    const { name, namespace } = typeof child === "string" ? { name: child } : child.metadata;
    const isNamespaced = declared.resource.scope === "Namespaced";
    const place = isNamespaced ? (namespace ?? this.object.metadata?.namespace) : undefined;
    this.#declare(declared, { metadata: { name, namespace: place } });
  }

  async create(kind: AnyResource, child: KubeObject): Promise<never> {
    const declared = this.#scope.kinds.writable(kind);
    const whole = childOf(declared, child, { resource: this.#scope.resource, object: this.object });
    const { client, fieldManager } = this.#scope;
    const created = await client.create(declared.resource, whole, { ...this.bounds(), fieldManager });
    this.#declare(declared, created);
    return typed(created);
  }

  async delete(kind: AnyResource, target: string | KubeObject, options: DeleteOptions = {}): Promise<void> {
    const declared = this.#scope.kinds.writable(kind);
    const metadata = typeof target === "string" ? { name: target } : (target.metadata ?? {});
    const { name = "", uid } = metadata;
    await this.#remove(declared, name, {
      ...options,
      namespace: options.namespace ?? metadata.namespace ?? this.object.metadata?.namespace,
      preconditions: uid === undefined ? undefined : { uid },
    });
  }

  async prune(): Promise<number> {
    let count = 0;
    for (const kind of this.#scope.kinds.owned) {
      for (const child of this.#childrenOf(kind)) {
        if (isBeingDeleted(child) || this.#declared?.has(identity(kind, objectKey(child)))) continue;
        const { name = "", namespace, uid } = child.metadata ?? {};
        await this.#remove(kind, name, { namespace, preconditions: { uid } });
        count += 1;
      }
    }
    return count;
  }

  async get(kind: AnyResource, name: string, options: ReadOptions = {}): Promise<never | undefined> {
    const { resource } = this.#scope.kinds.readable(kind);
    this.check();
    const isNamespaced = resource.scope === "Namespaced";
    const namespace = isNamespaced ? (options.namespace ?? this.object.metadata?.namespace) : undefined;
    const { client } = this.#scope;
    const reading = options.live
      ? client.live.get(resource, name, { namespace })
      : client.get(resource, name, { namespace });
    const found = await reading.catch(absent);
    return found && typed(found);
  }

  async list(kind: AnyResource, options: ListOptions = {}): Promise<readonly never[]> {
    const { resource } = this.#scope.kinds.readable(kind);
    this.check();
    const { live, ...query } = options;
    const { client } = this.#scope;
    const { items } = await (live ? client.live.list(resource, query) : client.list(resource, query));
    return items.map(typed);
  }

  byIndex(kind: AnyResource, index: string, value: string): readonly never[] {
    const { informer, indexName } = this.#scope.kinds.readable(kind);
    if (!informer) throw new Error(`${kind.kind} is not watched, so it has no index "${index}"`);
    return informer.store.byIndex(indexName(index), value).map(typed);
  }

  children(kind: AnyResource): readonly never[] {
    return this.#childrenOf(this.#scope.kinds.writable(kind)).map(typed);
  }

  status(status: JsonRecord): void {
    const { conditions } = status;
    const types = new Set(
      Array.isArray(conditions) ? conditions.map(({ type }: ConditionUpdate) => type) : [],
    );
    const earlier = this.#saidConditions.filter(({ type }) => !types.has(type));
    this.#said = { ...this.#said, ...status };
    if (Array.isArray(conditions)) this.#said["conditions"] = [...earlier, ...conditions];
  }

  event(event: EventInput): void {
    if (!this.isOver) this.#scope.events.record(this.#scope.resource, this.object, event);
  }

  /** Writes what was said of the object, where that changes anything. A run that was ended is written of all the same. */
  async writeStatus(): Promise<void> {
    const said = this.#said;
    if (!said) return;
    this.#said = undefined;
    await this.#scope.statusWriter.write(this.object, said, () => this.#scope.fence.bounds());
  }

  #declare(kind: DeclaredKind, child: KubeObject): string {
    const { name = "", namespace } = child.metadata ?? {};
    const key = keyOf(name, namespace);
    this.#declared ??= new Set();
    this.#declared.add(identity(kind, key));
    return key;
  }

  #childrenOf({ resource, isOwned, informer }: DeclaredKind): readonly KubeObject[] {
    if (!informer || !isOwned) throw new Error(`${resource.kind} is not an owned kind: add it to "owns"`);
    return informer.store.byIndex(controllerIndex, this.object.metadata?.uid ?? "");
  }

  async #remove(
    { resource }: DeclaredKind,
    name: string,
    options: Parameters<CachedClient["delete"]>[2],
  ): Promise<void> {
    const propagationPolicy = options?.propagationPolicy ?? "Background";
    const all = { ...this.bounds(), ...options, propagationPolicy };
    await this.#scope.client.delete(resource, name, all).catch(absent);
  }
}

function identity({ resource }: DeclaredKind, key: string): string {
  return `${resource.plural}.${resource.group} ${key}`;
}

function absent(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

/** What came from the server for a descriptor is of the descriptor's type. */
function typed(object: KubeObject): never {
  return object as never;
}

// The children of the object being reconciled: declared, kept, adopted, orphaned, created and deleted.
import {
  ApiError,
  getControllerOf,
  isAlreadyExists,
  isBeingDeleted,
  isControlledBy,
  type KubeObject,
} from "@kubewright/api";
import type { JsonPatchOperation } from "@kubewright/client";
import type { CachedClient } from "../informer/cached-client.js";
import { keyOf, objectKey } from "../informer/object-key.js";
import { adoption, release } from "./adoption.js";
import type { Applied, Applier } from "./apply/applier.js";
import type { FieldConflict } from "./apply/field-conflicts.js";
import { childOf, controllerIndex, type Owner, otherController } from "./child.js";
import { appliedEvent, prunedEvent } from "./child-events.js";
import type { DeclaredKind, DeclaredKinds } from "./declared-kinds.js";
import { disowning } from "./disown.js";
import { ForeignChildError } from "./foreign-child-error.js";
import type { AnyResource } from "./kinds.js";
import { absent } from "./object-reader.js";
import { namedOnce } from "./once-name.js";
import type {
  ApplyOptions,
  CreateOptions,
  DeleteOptions,
  DisownOptions,
  EventInput,
} from "./reconcile-context.js";
import type { Run } from "./run.js";
import { answered } from "./run-notes.js";
import { testedPatch } from "./tested-patch.js";

/** The dependencies for writing children. */
export interface ChildScope {
  readonly resource: AnyResource;
  readonly client: CachedClient;
  readonly fieldManager: string;
  readonly kinds: DeclaredKinds;
  readonly applier: Applier;
}

export class ChildSet {
  readonly #scope: ChildScope;
  readonly #run: Run;
  readonly #record: (event: EventInput) => void;
  /** Children declared so far, by kind and key. */
  #declared: Set<string> | undefined;
  #conflicts: readonly FieldConflict[] = [];

  constructor(scope: ChildScope, run: Run, record: (event: EventInput) => void) {
    this.#scope = scope;
    this.#run = run;
    this.#record = record;
  }

  /** Children with fields that another manager keeps changing. */
  get conflicts(): readonly FieldConflict[] {
    return this.#conflicts;
  }

  async apply(kind: AnyResource, child: KubeObject, options: ApplyOptions = {}): Promise<KubeObject> {
    const declared = this.#scope.kinds.writable(kind, "patch");
    const whole = childOf(declared, child, this.#owner);
    const key = this.#declare(declared, whole);
    const live = await this.#present(declared, key, whole, options);
    if (!live && !declared.verbs.has("create")) throw mayNotCreate(declared, key);
    if (live && declared.isOwned) this.#demandOurs(declared, whole, live, options);
    const work = this.#scope.applier.apply(declared, whole, live, this.#run, options.yields);
    const written = ({ outcome, object }: Applied) => (outcome === "applied" ? object : undefined);
    const applied = await this.#run.notes.write("apply", declared.resource, key, work, written);
    if (applied.conflict) this.#conflicts = [...this.#conflicts, applied.conflict];
    const event = declared.isOwned ? appliedEvent(declared.resource, applied) : undefined;
    if (event) this.#record(event);
    return applied.object;
  }

  keep(kind: AnyResource, child: string | KubeObject): void {
    const declared = this.#scope.kinds.readable(kind);
    const { name, namespace } =
      typeof child === "string" ? { name: child, namespace: undefined } : (child.metadata ?? {});
    const isNamespaced = declared.resource.scope === "Namespaced";
    const place = isNamespaced ? (namespace ?? this.#run.object.metadata?.namespace) : undefined;
    this.#declare(declared, { metadata: { name, namespace: place } });
  }

  async adopt(kind: AnyResource, object: KubeObject): Promise<boolean> {
    const declared = this.#scope.kinds.writable(kind, "patch");
    const isOurs = isControlledBy(object, this.#run.object);
    const operations = isOurs || isBeingDeleted(object) ? undefined : adoption(object, this.#owner);
    if (!isOurs && !operations) return false;
    if (operations) await this.#patch(declared, object, operations);
    this.#declare(declared, object);
    return true;
  }

  async orphan(kind: AnyResource, object: KubeObject): Promise<void> {
    const operations = release(object, this.#owner);
    if (operations) await this.#patch(this.#scope.kinds.writable(kind, "patch"), object, operations);
  }

  async disown(kind: AnyResource, name: string, options: DisownOptions = {}): Promise<void> {
    const declared = this.#scope.kinds.writable(kind, "patch");
    const { client, fieldManager } = this.#scope;
    const { namespace = this.#run.object.metadata?.namespace, annotations } = options;
    const { resource } = declared;
    const live = await this.#run
      .readObject(resource, keyOf(name, namespace), (bounds) =>
        client.live.get(resource, name, { ...bounds, namespace }),
      )
      .catch(absent);
    const operations = live && disowning(live, fieldManager, annotations);
    if (live && operations) await this.#patch(declared, live, operations);
  }

  async create(kind: AnyResource, child: KubeObject, { once }: CreateOptions = {}): Promise<KubeObject> {
    const declared = this.#scope.kinds.writable(kind, "create");
    const named = once === undefined ? child : namedOnce(child, this.#run.object, once);
    const whole = childOf(declared, named, this.#owner);
    const { client, fieldManager } = this.#scope;
    const { resource } = declared;
    const work = this.#run.write((bounds) => client.create(resource, whole, { ...bounds, fieldManager }));
    const created = await this.#run.notes
      .write("create", resource, objectKey(whole), work, (object) => object)
      .catch((error: unknown) => this.#madeBefore(declared, whole, once, error));
    this.#declare(declared, created);
    return created;
  }

  /** The child that an earlier creation made whose answer we never saw; throws when it is none. */
  async #madeBefore(
    { resource }: DeclaredKind,
    { metadata = {} }: KubeObject,
    once: string | undefined,
    error: unknown,
  ): Promise<KubeObject> {
    if (once === undefined || !isAlreadyExists(error)) throw error;
    const { name = "", namespace } = metadata;
    const { client } = this.#scope;
    const live = await this.#run.readObject(resource, keyOf(name, namespace), (bounds) =>
      client.live.get(resource, name, { ...bounds, namespace }),
    );
    // One that is terminating will make room for another.
    if (!isControlledBy(live, this.#run.object) || isBeingDeleted(live)) throw error;
    return live;
  }

  async delete(kind: AnyResource, target: string | KubeObject, options: DeleteOptions = {}): Promise<void> {
    const declared = this.#scope.kinds.writable(kind, "delete");
    const metadata = typeof target === "string" ? { name: target } : (target.metadata ?? {});
    const { name = "", uid } = metadata;
    await this.#remove(declared, name, {
      ...options,
      namespace: options.namespace ?? metadata.namespace ?? this.#run.object.metadata?.namespace,
      preconditions: uid === undefined ? undefined : { uid },
    });
  }

  async prune(): Promise<number> {
    let count = 0;
    for (const kind of this.#scope.kinds.owned.filter(({ verbs }) => verbs.has("delete"))) {
      for (const child of this.#childrenOf(kind)) {
        if (isBeingDeleted(child) || this.#declared?.has(identity(kind, objectKey(child)))) continue;
        const { name = "", namespace, uid } = child.metadata ?? {};
        await this.#remove(kind, name, { namespace, preconditions: { uid } });
        this.#record(prunedEvent(kind.resource, child));
        count += 1;
      }
    }
    return count;
  }

  /** The cached children of an owned kind. */
  of(kind: AnyResource): readonly KubeObject[] {
    const declared = this.#scope.kinds.readable(kind);
    const found = this.#childrenOf(declared);
    this.#run.noteCached({ verb: "list", resource: declared.resource, target: "children" }, found);
    return found;
  }

  /** The child as it is. Where it matters whether it exists, the server is asked for one that the cache does not show. */
  async #present(
    { resource, isOwned, informer, verbs }: DeclaredKind,
    key: string,
    { metadata = {} }: KubeObject,
    { adopt = true }: ApplyOptions,
  ): Promise<KubeObject | undefined> {
    const cached = informer?.store.get(key);
    const mayCreate = verbs.has("create") && (adopt === true || !isOwned);
    if (cached || mayCreate) return cached;
    const { name = "", namespace } = metadata;
    const { client } = this.#scope;
    return this.#run
      .readObject(resource, key, (bounds) => client.live.get(resource, name, { ...bounds, namespace }))
      .catch(absent);
  }

  #demandOurs(kind: DeclaredKind, child: KubeObject, live: KubeObject, { adopt = true }: ApplyOptions): void {
    const other = otherController(live, this.#owner);
    const isOrphan = !other && !getControllerOf(live);
    const isAdopted = adopt === true || (adopt === "orphans" && this.#wasOurs(kind, child, live));
    if (other || (isOrphan && !isAdopted))
      throw new ForeignChildError(`${kind.resource.kind} ${objectKey(child)}`, other);
  }

  /** True when we have applied an object before, for an owner of the same name: its labels show it. */
  #wasOurs({ informer }: DeclaredKind, { metadata }: KubeObject, live: KubeObject): boolean {
    const { fieldManager } = this.#scope;
    const isApplied =
      (informer?.ownFields(live) ?? []).some(({ subresource }) => subresource === "") ||
      (live.metadata?.managedFields ?? []).some(
        ({ manager, operation, subresource }) =>
          manager === fieldManager && operation === "Apply" && !subresource,
      );
    const labels = Object.entries(metadata?.labels ?? {});
    return isApplied && labels.every(([name, value]) => live.metadata?.labels?.[name] === value);
  }

  get #owner(): Owner {
    return { resource: this.#scope.resource, object: this.#run.object };
  }

  async #patch(
    { resource }: DeclaredKind,
    object: KubeObject,
    operations: readonly JsonPatchOperation[],
  ): Promise<void> {
    const { client, fieldManager } = this.#scope;
    const work = this.#run.write((bounds) =>
      testedPatch(client, resource, object, operations, { ...bounds, fieldManager }),
    );
    await this.#run.notes.write("patch", resource, objectKey(object), work, (patched) => patched);
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
    return informer.store.byIndex(controllerIndex, this.#run.object.metadata?.uid ?? "");
  }

  async #remove(
    { resource }: DeclaredKind,
    name: string,
    options: Parameters<CachedClient["delete"]>[2],
  ): Promise<void> {
    const propagationPolicy = options?.propagationPolicy ?? "Background";
    const { client } = this.#scope;
    this.#scope.applier.forget(resource, { name, namespace: options?.namespace });
    const work = this.#run.write((bounds) =>
      client.delete(resource, name, { ...bounds, ...options, propagationPolicy }),
    );
    await this.#run.notes
      .write("delete", resource, keyOf(name, options?.namespace), work, answered)
      .catch(absent);
  }
}

function mayNotCreate({ resource, isOwned }: DeclaredKind, key: string): ApiError {
  const declaration = `${isOwned ? "owned" : "used"}(${resource.kind})`;
  const remedy = `create it, or add "create" to the verbs of ${declaration}`;
  return new ApiError(`${resource.kind} ${key} does not exist: ${remedy}`, { code: 404, reason: "NotFound" });
}

function identity({ resource }: DeclaredKind, key: string): string {
  return `${resource.plural}.${resource.group} ${key}`;
}

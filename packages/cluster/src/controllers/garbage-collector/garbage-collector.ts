// Deletes what has lost its last owner, in the background or before its owner goes; and takes owners away from what is to
// outlive them.
import { apiVersionOf, hasFinalizer, isNotFound, type OwnerReference } from "@kubewright/api";
import {
  type DynamicResource,
  metadataOnly,
  type PartialObjectMetadata,
  type PropagationPolicy,
} from "@kubewright/client";
import type { BuiltInController, ControllerEnvironment, RunningController } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";
import {
  foregroundFinalizer,
  type GraphNode,
  type Identity,
  ObjectGraph,
  orphanFinalizer,
} from "./object-graph.js";

export const garbageCollector: BuiltInController = {
  name: "garbage-collector",
  start: (environment) => new GarbageCollector(environment).start(),
};

/** A kind that is not served may be so again. */
const unknownKindDelay = 30_000;

/** Owners remembered as gone. */
const mostAbsent = 500;

interface SortedOwners {
  readonly solid: OwnerReference[];
  readonly dangling: OwnerReference[];
  /** Being deleted, and waiting for this object. */
  readonly waiting: OwnerReference[];
}

class GarbageCollector implements RunningController {
  readonly #environment: ControllerEnvironment;
  readonly #loop: SyncLoop;
  readonly #graph: ObjectGraph;
  /** Owners that are known to be gone, by uid: the latest of them. */
  readonly #absent = new Set<string>();
  #watching: Promise<() => void> | undefined;

  constructor(environment: ControllerEnvironment) {
    this.#environment = environment;
    this.#loop = new SyncLoop(environment, { name: "garbage-collector", sync: (key) => this.#sync(key) });
    this.#graph = new ObjectGraph({
      examine: (uid) => this.#loop.add(`examine ${uid}`),
      orphan: (uid) => this.#loop.add(`orphan ${uid}`),
      misplaced: (uid, owner) => this.#loop.add(`misplaced ${uid} ${owner}`),
    });
  }

  /** Does not wait for the graph: nothing is collected before it is whole. */
  async start(): Promise<this> {
    this.#watching = this.#environment.everyKind.subscribe((resource, { current, previous }) => {
      if (current) this.#graph.put(identityOf(resource, current), current);
      if (previous && previous.metadata.uid !== current?.metadata.uid)
        this.#onGone(previous.metadata.uid ?? "");
    });
    this.#watching
      .then(() => this.#loop.start())
      .catch((error: unknown) => this.#environment.report("garbage-collector", error));
    return this;
  }

  async close(): Promise<void> {
    const unsubscribe = await this.#watching?.catch(() => undefined);
    unsubscribe?.();
    await this.#loop.close();
  }

  /** Its dependents are about to be examined, and need not look for it. */
  #onGone(uid: string): void {
    if ((this.#graph.get(uid)?.dependents.size ?? 0) > 0) this.#rememberAbsent(uid);
    this.#graph.remove(uid);
  }

  #rememberAbsent(uid: string): void {
    const { value: oldest = "" } = this.#absent.values().next();
    if (this.#absent.size >= mostAbsent) this.#absent.delete(oldest);
    this.#absent.add(uid);
  }

  async #sync(key: string): Promise<number | undefined> {
    const [task, uid = "", owner = ""] = key.split(" ");
    const node = this.#graph.get(uid);
    if (!node) return undefined;
    const resource = await this.#resourceOf(node.identity);
    if (!resource) return unknownKindDelay;
    if (task === "misplaced") return this.#reportMisplaced(node, resource, owner);
    const object = await this.#read(resource, node.identity, uid);
    if (!object) this.#graph.remove(uid);
    else if (task === "orphan") await this.#orphan(node, resource, object);
    else await this.#examine(node, resource, object);
    return undefined;
  }

  #reportMisplaced(
    { identity, owners, uid }: GraphNode,
    resource: DynamicResource,
    ownerUid: string,
  ): undefined {
    const owner = owners.find((one) => one.uid === ownerUid);
    if (!owner) return;
    const { name, namespace } = identity;
    const shown = `[${owner.apiVersion}/${owner.kind}, namespace: ${namespace}, name: ${owner.name}, uid: ${ownerUid}]`;
    const message = `ownerRef ${shown} does not exist in namespace "${namespace}"`;
    const about = { metadata: { name, namespace, uid } };
    this.#environment
      .events("garbage-collector-controller")
      .warning(resource, about, "OwnerRefInvalidNamespace", message);
  }

  async #examine(node: GraphNode, resource: DynamicResource, object: PartialObjectMetadata): Promise<void> {
    if (node.isDeletingDependents) return this.#deleteDependents(node, resource, object);
    if (object.metadata.deletionTimestamp) return;
    const owners = object.metadata.ownerReferences ?? [];
    if (owners.length === 0) return;
    const { solid, dangling, waiting } = await this.#sort(owners, object.metadata.namespace);
    if (solid.length > 0) {
      if (dangling.length + waiting.length > 0)
        await this.#patch(resource, object, { ownerReferences: solid });
      return;
    }
    if (waiting.length > 0 && node.dependents.size > 0) {
      // Dependents that wait for their own dependents may in the end wait for this one: then nobody would ever go.
      const isMutual = [...node.dependents].some((dependent) => dependent.isDeletingDependents);
      const unblocked = isMutual ? await this.#unblock(resource, object) : object;
      if (unblocked) await this.#delete(resource, unblocked, "Foreground");
      return;
    }
    await this.#delete(resource, object, policyOf(object));
  }

  /** The owner goes when nothing that blocks it is left. */
  async #deleteDependents(
    node: GraphNode,
    resource: DynamicResource,
    object: PartialObjectMetadata,
  ): Promise<void> {
    const blocking = [...node.dependents].filter((dependent) =>
      dependent.owners.some((owner) => owner.uid === node.uid && owner.blockOwnerDeletion),
    );
    for (const dependent of blocking)
      if (!dependent.isDeletingDependents) this.#loop.add(`examine ${dependent.uid}`);
    if (blocking.length === 0) await this.#removeFinalizer(resource, object, foregroundFinalizer);
  }

  async #orphan(node: GraphNode, resource: DynamicResource, object: PartialObjectMetadata): Promise<void> {
    if (!object.metadata.deletionTimestamp || !hasFinalizer(object, orphanFinalizer)) return;
    for (const dependent of node.dependents) {
      const kind = await this.#resourceOf(dependent.identity);
      const child = kind && (await this.#read(kind, dependent.identity, dependent.uid));
      if (!child) continue;
      const kept = (child.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== node.uid);
      await this.#patch(kind, child, { ownerReferences: kept });
    }
    await this.#removeFinalizer(resource, object, orphanFinalizer);
  }

  async #sort(owners: readonly OwnerReference[], namespace: string | undefined): Promise<SortedOwners> {
    const sorted: SortedOwners = { solid: [], dangling: [], waiting: [] };
    for (const owner of owners) {
      if (this.#absent.has(owner.uid)) {
        sorted.dangling.push(owner);
        continue;
      }
      const resource = await this.#resourceOf(owner);
      // Better to keep what has an owner of an unknown kind than to lose it.
      const found = resource ? await this.#read(resource, { ...owner, namespace }, owner.uid) : "unknown";
      if (found === undefined) {
        this.#rememberAbsent(owner.uid);
        sorted.dangling.push(owner);
      } else if (found !== "unknown" && isWaiting(found)) sorted.waiting.push(owner);
      else sorted.solid.push(owner);
    }
    return sorted;
  }

  async #resourceOf({
    apiVersion,
    kind,
  }: Pick<Identity, "apiVersion" | "kind">): Promise<DynamicResource | undefined> {
    try {
      return await this.#environment.client.live.resource({ apiVersion, kind });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** The object as the server has it; undefined when that very one is gone. */
  async #read(
    resource: DynamicResource,
    { name, namespace }: Pick<Identity, "name" | "namespace">,
    uid: string,
  ): Promise<PartialObjectMetadata | undefined> {
    const place = resource.scope === "Namespaced" ? { namespace } : {};
    if (resource.scope === "Namespaced" && !namespace) return undefined;
    try {
      const found = await this.#environment.client.live.get(metadataOnly(resource), name, place);
      return found.metadata.uid === uid ? found : undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  #unblock(
    resource: DynamicResource,
    object: PartialObjectMetadata,
  ): Promise<PartialObjectMetadata | undefined> {
    const ownerReferences = (object.metadata.ownerReferences ?? []).map((owner) => ({
      ...owner,
      blockOwnerDeletion: false,
    }));
    return this.#patch(resource, object, { ownerReferences });
  }

  async #removeFinalizer(
    resource: DynamicResource,
    object: PartialObjectMetadata,
    finalizer: string,
  ): Promise<void> {
    const finalizers = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
    await this.#patch(resource, object, { finalizers });
  }

  /** The object after the change; undefined when it is gone. */
  async #patch(
    resource: DynamicResource,
    object: PartialObjectMetadata,
    change: object,
  ): Promise<PartialObjectMetadata | undefined> {
    const { name = "", namespace, uid, resourceVersion } = object.metadata;
    const merge = { metadata: { uid, resourceVersion, ...change } };
    try {
      const { metadata } = await this.#environment.client.patch(resource, name, { merge }, { namespace });
      return metadata && { ...object, metadata };
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #delete(
    resource: DynamicResource,
    object: PartialObjectMetadata,
    policy: PropagationPolicy,
  ): Promise<void> {
    const { name = "", namespace, uid, resourceVersion } = object.metadata;
    const preconditions = { uid, resourceVersion };
    try {
      await this.#environment.client.delete(resource, name, {
        namespace,
        preconditions,
        propagationPolicy: policy,
      });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

function identityOf(resource: DynamicResource, { metadata }: PartialObjectMetadata): Identity {
  const { name = "", namespace } = metadata;
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, name, namespace };
}

function isWaiting(object: PartialObjectMetadata): boolean {
  return object.metadata.deletionTimestamp !== undefined && hasFinalizer(object, foregroundFinalizer);
}

/** The propagation policy by the object's own finalizers. */
function policyOf(object: PartialObjectMetadata): PropagationPolicy {
  if (hasFinalizer(object, orphanFinalizer)) return "Orphan";
  return hasFinalizer(object, foregroundFinalizer) ? "Foreground" : "Background";
}

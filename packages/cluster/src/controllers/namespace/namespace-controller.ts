// A namespace that is being deleted takes everything in it along, whatever its kind, and goes when nothing is left.
import { deepEqual, Event, isNotFound, Namespace } from "@kubewright/api";
import { type DynamicResource, metadataOnly, type PartialObjectMetadata } from "@kubewright/client";
import type { StoreReader } from "@kubewright/runtime";
import type { BuiltInController, ControllerEnvironment, RunningController } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";
import { namespaceConditions, type Remains } from "./namespace-conditions.js";

export const namespaceController: BuiltInController = {
  name: "namespace",
  start: (environment) => new Namespaces(environment).start(),
};

/** The finalizer in the spec of every namespace. */
const finalizer = "kubernetes";
/** Remaining objects are listed again after this time, should a change have been missed. */
const recheck = 15_000;

class Namespaces implements RunningController {
  readonly #environment: ControllerEnvironment;
  readonly #loop: SyncLoop;
  readonly #namespaces: StoreReader<Namespace>;
  #watching: Promise<() => void> | undefined;

  constructor(environment: ControllerEnvironment) {
    this.#environment = environment;
    this.#loop = new SyncLoop(environment, { name: "namespace", sync: (key) => this.#sync(key) });
    this.#namespaces = this.#loop.watch(Namespace, ({ key, current }) =>
      isTerminating(current) ? [key] : [],
    );
  }

  async start(): Promise<this> {
    this.#watching = this.#environment.everyKind.subscribe((_resource, { current, previous }) => {
      const namespace = (current ?? previous)?.metadata.namespace;
      if (namespace && isTerminating(this.#namespaces.get(namespace))) this.#loop.add(namespace);
    });
    this.#watching
      .then(() => this.#loop.start())
      .catch((error: unknown) => this.#environment.report("namespace", error));
    return this;
  }

  async close(): Promise<void> {
    const unsubscribe = await this.#watching?.catch(() => undefined);
    unsubscribe?.();
    await this.#loop.close();
  }

  async #sync(name: string): Promise<number | undefined> {
    const namespace = this.#namespaces.get(name);
    if (!namespace || !isTerminating(namespace)) return undefined;
    const failures = await this.#deleteContents(name);
    const remains = await this.#remains(name);
    const conditions = namespaceConditions(namespace, remains, failures, this.#environment.clock.now());
    if (remains.length > 0 || failures.length > 0) {
      await this.#writeConditions(namespace, conditions);
      return recheck;
    }
    await this.#finalize(await this.#writeConditions(namespace, conditions));
    return undefined;
  }

  /** Pods go first, and everything else when they are gone: nothing that still runs loses its policies or secrets. */
  async #deleteContents(namespace: string): Promise<readonly string[]> {
    const failures: string[] = [];
    const present = [...this.#environment.everyKind.inNamespace(namespace)];
    const pods = present.filter(([resource]) => isPods(resource));
    for (const [resource, objects] of pods.length > 0 ? pods : present) {
      if (objects.every(({ metadata }) => metadata.deletionTimestamp)) continue;
      await this.#deleteKind(resource, namespace).catch((error: unknown) => {
        failures.push(
          `${resource.plural}.${resource.group}: ${error instanceof Error ? error.message : error}`,
        );
      });
    }
    if (present.length === 0) await this.#environment.client.live.deleteCollection(Event, { namespace });
    return failures;
  }

  async #deleteKind(resource: DynamicResource, namespace: string): Promise<void> {
    const { client } = this.#environment;
    if (resource.verbs.includes("deletecollection")) {
      await client.deleteCollection(resource, { namespace, propagationPolicy: "Background" });
      return;
    }
    for (const { metadata } of (await client.live.list(resource, { namespace })).items)
      await client.delete(resource, metadata?.name ?? "", { namespace, propagationPolicy: "Background" });
  }

  /** The remaining objects: pods, or everything else. Asks the server, because the caches may not have the newest objects yet. */
  async #remains(namespace: string): Promise<Remains> {
    const found: (readonly [DynamicResource, readonly PartialObjectMetadata[]])[] = [];
    for (const resource of this.#environment.everyKind.resources) {
      if (resource.scope !== "Namespaced") continue;
      const { items } = await this.#environment.client.live
        .list(metadataOnly(resource), { namespace })
        .catch((error: unknown) => {
          if (isNotFound(error)) return { items: [] };
          throw error;
        });
      if (items.length > 0) found.push([resource, items]);
    }
    const pods = found.filter(([resource]) => isPods(resource));
    return pods.length > 0 ? pods : found;
  }

  async #writeConditions(
    namespace: Namespace,
    conditions: ReturnType<typeof namespaceConditions>,
  ): Promise<Namespace> {
    const kept = (namespace.status?.conditions ?? []).filter(
      ({ type }) => !conditions.some((condition) => condition.type === type),
    );
    const status = { ...namespace.status, conditions: [...kept, ...conditions] };
    if (deepEqual(status, namespace.status)) return namespace;
    return this.#environment.client.update(Namespace, { ...namespace, status }, { subresource: "status" });
  }

  async #finalize(namespace: Namespace): Promise<void> {
    const finalizers = (namespace.spec?.finalizers ?? []).filter((name) => name !== finalizer);
    try {
      await this.#environment.client.update(
        Namespace,
        { ...namespace, spec: { ...namespace.spec, finalizers } },
        { subresource: "finalize" },
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

const isPods = ({ group, plural }: DynamicResource): boolean => group === "" && plural === "pods";

function isTerminating(namespace: Namespace | undefined): boolean {
  return (
    namespace?.metadata?.deletionTimestamp !== undefined &&
    (namespace.spec?.finalizers ?? []).includes(finalizer)
  );
}

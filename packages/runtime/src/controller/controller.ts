// A running controller: changes in, keys through the queue, reconcile, results out.
import { type Clock, isConflict, type KubeObject, TerminalError } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import type { ObjectChange } from "../informer/delta-queue.js";
import type { Informer } from "../informer/informer.js";
import { type WorkItem, WorkQueue } from "../queue/work-queue.js";
import type { AnyResource, ControllerDefinition } from "./define-controller.js";
import { ReconcileRun } from "./reconcile-context.js";

export interface ControllerEnvironment {
  readonly client: Client;
  readonly clock: Clock;
  readonly fieldManager: string;
  informer(resource: AnyResource): Informer<KubeObject>;
  onError(controller: string, key: string, error: unknown): void;
}

export class Controller {
  readonly #definition: ControllerDefinition;
  readonly #environment: ControllerEnvironment;
  readonly #queue: WorkQueue;
  #workers: Promise<void>[] = [];

  constructor(definition: ControllerDefinition, environment: ControllerEnvironment) {
    this.#definition = definition;
    this.#environment = environment;
    this.#queue = new WorkQueue({ clock: environment.clock });
  }

  /** Waits for its caches, then works until closed. */
  async start(): Promise<void> {
    const { resource, owns, concurrency } = this.#definition;
    const main = this.#environment.informer(resource);
    main.onChange((change) => this.#enqueue(change.key, change, resource));
    for (const owned of owns) {
      this.#environment.informer(owned).onChange((change) => {
        for (const key of ownersOf(change, resource)) this.#enqueue(key, change, owned);
      });
    }
    await Promise.all([resource, ...owns].map((kind) => this.#environment.informer(kind).synced()));
    this.#workers = Array.from({ length: concurrency }, () => this.#work());
  }

  /** Takes no more keys and waits for those in hand. */
  async close(): Promise<void> {
    this.#queue.close();
    await Promise.all(this.#workers);
  }

  #enqueue(key: string, change: ObjectChange<KubeObject>, kind: AnyResource): void {
    const verb = change.previous ? (change.current ? "changed" : "deleted") : "added";
    this.#queue.add(key, {
      priority: change.initial ? "background" : "fresh",
      reason: `${kind.kind} ${change.key} ${verb}`,
    });
  }

  async #work(): Promise<void> {
    for (let item = await this.#queue.take(); item; item = await this.#queue.take()) {
      const done = this.#environment.clock.busy(`reconcile ${this.#definition.name} ${item.key}`);
      try {
        await this.#reconcile(item);
      } finally {
        this.#queue.done(item.key);
        done();
      }
    }
  }

  async #reconcile({ key, reasons }: WorkItem): Promise<void> {
    const { resource, owns, uses, reconcile, name } = this.#definition;
    const { client, fieldManager, onError } = this.#environment;
    const object = this.#environment.informer(resource).store.get(key);
    if (!object || object.metadata?.deletionTimestamp) return this.#queue.forget(key);
    try {
      const run = new ReconcileRun({
        client,
        resource,
        declared: [resource, ...owns, ...uses],
        object,
        reasons,
        fieldManager,
      });
      const result = await reconcile(object, run);
      await run.finish();
      this.#queue.forget(key);
      if (result?.requeueAfter !== undefined) this.#queue.addAfter(key, result.requeueAfter);
    } catch (error) {
      if (!isConflict(error)) onError(name, key, error);
      if (error instanceof TerminalError) this.#queue.forget(key);
      else this.#queue.retry(key);
    }
  }
}

/** Keys of the objects of a kind that control the changed one, before or after. */
function ownersOf({ previous, current }: ObjectChange<KubeObject>, owner: AnyResource): Set<string> {
  const keys = new Set<string>();
  for (const object of [previous, current]) {
    for (const reference of object?.metadata?.ownerReferences ?? []) {
      const sameGroup =
        reference.apiVersion.split("/")[0] === (owner.group || reference.apiVersion.split("/")[0]);
      if (!reference.controller || reference.kind !== owner.kind || !sameGroup) continue;
      const namespace = owner.scope === "Namespaced" ? object?.metadata?.namespace : undefined;
      keys.add(namespace ? `${namespace}/${reference.name}` : reference.name);
    }
  }
  return keys;
}

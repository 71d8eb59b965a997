// Keeps the objects that point at our webhooks right: at once when our authorities change, and again whenever somebody else
// has changed them. Every replica does this; what is right already is not written.
import { type Clock, isConflict, isNotFound, type KubeObject } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import { Informer } from "../informer/informer.js";
import { WorkQueue } from "../queue/work-queue.js";
import type { KeptObject } from "./kept-object.js";

export interface ConfigurationKeeperOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: (() => number) | undefined;
  readonly objects: readonly KeptObject[];
  readonly onWrite: (object: KeptObject) => void;
  readonly onError: (what: string, error: unknown) => void;
}

interface Kept {
  readonly object: KeptObject;
  readonly informer: Informer<KubeObject>;
}

export class ConfigurationKeeper {
  readonly #options: ConfigurationKeeperOptions;
  readonly #kept = new Map<string, Kept>();
  readonly #queue: WorkQueue;
  #working: Promise<void> = Promise.resolve();

  constructor(options: ConfigurationKeeperOptions) {
    const { clock, random } = options;
    this.#options = options;
    this.#queue = new WorkQueue({ clock, random, backoff: { base: 200, max: 60_000 } });
    for (const object of options.objects) {
      const key = `${object.resource.kind} ${object.name}`;
      this.#kept.set(key, { object, informer: this.#informerFor(key, object) });
    }
  }

  /** Resolves when each object has been looked at once, with whatever success. */
  async start(): Promise<void> {
    const attempts = [...this.#kept].map(([key, kept]) =>
      this.#attempt(kept).catch((error: unknown) => {
        this.#report(key, error);
        this.#queue.retry(key);
      }),
    );
    await Promise.all(attempts);
    this.#working = this.#work();
    for (const { informer } of this.#kept.values()) informer.start();
  }

  /** What is wanted has changed. */
  refresh(): void {
    for (const key of this.#kept.keys()) this.#queue.add(key, { urgent: true });
  }

  /** True when all objects there are have been seen to be right. */
  get isSettled(): boolean {
    return [...this.#kept.values()].every(
      ({ object, informer }) => informer.hasSynced && !object.correction(informer.store.get(object.name)),
    );
  }

  /** Ends it, and takes away what is there only as long as the manager is. */
  async close(): Promise<void> {
    this.#queue.close();
    await this.#working;
    for (const kept of this.#kept.values()) await this.#removeTemporary(kept);
    await Promise.all([...this.#kept.values()].map(({ informer }) => informer.close()));
  }

  /** Unless somebody else has made it theirs meanwhile. */
  async #removeTemporary({ object, informer }: Kept): Promise<void> {
    const found = informer.store.get(object.name);
    if (!object.isTemporary || !found || object.correction(found)) return;
    const { uid, resourceVersion } = found.metadata ?? {};
    await this.#options.client
      .delete(object.resource, object.name, { preconditions: { uid, resourceVersion } })
      .catch((error: unknown) => {
        if (!isNotFound(error) && !isConflict(error)) this.#options.onError(object.name, error);
      });
  }

  async #work(): Promise<void> {
    for (let item = await this.#queue.take(); item; item = await this.#queue.take()) {
      const kept = this.#kept.get(item.key);
      try {
        if (kept) await this.#attempt(kept);
        this.#queue.forget(item.key);
      } catch (error) {
        this.#report(item.key, error);
        this.#queue.retry(item.key);
      }
      this.#queue.done(item.key);
    }
  }

  async #attempt({ object, informer }: Kept): Promise<void> {
    const { client, onWrite } = this.#options;
    const found = informer.hasSynced ? informer.store.get(object.name) : await this.#read(object);
    const correct = object.correction(found);
    if (!correct) return;
    informer.recordWrite(await correct(client));
    onWrite(object);
  }

  #read({ resource, name }: KeptObject): Promise<KubeObject | undefined> {
    return this.#options.client.get(resource, name).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  }

  #report(key: string, error: unknown): void {
    if (!isConflict(error)) this.#options.onError(key, error);
  }

  #informerFor(key: string, { resource, name }: KeptObject): Informer<KubeObject> {
    const { client, clock, random, onError } = this.#options;
    const informer = new Informer<KubeObject>({
      client,
      clock,
      random,
      resource,
      fieldSelector: `metadata.name=${name}`,
      transform: withoutSchemas,
      onError: (error) => onError(key, error),
    });
    informer.onChange(() => this.#queue.add(key, { urgent: true }));
    return informer;
  }
}

/** Definitions are large, and only how they convert matters here. */
function withoutSchemas(object: KubeObject): KubeObject {
  if (object.kind !== "CustomResourceDefinition" || !("spec" in object)) return object;
  const { apiVersion, kind, metadata, spec } = object;
  const conversion =
    typeof spec === "object" && spec !== null && "conversion" in spec ? spec.conversion : undefined;
  const kept = { apiVersion, kind, metadata, spec: { conversion } };
  return kept;
}

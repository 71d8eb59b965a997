// Keeps the configurations of our webhooks up to date: at once when our CAs change, and again when somebody else has changed them,
// with a growing backoff when that goes on. What is up to date already is not written.
import { type Clock, isConflict, isNotFound, type KubeObject } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import { Informer } from "../informer/informer.js";
import { WorkQueue } from "../queue/work-queue.js";
import type { KeptObject } from "./kept-object.js";
import { Overwrites } from "./overwrites.js";
import { overwrittenError } from "./overwritten-error.js";

export interface ConfigurationKeeperOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: (() => number) | undefined;
  readonly objects: readonly KeptObject[];
  /** The field manager of this manager. */
  readonly fieldManager: string;
  /** True when an object that others keep changing back is left to them in the end; otherwise it is corrected with a growing backoff. */
  readonly givesWay: boolean;
  readonly onWrite: (object: KeptObject) => void;
  readonly onError: (what: string, error: unknown) => void;
}

interface Kept {
  readonly key: string;
  readonly object: KeptObject;
  readonly informer: Informer<KubeObject>;
}

/** The number of overwrites from which on they are reported. */
const reportedFrom = 4;

export class ConfigurationKeeper {
  readonly #options: ConfigurationKeeperOptions;
  readonly #kept = new Map<string, Kept>();
  readonly #queue: WorkQueue;
  readonly #overwrites: Overwrites;
  /** Objects that are left to others. */
  readonly #left = new Set<string>();
  #working: Promise<void> = Promise.resolve();

  constructor(options: ConfigurationKeeperOptions) {
    const { clock, random } = options;
    this.#options = options;
    this.#overwrites = new Overwrites(clock);
    this.#queue = new WorkQueue({ clock, random, backoff: { base: 200, max: 60_000 } });
    for (const object of options.objects) {
      const key = `${object.resource.kind} ${object.name}`;
      this.#kept.set(key, { key, object, informer: this.#informerFor(key, object) });
    }
  }

  /** Resolves when each object has been reconciled once, with whatever success. */
  async start(): Promise<void> {
    const attempts = [...this.#kept.values()].map((kept) =>
      this.#attempt(kept).catch((error: unknown) => {
        this.#report(kept.key, error);
        this.#queue.retry(kept.key);
      }),
    );
    await Promise.all(attempts);
    this.#working = this.#work();
    for (const { informer } of this.#kept.values()) informer.start();
  }

  /** The desired state has changed. */
  refresh(): void {
    this.#overwrites.reset();
    for (const key of this.#kept.keys()) this.#queue.add(key, { urgent: true });
  }

  /** True when all objects there are have been seen to be up to date. */
  get isSettled(): boolean {
    return [...this.#kept.values()].every(
      ({ object, informer }) => informer.hasSynced && !object.correction(informer.store.get(object.name)),
    );
  }

  /** Stops writing. With `release` it takes back what is there only while the manager runs. */
  async close({ release }: { readonly release: boolean }): Promise<void> {
    this.#queue.close();
    await this.#working;
    if (release) for (const kept of this.#kept.values()) await this.#release(kept);
    await Promise.all([...this.#kept.values()].map(({ informer }) => informer.close()));
  }

  async #release({ key, object, informer }: Kept): Promise<void> {
    const release = object.release(informer.store.get(object.name));
    await release?.(this.#options.client).catch((error: unknown) => {
      // Somebody else has changed or deleted it meanwhile, and it is theirs.
      if (!isNotFound(error) && !isConflict(error)) this.#options.onError(key, error);
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

  async #attempt(kept: Kept): Promise<void> {
    const { key, object, informer } = kept;
    if (this.#left.has(key)) return;
    const { client, onWrite } = this.#options;
    const found = informer.hasSynced ? informer.store.get(object.name) : await this.#read(object);
    const correct = object.correction(found);
    if (!correct) return this.#overwrites.right(key);
    if (!(await this.#mayCorrect(kept))) return;
    informer.recordWrite(await correct(client));
    this.#overwrites.right(key);
    onWrite(object);
  }

  /** True when an object may be corrected now; if not, it is tried again later, or never. */
  async #mayCorrect({ key, object }: Kept): Promise<boolean> {
    const { givesWay, fieldManager, onError } = this.#options;
    const { count, delay, isNew } = this.#overwrites.wrong(key);
    if (count >= reportedFrom && isNew) {
      if (givesWay) this.#left.add(key);
      onError(key, overwrittenError(object, await this.#read(object), { fieldManager, isLeft: givesWay }));
    }
    if (this.#left.has(key)) return false;
    if (delay > 0) this.#queue.addAfter(key, delay);
    return delay === 0;
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

/** CRDs are large, and only their conversion matters here. */
function withoutSchemas(object: KubeObject): KubeObject {
  if (object.kind !== "CustomResourceDefinition" || !("spec" in object)) return object;
  const { apiVersion, kind, metadata, spec } = object;
  const conversion =
    typeof spec === "object" && spec !== null && "conversion" in spec ? spec.conversion : undefined;
  const kept = { apiVersion, kind, metadata, spec: { conversion } };
  return kept;
}

// Writes the status that reconciles set, only where it differs from what is there.
import { ApiError, type Clock, isNotFound, isObject, type KubeObject } from "@kubewright/api";
import type { JsonPatchOperation } from "@kubewright/client";
import type { CachedClient } from "../../informer/cached-client.js";
import type { JsonRecord } from "../apply/json-record.js";
import { typeInfoAt, typeInfoOf } from "../kind-schema.js";
import type { AnyResource } from "../kinds.js";
import type { Send } from "../run.js";
import { testedPatch } from "../tested-patch.js";
import { Debounce } from "./debounce.js";
import { type StatusShape, statusPatch } from "./status-patch.js";

export interface StatusWriterOptions {
  readonly client: CachedClient;
  readonly clock: Clock;
  readonly resource: AnyResource;
  readonly fieldManager: string;
}

/** The status a reconcile has set. */
export interface StatusUpdate {
  readonly status: JsonRecord;
  /** The debounce of a field in milliseconds, by its JSON pointer. */
  readonly debounce?: ReadonlyMap<string, number> | undefined;
  /** Sends the write, if there is one. */
  readonly send: (request: Send<KubeObject>) => Promise<KubeObject>;
  /** Reads the object from the server, where the cache may not know what was written. */
  readonly read: (request: Send<KubeObject>) => Promise<KubeObject>;
}

const limit = 10_000;

export class StatusWriter {
  readonly #options: StatusWriterOptions;
  readonly #debounce: Debounce;
  /** The uids of objects whose last write may or may not have been committed: the cache cannot tell what their status is. */
  readonly #uncertain = new Set<string>();
  #shape: StatusShape | undefined;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
    this.#debounce = new Debounce(() => options.clock.monotonic());
  }

  /** The fields that the status of the kind has. */
  get shape(): StatusShape {
    this.#shape ??= shapeOf(this.#options.resource);
    return this.#shape;
  }

  /**
   * Writes the status of an object, if that changes anything. An object that is gone needs no status. Where all that
   * changes can wait, returns for how many milliseconds, instead of writing.
   */
  async write(cached: KubeObject, update: StatusUpdate): Promise<number | undefined> {
    const { client, clock, resource, fieldManager } = this.#options;
    const object = await this.#certain(cached, update.read);
    if (!object) return undefined;
    const current = "status" in object && isObject(object.status) ? object.status : undefined;
    const { generation, uid = "" } = object.metadata ?? {};
    const operations = statusPatch(update.status, {
      current,
      generation,
      shape: this.shape,
      now: clock.now(),
    });
    const wait = operations.length > 0 && current ? this.#wait(uid, operations, update.debounce) : 0;
    if (wait > 0) return wait;
    this.#debounce.end(uid);
    if (operations.length === 0) return undefined;
    const subresource = resource.subresources.includes("status") ? "status" : undefined;
    const send: Send<KubeObject> = (bounds) =>
      testedPatch(client, resource, object, operations, { ...bounds, fieldManager, subresource });
    await update.send(send).catch((error: unknown) => {
      if (isUncertain(error)) this.#doubt(uid);
      if (!isNotFound(error)) throw error;
    });
    return undefined;
  }

  /** Objects that vanish meanwhile are forgotten when there are too many. */
  #doubt(uid: string): void {
    this.#uncertain.add(uid);
    const [oldest] = this.#uncertain;
    if (this.#uncertain.size > limit && oldest !== undefined) this.#uncertain.delete(oldest);
  }

  /**
   * The object with the status it has. A write whose answer was lost shows in the cache only when its event arrives, which need not cause a
   * reconcile: compared with the cache, a status would seem to be right that is not. Undefined when the object is gone.
   */
  async #certain(cached: KubeObject, read: StatusUpdate["read"]): Promise<KubeObject | undefined> {
    const { name = "", namespace, uid = "" } = cached.metadata ?? {};
    if (!this.#uncertain.has(uid)) return cached;
    const { client, resource } = this.#options;
    const live = await read((bounds) => client.live.get(resource, name, { ...bounds, namespace })).catch(
      absent,
    );
    this.#uncertain.delete(uid);
    return live?.metadata?.uid === uid ? live : undefined;
  }

  #wait(uid: string, operations: readonly JsonPatchOperation[], debounce: StatusUpdate["debounce"]): number {
    let allowed = Number.POSITIVE_INFINITY;
    for (const { path } of operations) allowed = Math.min(allowed, debounce?.get(path) ?? 0);
    return allowed === 0 ? 0 : this.#debounce.wait(uid, allowed);
  }
}

/** Whether the server may have done what it was asked for. */
const isUncertain = (error: unknown): boolean => !(error instanceof ApiError) || error.code >= 500;

function absent(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

function shapeOf(resource: AnyResource): StatusShape {
  const typeInfo = typeInfoOf(resource);
  const has = (...place: string[]): boolean => typeInfoAt(typeInfo, ["status", ...place]) !== undefined;
  return {
    hasObservedGeneration: has("observedGeneration"),
    hasConditions: has("conditions"),
    hasConditionGeneration: has("conditions", "*", "observedGeneration"),
  };
}

// Writes the status that reconciles set, only where it differs from what is there.
import { type Clock, isNotFound, isObject, type KubeObject } from "@kubewright/api";
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
}

export class StatusWriter {
  readonly #options: StatusWriterOptions;
  readonly #debounce: Debounce;
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
  async write(object: KubeObject, update: StatusUpdate): Promise<number | undefined> {
    const { client, clock, resource, fieldManager } = this.#options;
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
      if (!isNotFound(error)) throw error;
    });
    return undefined;
  }

  #wait(uid: string, operations: readonly JsonPatchOperation[], debounce: StatusUpdate["debounce"]): number {
    let allowed = Number.POSITIVE_INFINITY;
    for (const { path } of operations) allowed = Math.min(allowed, debounce?.get(path) ?? 0);
    return allowed === 0 ? 0 : this.#debounce.wait(uid, allowed);
  }
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

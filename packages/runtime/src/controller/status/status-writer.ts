// Writes what reconciles say, only where it differs from what is there.
import { type Clock, isNotFound, type KubeObject } from "@kubewright/api";
import type { CallOptions, JsonPatchOperation } from "@kubewright/client";
import type { CachedClient } from "../../informer/cached-client.js";
import { isRecord, type JsonRecord } from "../apply/json-record.js";
import { factsAt, factsOf } from "../kind-schema.js";
import type { AnyResource } from "../kinds.js";
import { testedPatch } from "../tested-patch.js";
import { Patience } from "./patience.js";
import { type StatusShape, statusPatch } from "./status-patch.js";

export interface StatusWriterOptions {
  readonly client: CachedClient;
  readonly clock: Clock;
  readonly resource: AnyResource;
  readonly fieldManager: string;
}

/** What a reconcile said of its object. */
export interface Said {
  readonly status: JsonRecord;
  /** How many milliseconds the change of a field may wait, by its JSON pointer. */
  readonly patience?: ReadonlyMap<string, number> | undefined;
  /** Takes down what comes of the write, if there is one. */
  readonly note?: ((work: Promise<KubeObject>) => Promise<KubeObject>) | undefined;
}

export class StatusWriter {
  readonly #options: StatusWriterOptions;
  readonly #patience: Patience;
  #shape: StatusShape | undefined;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
    this.#patience = new Patience(() => options.clock.monotonic());
  }

  /** What the status of the kind has room for. */
  get shape(): StatusShape {
    this.#shape ??= shapeOf(this.#options.resource);
    return this.#shape;
  }

  /**
   * Writes what is said of an object, if that changes anything. An object that is gone needs no status. Where all that
   * changes can wait, returns for how many milliseconds, instead of writing.
   */
  async write(object: KubeObject, said: Said, bounds: () => CallOptions): Promise<number | undefined> {
    const { client, clock, resource, fieldManager } = this.#options;
    const current = "status" in object && isRecord(object.status) ? object.status : undefined;
    const { generation, uid = "" } = object.metadata ?? {};
    const operations = statusPatch(said.status, { current, generation, shape: this.shape, now: clock.now() });
    const wait = operations.length > 0 && current ? this.#wait(uid, operations, said.patience) : 0;
    if (wait > 0) return wait;
    this.#patience.end(uid);
    if (operations.length === 0) return undefined;
    const subresource = resource.subresources.includes("status") ? "status" : undefined;
    const options = { ...bounds(), fieldManager, subresource };
    const patching = testedPatch(client, resource, object, operations, options);
    await (said.note?.(patching) ?? patching).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
    return undefined;
  }

  #wait(uid: string, operations: readonly JsonPatchOperation[], patience: Said["patience"]): number {
    let allowed = Number.POSITIVE_INFINITY;
    for (const { path } of operations) allowed = Math.min(allowed, patience?.get(path) ?? 0);
    return allowed === 0 ? 0 : this.#patience.wait(uid, allowed);
  }
}

function shapeOf(resource: AnyResource): StatusShape {
  const facts = factsOf(resource);
  const has = (...place: string[]): boolean => factsAt(facts, ["status", ...place]) !== undefined;
  return {
    hasObservedGeneration: has("observedGeneration"),
    hasConditions: has("conditions"),
    hasConditionGeneration: has("conditions", "*", "observedGeneration"),
  };
}

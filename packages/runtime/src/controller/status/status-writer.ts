// Writes what reconciles say, only where it differs from what is there.
import { type Clock, isNotFound, type KubeObject } from "@kubewright/api";
import type { CallOptions } from "@kubewright/client";
import type { CachedClient } from "../../informer/cached-client.js";
import { isRecord, type JsonRecord } from "../apply/json-record.js";
import { factsAt, factsOf } from "../kind-schema.js";
import type { AnyResource } from "../kinds.js";
import { testedPatch } from "../tested-patch.js";
import { type StatusShape, statusPatch } from "./status-patch.js";

export interface StatusWriterOptions {
  readonly client: CachedClient;
  readonly clock: Clock;
  readonly resource: AnyResource;
  readonly fieldManager: string;
}

export class StatusWriter {
  readonly #options: StatusWriterOptions;
  #shape: StatusShape | undefined;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  /** What the status of the kind has room for. */
  get shape(): StatusShape {
    this.#shape ??= shapeOf(this.#options.resource);
    return this.#shape;
  }

  /** Writes what is said of an object, if that changes anything. An object that is gone needs no status. */
  async write(object: KubeObject, said: JsonRecord, bounds: () => CallOptions): Promise<void> {
    const { client, clock, resource, fieldManager } = this.#options;
    const current = "status" in object && isRecord(object.status) ? object.status : undefined;
    const generation = object.metadata?.generation;
    const operations = statusPatch(said, { current, generation, shape: this.shape, now: clock.now() });
    if (operations.length === 0) return;
    const subresource = resource.subresources.includes("status") ? "status" : undefined;
    const options = { ...bounds(), fieldManager, subresource };
    await testedPatch(client, resource, object, operations, options).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
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

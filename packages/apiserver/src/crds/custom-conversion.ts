// Custom resources between the stored version and the requested one. A stored object may be older than the current schema: it gets the
// defaults of the version it is stored in, is converted, and is pruned by the schema of the requested version. Each object is converted
// once; readers share the result.

import { cloneJson, deepEqual, deepFreeze } from "@kubewright/api";
import { type DraftObject, requestCanceled, type StoredObject, unknownError } from "@kubewright/kinds";
import type { AnyObject, VersionedObject } from "@kubewright/machinery";

import type { RequestContext } from "../registry/request-context.js";
import type { Conversion } from "../registry/resource-kind.js";
import { whileParked } from "../request/in-flight.js";
import type { Converter } from "./converter.js";
import { SharedWork } from "./shared-work.js";
import type { VersionSchema } from "./version-schema.js";

/** The parts that the conversions of all versions of a CRD share. */
export interface ConversionPlan {
  readonly versions: ReadonlyMap<string, VersionSchema>;
  /** The version objects are stored in. */
  readonly storage: VersionSchema;
  readonly converter: Converter;
  /** Whether an object was written under this CRD in its only version; such an object needs no conversion. */
  isCurrent(object: StoredObject): boolean;
  /** An object is about to be stored. */
  storing(): void;
}

export class CustomConversion implements Conversion {
  readonly #target: VersionSchema;
  readonly #plan: ConversionPlan;
  readonly #served = new WeakMap<StoredObject, StoredObject>();
  /** Conversions in flight: the webhook is called once for an object, however many watchers need it. */
  readonly #pending = new WeakMap<StoredObject, SharedWork>();

  constructor(target: VersionSchema, plan: ConversionPlan) {
    this.#target = target;
    this.#plan = plan;
  }

  fromStorage(
    objects: readonly StoredObject[],
    context: RequestContext,
  ): readonly StoredObject[] | Promise<readonly StoredObject[]> {
    const served: StoredObject[] = [];
    for (const object of objects) {
      const known = this.#readNow(object);
      if (!known) return whileParked(context, this.#readLater(objects, context.request.signal));
      served.push(known);
    }
    return served;
  }

  /** The object in the requested version, where that needs no webhook. */
  #readNow(object: StoredObject): StoredObject | undefined {
    if (this.#plan.isCurrent(object)) return object;
    const known = this.#served.get(object);
    if (known) return known;
    const local = object.apiVersion === this.#target.apiVersion ? undefined : this.#plan.converter.local;
    if (object.apiVersion !== this.#target.apiVersion && !local) return undefined;
    const current = this.#current(object);
    const converted = local ? this.#pruned(local(current, this.#target.apiVersion)) : current;
    return this.#remember(object, converted);
  }

  async #readLater(
    objects: readonly StoredObject[],
    signal: AbortSignal | undefined,
  ): Promise<readonly StoredObject[]> {
    const missing = objects.filter((object) => !this.#readNow(object));
    const unasked = missing.filter((object) => this.#pending.get(object)?.isAbandoned !== false);
    if (unasked.length > 0) {
      const asked = new SharedWork((whileAnyoneWaits) => this.#convert(unasked, whileAnyoneWaits));
      for (const object of unasked) this.#pending.set(object, asked);
    }
    const pending = new Set(missing.map((object) => this.#pending.get(object)));
    await Promise.all([...pending].map((work) => work?.wait(signal)));
    return objects.map((object) => this.#readNow(object) ?? object);
  }

  async #convert(objects: readonly StoredObject[], signal: AbortSignal): Promise<void> {
    try {
      const current = objects.map((object) => this.#current(object));
      const converted = await this.#plan.converter.convert(current, this.#target.apiVersion, signal);
      for (const [index, object] of objects.entries()) {
        const draft = converted[index];
        if (draft) this.#remember(object, this.#pruned(draft));
      }
    } finally {
      // An abandoned conversion may have been started again by another request.
      if (!signal.aborted) for (const object of objects) this.#pending.delete(object);
    }
  }

  #remember(object: StoredObject, draft: DraftObject): StoredObject {
    const served = sharing(object, draft);
    this.#served.set(object, served);
    return served;
  }

  /** A copy, defaulted and pruned by the current schema of the version it is stored in. */
  #current(object: StoredObject): DraftObject {
    const version = this.#plan.versions.get(object.apiVersion);
    if (!version)
      throw unknownError(`request to convert CR from an invalid group/version: ${object.apiVersion}`);
    const draft: DraftObject = cloneJson(object);
    version.schema.normalize(draft, "storage");
    // Generations came later than the first custom resources.
    draft.metadata.generation ||= 1;
    return draft;
  }

  #pruned(draft: DraftObject): DraftObject {
    this.#target.schema.normalize(draft, "conversion");
    return draft;
  }

  toStorage(object: DraftObject, context: RequestContext): DraftObject | Promise<DraftObject> {
    const { storage, converter } = this.#plan;
    this.#plan.storing();
    if (object.apiVersion === storage.apiVersion) return object;
    const prune = (draft: DraftObject): DraftObject => {
      storage.schema.normalize(draft, "conversion");
      return draft;
    };
    if (converter.local) return prune(converter.local(cloneJson(object), storage.apiVersion));
    return this.#asked(object, storage.apiVersion, context).then(prune);
  }

  toVersion(
    object: AnyObject,
    apiVersion: string,
    context: RequestContext,
  ): VersionedObject | undefined | Promise<VersionedObject | undefined> {
    const version = this.#plan.versions.get(apiVersion);
    if (!version) return undefined;
    const draft = cloneJson(object) as DraftObject;
    const { local } = this.#plan.converter;
    const typed = (converted: DraftObject): VersionedObject => ({
      object: converted,
      typeInfo: version.typeInfo,
    });
    if (local) return typed(local(draft, apiVersion));
    return this.#asked(draft, apiVersion, context).then(typed);
  }

  /** Converts one object by webhook for this request alone. */
  async #asked(object: DraftObject, apiVersion: string, context: RequestContext): Promise<DraftObject> {
    const { signal } = context.request;
    const [converted = object] = await whileParked(
      context,
      this.#plan.converter.convert([object], apiVersion, signal),
    );
    if (signal?.aborted) throw requestCanceled();
    return converted;
  }
}

/** Shares the stored object's memory where conversion changed nothing, or only apiVersion. */
function sharing(object: StoredObject, draft: DraftObject): StoredObject {
  const { apiVersion } = draft;
  if (!deepEqual({ ...draft, apiVersion: object.apiVersion }, object))
    return deepFreeze(draft as unknown as StoredObject);
  return apiVersion === object.apiVersion ? object : Object.freeze({ ...object, apiVersion });
}

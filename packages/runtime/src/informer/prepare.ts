// Prepares objects from the server for the cache: validated, without unused fields, with repeated strings shared, transformed as the
// author configured, and frozen where that is configured. Results of own writes are prepared too.
import { deepFreeze, isObject, type KubeObject, type ManagedFieldsEntry } from "@kubewright/api";
import { objectKey } from "./object-key.js";
import type { OwnFields } from "./own-fields.js";
import { ValueSharer } from "./value-sharer.js";

export interface PrepareOptions<T> {
  /** Keeps managedFields in the objects. Default: they are dropped. */
  readonly keepManagedFields?: boolean | undefined;
  /** Keeps our own entries of the managedFields that are dropped. */
  readonly ownFields?: OwnFields | undefined;
  /** Makes objects smaller before they are stored. Must keep name, namespace, uid and resourceVersion. */
  readonly transform?: ((object: T) => T) | undefined;
  /** Freezes what is stored, so that a mutation throws at its own line. For development and tests. */
  readonly freeze?: boolean | undefined;
}

/** An object that cannot be cached: it is no object of its kind, or its transform failed. */
export class MalformedObjectError extends Error {
  override readonly name = "MalformedObjectError";
}

/** Prepares the objects of one kind. */
export class Preparer<T extends KubeObject> {
  readonly #options: PrepareOptions<T>;
  /** For what a transform makes: the decoder has shared the parts of everything else. */
  readonly #sharer: ValueSharer | undefined;

  constructor(options: PrepareOptions<T>) {
    this.#options = options;
    this.#sharer = options.transform && new ValueSharer();
  }

  /** The object as it is stored. One that is not shared may be changed in place. Throws a MalformedObjectError. */
  prepare(raw: T, isShared: boolean): T {
    check(raw);
    const { keepManagedFields, ownFields, freeze } = this.#options;
    const entries = raw.metadata?.managedFields;
    // With no socket in between, objects come frozen from the server's own store.
    const isOurs = !isShared && !Object.isFrozen(raw) && !Object.isFrozen(raw.metadata);
    const trimmed = entries && !keepManagedFields ? withoutManagedFields(raw, isOurs) : raw;
    const object = this.#transformed(trimmed);
    if (isOurs) this.#sharer?.shareParts(object);
    if (freeze) deepFreeze(object);
    if (entries && ownFields) ownFields.keep(object, entries);
    return object;
  }

  #transformed(object: T): T {
    const { transform } = this.#options;
    if (!transform) return object;
    let result: T;
    try {
      result = transform(object);
    } catch (cause) {
      throw new MalformedObjectError(`its transform failed: ${messageOf(cause)}`, { cause });
    }
    const same =
      objectKey(result) === objectKey(object) &&
      result.metadata?.uid === object.metadata?.uid &&
      result.metadata?.resourceVersion === object.metadata?.resourceVersion;
    if (!same)
      throw new MalformedObjectError("its transform changed name, namespace, uid or resourceVersion");
    return result;
  }
}

/** The server is trusted about the rest; without these fields an object cannot be identified. */
function check(raw: KubeObject): void {
  const metadata: unknown = isObject(raw) ? raw["metadata"] : undefined;
  if (!isObject(metadata)) throw new MalformedObjectError("it has no metadata");
  const { name, namespace, uid, resourceVersion, managedFields } = metadata;
  if (!isText(name)) throw new MalformedObjectError("it has no metadata.name");
  if (!isText(resourceVersion)) throw new MalformedObjectError("it has no metadata.resourceVersion");
  if (namespace !== undefined && !isText(namespace))
    throw new MalformedObjectError("its metadata.namespace is no text");
  if (uid !== undefined && !isText(uid)) throw new MalformedObjectError("its metadata.uid is no text");
  if (managedFields !== undefined && !Array.isArray(managedFields))
    throw new MalformedObjectError("its metadata.managedFields is no list");
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/** Absent means undefined: taking the field out would turn the object into a slow and larger dictionary. */
function withoutManagedFields<T extends KubeObject>(raw: T, isOurs: boolean): T {
  const dropped: { managedFields: readonly ManagedFieldsEntry[] | undefined } = { managedFields: undefined };
  if (!isOurs) return { ...raw, metadata: { ...raw.metadata, ...dropped } };
  Object.assign(raw.metadata ?? {}, dropped);
  return raw;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// Objects are stored in one version and served in several. Most conversions need no waiting, and then nothing here waits:
// lists and watches of many objects depend on it.

import type { StoredObject } from "@kubewright/kinds";
import type { RequestContext } from "./request-context.js";
import type { ResourceKind } from "./resource-kind.js";

/** One stored object in the version the request asked for. */
export function readServed(
  context: RequestContext,
  kind: ResourceKind,
  object: StoredObject,
): StoredObject | Promise<StoredObject> {
  if (!kind.conversion) return object;
  const served = kind.conversion.fromStorage([object], context);
  if (served instanceof Promise) return served.then(([first = object]) => first);
  return served[0] ?? object;
}

/** Many, in one conversion call. */
export function readAllServed(
  context: RequestContext,
  kind: ResourceKind,
  objects: readonly StoredObject[],
): readonly StoredObject[] | Promise<readonly StoredObject[]> {
  return kind.conversion ? kind.conversion.fromStorage(objects, context) : objects;
}

type ToStorage = NonNullable<ResourceKind["conversion"]>["toStorage"];

/** Brings an object as a request made it into the version it is stored in. */
export function toStored<T extends Parameters<ToStorage>[0]>(
  context: RequestContext,
  kind: ResourceKind,
  object: T,
): T | ReturnType<ToStorage> {
  return kind.conversion ? kind.conversion.toStorage(object, context) : object;
}

// Objects are stored in one version and served in several.
import type { RequestContext } from "../request/context.js";
import type { StoredObject } from "../storage/index.js";
import type { ResourceKind } from "./resource-kind.js";

/** One stored object in the version the request asked for. */
export async function readServed(
  context: RequestContext,
  kind: ResourceKind,
  object: StoredObject,
): Promise<StoredObject> {
  if (!kind.conversion) return object;
  const [served = object] = await kind.conversion.fromStorage([object], context);
  return served;
}

/** Many, in one conversion call. */
export async function readAllServed(
  context: RequestContext,
  kind: ResourceKind,
  objects: readonly StoredObject[],
): Promise<readonly StoredObject[]> {
  return kind.conversion ? kind.conversion.fromStorage(objects, context) : objects;
}

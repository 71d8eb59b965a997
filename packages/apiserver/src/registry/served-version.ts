// Objects are stored in one version and served in several. Most conversions need no waiting, and then nothing here waits:
// lists and watches of many objects depend on it.

import { type DraftObject, type StoredObject, unstored } from "@kubewright/kinds";
import { dropEmptyFields } from "@kubewright/machinery";
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

/** Brings an object into the form in which it is stored, in place: after all checks, and in a dry run, too. True where reading would complete it. */
export function settleForStorage({ custom, strategy }: ResourceKind, object: DraftObject): boolean {
  if (!custom) dropEmptyFields(object as never);
  strategy.beforeStore?.(object);
  return strategy.completeAsRead?.(object) ?? false;
}

/** Objects that kube-apiserver has stored without what it shows of them: the next write stores it, even where it changes nothing. */
const incomplete = new WeakSet<StoredObject>();

export const markIncomplete = (atRest: StoredObject): void => void incomplete.add(atRest);
export const isIncomplete = (atRest: StoredObject): boolean => incomplete.has(atRest);

type ToStorage = NonNullable<ResourceKind["conversion"]>["toStorage"];

/** Brings an object as a request made it into the version it is stored in. */
export function toStored<T extends Parameters<ToStorage>[0]>(
  context: RequestContext,
  kind: ResourceKind,
  object: T,
): T | ReturnType<ToStorage> {
  return kind.conversion ? kind.conversion.toStorage(object, context) : object;
}

/** The answer of a dry run: what a client would see if the object had been stored, which takes it through the stored version. */
export async function asIfStored(
  context: RequestContext,
  kind: ResourceKind,
  object: DraftObject,
): Promise<StoredObject> {
  if (!kind.conversion) return unstored(object);
  return readServed(context, kind, unstored(await toStored(context, kind, object)));
}

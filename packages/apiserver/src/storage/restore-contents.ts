// Brings a store back to what it held before, while it is served: everything that differs is written or deleted under new revisions,
// so that watchers follow as they follow any change, and versions never go backwards. Objects get back the uids they had.
import type { MemoryStorage, StorageContents, StorageRow } from "./memory-storage.js";

/** Without these no other object has a place: they are restored first and deleted last. */
const firstTables: readonly string[] = ["apiextensions.k8s.io/customresourcedefinitions", "namespaces"];

/** Returns how many objects were written or deleted. */
export function restoreContents(storage: MemoryStorage, { rows }: Pick<StorageContents, "rows">): number {
  const wanted = [...rows].sort(byTable);
  const ids = new Set(wanted.map(idOf));
  const surplus = [...storage.contents().rows].filter((row) => !ids.has(idOf(row))).sort(byTable);
  for (const { resource, key } of surplus.toReversed()) storage.delete(resource, key, "any");
  const changed = wanted.filter((row) => restoreRow(storage, row));
  return surplus.length + changed.length;
}

/** False when the object has not changed since. */
function restoreRow(storage: MemoryStorage, { resource, key, object }: StorageRow): boolean {
  const current = storage.get(resource, key)?.metadata;
  const { uid, resourceVersion, deletionTimestamp } = object.metadata;
  if (current?.uid === uid && current?.resourceVersion === resourceVersion) return false;
  const isAnother = current !== undefined && current.uid !== uid;
  // No change takes a deletion back, so watchers see the end of one object and the beginning of another.
  const isRevived = current?.deletionTimestamp !== undefined && deletionTimestamp === undefined;
  if (isAnother || isRevived) storage.delete(resource, key, "any");
  storage.put(resource, key, object, "any");
  return true;
}

const idOf = ({ resource, key }: StorageRow): string => `${resource} ${key}`;

function byTable(one: StorageRow, other: StorageRow): number {
  return placeOf(one) - placeOf(other);
}

function placeOf({ resource }: StorageRow): number {
  const place = firstTables.indexOf(resource);
  return place === -1 ? firstTables.length : place;
}

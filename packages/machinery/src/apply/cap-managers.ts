// Keeps the number of updaters bounded: the oldest are merged into one entry per API version.
import { compareText } from "../go-format.js";
import { type FieldManager, type FieldManagers, newFieldManager, secondsOf } from "./managed-fields.js";

const maxUpdaters = 10;
const ancient = "ancient-changes";

/** The managers with at most ten updaters, where merging can reach that. */
export function capUpdaters(managers: FieldManagers): FieldManagers {
  const updaters = [...managers.values()].filter(({ operation }) => operation === "Update");
  let excess = updaters.length - maxUpdaters;
  if (excess <= 0) return managers;
  updaters.sort((a, b) => secondsOf(a) - secondsOf(b) || compareText(a.id, b.id));
  const capped = new Map(managers);
  const firstOfVersion = new Map<string, FieldManager>();
  for (const updater of updaters) {
    if (excess <= 0) break;
    const first = firstOfVersion.get(updater.apiVersion);
    if (first) {
      mergeInto(capped, first, updater);
      excess--;
    } else {
      firstOfVersion.set(updater.apiVersion, updater);
    }
  }
  return capped;
}

/** Merges an updater into the entry for old changes of its version, which starts as the oldest one of that version. */
function mergeInto(managers: Map<string, FieldManager>, first: FieldManager, updater: FieldManager): void {
  const bucket = newFieldManager({ ...updater, name: ancient, subresource: "" });
  let old = managers.get(bucket.id);
  if (!old) {
    managers.delete(first.id);
    old = first;
  }
  managers.delete(updater.id);
  managers.set(bucket.id, { ...bucket, fields: updater.fields.union(old.fields) });
}

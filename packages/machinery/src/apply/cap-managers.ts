// Keeps the number of updaters bounded: the oldest are merged into one entry per API version.
import { compareText } from "../go-format.js";
import { type Manager, type Managers, newManager, secondsOf } from "./managers.js";

const maxUpdaters = 10;
const ancient = "ancient-changes";

/** The managers with at most ten updaters, where merging can reach that. */
export function capUpdaters(managers: Managers): Managers {
  const updaters = [...managers.values()].filter(({ operation }) => operation === "Update");
  let excess = updaters.length - maxUpdaters;
  if (excess <= 0) return managers;
  updaters.sort((a, b) => secondsOf(a) - secondsOf(b) || compareText(a.id, b.id));
  const capped = new Map(managers);
  const firstOfVersion = new Map<string, Manager>();
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
function mergeInto(managers: Map<string, Manager>, first: Manager, updater: Manager): void {
  const bucket = newManager({ ...updater, name: ancient, subresource: "" });
  let old = managers.get(bucket.id);
  if (!old) {
    managers.delete(first.id);
    old = first;
  }
  managers.delete(updater.id);
  managers.set(bucket.id, { ...bucket, fields: updater.fields.union(old.fields) });
}

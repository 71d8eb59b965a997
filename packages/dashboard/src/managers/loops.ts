// Loops: a controller writes an object, and the change of that same object makes it run and write again. Either its own write never
// settles, or somebody else changes the object back. Runs on a schedule write often too; those are no loop.
import type { LoopInfo, ReconcileInfo } from "../protocol.js";

/** So many writes of the same object that were caused by its change, within this many milliseconds. */
const many = 8;
const within = 10_000;

/** `now` is in milliseconds since the Unix epoch. */
export function loopsIn(records: readonly ReconcileInfo[], now: number): readonly LoopInfo[] {
  const counts = new Map<string, { readonly record: ReconcileInfo; count: number }>();
  for (const record of records) {
    if (now - Date.parse(record.began) > within) continue;
    for (const write of writesFromTheirOwnChange(record)) {
      const id = `${record.controller} ${record.key} ${write}`;
      const known = counts.get(id);
      if (known) known.count += 1;
      else counts.set(id, { record, count: 1 });
    }
  }
  return [...counts]
    .filter(([, { count }]) => count >= many)
    .map(
      ([
        id,
        {
          record: { controller, kind, key },
          count,
        },
      ]) => {
        const write = id.slice(controller.length + key.length + 2);
        const message = `reconciled ${count} times in 10 s by ${controller}: each time ${write}, and that change triggers the next`;
        return { controller, kind, key, message };
      },
    );
}

/** Reasons begin with the kind and the key of what changed. */
function writesFromTheirOwnChange({ reasons, writes }: ReconcileInfo): readonly string[] {
  return writes
    .filter(({ kind, key }) => reasons.some((reason) => reason.startsWith(`${kind} ${key} `)))
    .map(({ verb, kind, key }) => `${verb} ${kind} ${key}`);
}

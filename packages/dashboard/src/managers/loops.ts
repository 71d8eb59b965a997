// Loops: a controller writes an object, and the change of that same object makes it run and write again. Either its own write never
// settles, or somebody else changes the object back. Runs on a schedule write often too; those are no loop.
import type { LoopInfo, ReconcileInfo } from "../protocol.js";

/** So many reconciles that wrote the same thing, within this many milliseconds. */
const many = 8;
const within = 10_000;

/** `records` are oldest first; `now` is in milliseconds since the Unix epoch. */
export function loopsIn(records: readonly ReconcileInfo[], now: number): readonly LoopInfo[] {
  const groups = new Map<string, ReconcileInfo[]>();
  for (const record of records) {
    if (now - Date.parse(record.began) > within || !runsFromItsWrites(record)) continue;
    const id = `${record.controller} ${record.key}`;
    const group = groups.get(id) ?? [];
    group.push(record);
    groups.set(id, group);
  }
  return [...groups.values()].filter((group) => group.length >= many).flatMap(loopOf);
}

/** True when it was triggered by a change of something that it then wrote; reasons begin with the kind that changed. */
function runsFromItsWrites({ reasons, writes }: ReconcileInfo): boolean {
  return writes.some(({ kind }) => reasons.some((reason) => reason.startsWith(`${kind} `)));
}

function loopOf(group: readonly ReconcileInfo[]): readonly LoopInfo[] {
  const [first] = group;
  const write = mostFrequent(
    group.flatMap(({ writes }) => writes.map(({ verb, kind, key }) => `${verb} ${kind} ${key}`)),
  );
  const reason = mostFrequent(group.flatMap(({ reasons }) => reasons));
  // Writing many different things, such as one Pod after the other, is work and no loop.
  if (!first || !write || write.count < many) return [];
  const { controller, kind, key } = first;
  const because = reason ? `; it runs because: ${reason.text}` : "";
  const message = `reconciled ${group.length} times in 10 s, and each time: ${write.text}${because}`;
  return [{ controller, kind, key, message }];
}

function mostFrequent(
  texts: readonly string[],
): { readonly text: string; readonly count: number } | undefined {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const [first] = [...counts].sort((one, other) => other[1] - one[1]);
  return first && { text: first[0], count: first[1] };
}

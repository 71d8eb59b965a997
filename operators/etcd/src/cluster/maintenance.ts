// What a whole cluster needs now and then: history is compacted and space given back when a member is full, one member at a time, the
// leader last, since a member answers nobody while it is defragmented.
import { leaderOf, type Observed, type Slot, voters } from "./observed.js";
import type { Decision } from "./step.js";

const mebibyte = 1024 * 1024;
/** Below this much free space inside the file a defragmentation is not worth its pause. */
const worthwhile = 64 * mebibyte;
/** A full member takes writes again when its file is below this part of the quota. */
const enough = 0.9;

export function maintain(observed: Observed): Decision | undefined {
  const all = voters(observed);
  const full = all.filter(({ alarms }) => alarms.includes("NOSPACE"));
  if (full.length > 0) return makeSpace(observed, all, full);
  const fragmented = leaderLast(observed, all).find(
    ({ status }) => status && status.dbSize - status.dbSizeInUse > Math.max(worthwhile, status.dbSize / 2),
  );
  return fragmented && { phase: "Running", step: { kind: "defragment", member: fragmented.name } };
}

function makeSpace(observed: Observed, all: readonly Slot[], full: readonly Slot[]): Decision {
  const { history, wanted } = observed;
  if (history && history.compactRevision < history.revision)
    return { phase: "Degraded", step: { kind: "compact", revision: history.revision } };
  const fragmented = leaderLast(observed, all).find(
    ({ status }) =>
      status && status.dbSize - status.dbSizeInUse > mebibyte && status.dbSizeInUse < status.dbSize * enough,
  );
  if (fragmented) return { phase: "Degraded", step: { kind: "defragment", member: fragmented.name } };
  const [first] = full;
  const largest = Math.max(...all.map(({ status }) => status?.dbSize ?? 0));
  if (first?.member && largest < wanted.quota * enough)
    return {
      phase: "Degraded",
      step: { kind: "disarm", member: first.name, id: first.member.id, alarm: "NOSPACE" },
    };
  const message = `the data fills ${Math.round((largest / wanted.quota) * 100)} % of the quota even without its history: delete keys, or raise etcdOptions quota-backend-bytes`;
  return { phase: "Degraded", step: { kind: "wait", message } };
}

function leaderLast(observed: Observed, all: readonly Slot[]): readonly Slot[] {
  const leader = leaderOf(observed);
  return [...all.filter((slot) => slot !== leader), ...(leader ? [leader] : [])];
}

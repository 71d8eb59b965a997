// Who can be primary in place of another, and what a replica set is busy with.
import { isHealthy, membersOf, type Observed, type Slot, votersOf } from "./observed.js";
import type { Activity, Decision } from "./step.js";

/** A member this far behind the primary has not caught up, in milliseconds. */
const mayBeBehind = 10_000;

/** What a replica set that is not as wanted is busy with. */
export function activityOf(observed: Observed): Activity {
  const count = membersOf(observed).length;
  const { members, arbiters } = observed.wanted;
  if (observed.replicaSetId === undefined) return "Creating";
  return count === members + arbiters ? "Updating" : "Scaling";
}

export function hasCaughtUp({ report }: Slot, primary: Slot | undefined): boolean {
  const newest = primary?.report?.writtenAt;
  if (report?.state !== "SECONDARY" || newest === undefined || report.writtenAt === undefined) return false;
  return newest - report.writtenAt <= mayBeBehind;
}

/** The primary steps down only when a member that stays has caught up. */
export function handOver(observed: Observed, primary: Slot, why: string): Decision {
  const successor = votersOf(observed).find(
    (slot) => slot !== primary && !slot.isArbiter && isHealthy(slot) && hasCaughtUp(slot, primary),
  );
  const activity = activityOf(observed);
  return successor
    ? { activity, step: { kind: "step-down", member: primary.name, why } }
    : {
        activity,
        step: { kind: "wait", message: `no other member can be primary in place of ${primary.name} yet` },
      };
}

// Volume claims made by hand. Pods of a StatefulSet whose claims cannot be bound wait, and a user who deletes such a claim to make another in
// its place loses against the StatefulSet, which makes it again from its template at once. So when a claim without a volume was deleted
// under a pod that never ran, the StatefulSet is given no pods until the claims are there, or until a time is over.

import { claimName } from "./names.js";
import type { Observed, Slot } from "./observed.js";
import type { Decision, Step } from "./step.js";

/** How long claims made by hand are waited for, in milliseconds. */
export const holdTime = 10 * 60_000;

const creating = (step: Step): Decision => ({ activity: "Creating", step });

export function claimStep(observed: Observed): Decision | undefined {
  const { hold, now, replicaSetId, slots, wanted } = observed;
  // From then on members have data, and nothing here touches claims.
  if (replicaSetId !== undefined) return undefined;
  const data = slots.filter(({ isArbiter, ordinal }) => !isArbiter && ordinal < wanted.members);
  if (!hold)
    return data.some((slot) => wasReplaced(slot, now)) ? creating({ kind: "hold-claims" }) : undefined;
  if (data.some(({ pod }) => pod))
    return creating({ kind: "wait", message: "pods end, so that claims can be made by hand" });
  const fromTemplate = data.find(
    ({ claim }) => claim?.isFromTemplate && !claim.isBound && !claim.isTerminating,
  );
  if (fromTemplate && !isOver(observed))
    return creating({ kind: "delete-claim", claim: claimName(fromTemplate.name) });
  const missing = data.filter(({ claim }) => !claim || claim.isTerminating);
  if (missing.length === 0 || isOver(observed)) return creating({ kind: "release-claims" });
  const names = missing.map(({ name }) => claimName(name)).join(", ");
  return creating({
    kind: "wait",
    message: `claims were deleted: create ${names} by hand; after ten minutes they are made from the template again`,
  });
}

/** Caches of pods and claims may be so far apart, in milliseconds. */
const cacheLag = 2_000;

/** Its pod never ran, and the claim is gone or younger than the pod: somebody has deleted the first one. */
function wasReplaced({ pod, claim }: Slot, now: number): boolean {
  if (!pod || pod.isScheduled || pod.isTerminating || now - pod.createdAt < cacheLag) return false;
  if (!claim || claim.isTerminating) return true;
  return claim.isFromTemplate && !claim.isBound && claim.createdAt > pod.createdAt;
}

const isOver = ({ hold, now }: Observed): boolean => hold !== undefined && now - hold.since >= holdTime;

// Changes of version, configuration and template: one pod after the other, the primary last and only after it has stepped down, and the
// next only when all are healthy again.

import { handOver } from "./hand-over.js";
import { isHealthy, membersOf, type Observed, primaryOf, type Slot } from "./observed.js";
import { type Decision, wait } from "./step.js";

export function roll(observed: Observed): Decision | undefined {
  if (!observed.areTemplatesSeen) return wait("Updating", "the StatefulSet takes up a change");
  const all = membersOf(observed);
  const outdated = all.filter(({ pod }) => pod && !pod.isCurrent);
  if (outdated.length === 0) return undefined;
  const away = all.filter((slot) => !isHealthy(slot));
  // An outdated member that is broken may be what the change repairs.
  const broken = away.find((slot) => outdated.includes(slot) && !slot.pod?.isTerminating);
  if (away.length > (broken ? 1 : 0))
    return wait("Updating", `${away[0]?.name} is not healthy; no other is started again before it is`);
  const primary = primaryOf(observed);
  const next = broken ?? outdated.toReversed().find((slot) => slot !== primary) ?? outdated[0];
  if (!next || next.pod?.isTerminating) return wait("Updating", "a member is started again");
  const others = all.filter((slot) => slot !== next && !slot.isArbiter);
  if (next === primary && others.length > 0) return handOver(observed, next, "to be started again");
  return restart(next);
}

const restart = ({ name }: Slot): Decision => ({
  activity: "Updating",
  step: { kind: "restart", member: name, why: "to take up a change" },
});

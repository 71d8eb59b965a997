// Changes of version, resources, options and certificates: one member after the other, the leader last, and the next only when all are
// healthy again.
import { isHealthy, leaderOf, type Observed, type Slot, voters } from "./observed.js";
import type { Decision, Phase } from "./step.js";

export function roll(observed: Observed): Decision | undefined {
  const all = voters(observed);
  const outdated = all.filter(({ pod }) => pod && pod.hash !== observed.wanted.hash);
  const phase = phaseOf(observed, outdated);
  const away = all.filter((slot) => !isHealthy(slot));
  if (outdated.length === 0)
    return away[0]
      ? { phase: "Degraded", step: { kind: "wait", message: `${away[0].name} is not healthy` } }
      : undefined;
  // An outdated member that is broken may be what the change repairs.
  const broken = away.find((slot) => outdated.includes(slot));
  if (away.length > (broken ? 1 : 0))
    return {
      phase,
      step: {
        kind: "wait",
        message: `${away[0]?.name} is not healthy; no other is started again before it is`,
      },
    };
  const leader = leaderOf(observed);
  const next = broken ?? outdated.toReversed().find((slot) => slot !== leader) ?? outdated[0];
  if (!next || next.pod?.isTerminating)
    return { phase, step: { kind: "wait", message: "a member is started again" } };
  return { phase, step: next === leader ? handOver(next, all) : restart(next, observed) };
}

function phaseOf({ wanted }: Observed, outdated: readonly Slot[]): Phase {
  return outdated.some(({ pod }) => pod?.version !== wanted.version) ? "Upgrading" : "Updating";
}

const restart = ({ name, pod }: Slot, { wanted }: Observed) =>
  ({
    kind: "restart",
    member: name,
    why:
      pod?.version === wanted.version
        ? "to take up a change"
        : `to go from ${pod?.version} to ${wanted.version}`,
  }) as const;

/** The leader is started again by the steps that follow, when it leads no more. Alone it has nobody to hand over to. */
function handOver(leader: Slot, all: readonly Slot[]): Decision["step"] {
  const successor = all.find((slot) => slot !== leader && isHealthy(slot));
  if (!successor?.member) return { kind: "restart", member: leader.name, why: "to take up a change" };
  return { kind: "move-leader", from: leader.name, to: successor.name, id: successor.member.id };
}

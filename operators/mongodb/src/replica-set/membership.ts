// The steps that change who is a member of a replica set, and who of them votes: one at a time, and only while enough of them are healthy.
import { isVoting, type MemberConfig, majorityOf } from "../client/replica-set-documents.js";
import { activityOf, handOver, hasCaughtUp } from "./hand-over.js";
import {
  type Inside,
  isAnswering,
  isHealthy,
  membersOf,
  mostVoters,
  type Observed,
  primaryOf,
  type Slot,
  votersOf,
} from "./observed.js";
import { type Decision, decision, type Step, wait } from "./step.js";

const isWanted = ({ isArbiter, ordinal }: Slot, { wanted }: Observed): boolean =>
  ordinal < (isArbiter ? wanted.arbiters : wanted.members);

/** A member gets its vote when it has the data; the eighth and further ones never do. */
export function promoteMember(observed: Observed): Decision | undefined {
  const voters = votersOf(observed).length;
  const pending = membersOf(observed).find(
    (slot) =>
      slot.member && !isVoting(slot.member) && isWanted(slot, observed) && voters < votersWanted(observed),
  );
  if (!pending) return undefined;
  if (!isHealthy(pending))
    return wait(activityOf(observed), `${pending.name} copies the data${stateText(pending)}`);
  if (!hasCaughtUp(pending, primaryOf(observed)))
    return wait(activityOf(observed), `${pending.name} catches up`);
  return decision(activityOf(observed), { kind: "promote", member: pending.name });
}

/** Members with data that vote; arbiters come first, since they do nothing else. */
const votersWanted = ({ wanted }: Observed): number => Math.min(mostVoters, wanted.members + wanted.arbiters);

const stateText = ({ report, pod }: Slot): string =>
  pod?.problem ? `: ${pod.problem}` : report ? ` (${report.state})` : "";

/** Members beyond the wanted number go, the highest number first; a primary steps down before. */
export function removeMember(observed: Observed): Decision | undefined {
  const surplus = membersOf(observed).filter((slot) => !isWanted(slot, observed));
  const victim = surplus.find((slot) => !isAnswering(slot)) ?? surplus.at(-1);
  if (!victim) return undefined;
  const voters = votersOf(observed);
  const staying = voters.filter((slot) => slot !== victim);
  const healthy = staying.filter(isHealthy);
  const unwell = staying.find((slot) => !isHealthy(slot) && !surplus.includes(slot));
  if (healthy.length < majorityOf(staying.length))
    return wait(
      "Scaling",
      `${unwell?.name ?? "a member"} is not healthy; ${victim.name} is not removed before it is`,
    );
  if (victim.name === observed.primary)
    return handOver(observed, victim, "another number of members is wanted");
  return decision("Scaling", {
    kind: "remove-member",
    member: victim.name,
    why: "another number of members is wanted",
  });
}

export function addMember(observed: Observed, { config }: Inside): Decision | undefined {
  return add(observed, config.members, (slot) => !slot.isArbiter);
}

export function addArbiter(observed: Observed, { config }: Inside): Decision | undefined {
  return add(observed, config.members, (slot) => slot.isArbiter);
}

function add(
  observed: Observed,
  members: readonly MemberConfig[],
  isSort: (slot: Slot) => boolean,
): Decision | undefined {
  const missing = observed.slots.find((slot) => isSort(slot) && isWanted(slot, observed) && !slot.member);
  if (!missing) return undefined;
  const away = votersOf(observed).find((slot) => !isHealthy(slot));
  if (away) return wait("Scaling", `${away.name} is not healthy; no member is added before it is`);
  if (!isAnswering(missing))
    return wait(
      activityOf(observed),
      `${missing.name} starts${missing.pod?.problem ? `: ${missing.pod.problem}` : ""}`,
    );
  return decision(activityOf(observed), entryStep(observed, missing, members));
}

function entryStep(
  { wanted }: Observed,
  { name, address, isArbiter, ordinal }: Slot,
  members: readonly MemberConfig[],
): Step {
  const _id = 1 + Math.max(-1, ...members.map((member) => member._id));
  if (isArbiter)
    return {
      kind: "add-arbiter",
      member: name,
      entry: { _id, host: address, arbiterOnly: true, priority: 0, votes: 1 },
    };
  // Horizons are the same set of names for all members, so that a new one needs them at once.
  const hasHorizons = members.some(({ horizons }) => Object.keys(horizons ?? {}).length > 0);
  const horizons = hasHorizons ? wanted.horizons[ordinal] : undefined;
  return {
    kind: "add-member",
    member: name,
    entry: { _id, host: address, priority: 0, votes: 0, ...(horizons ? { horizons } : {}) },
  };
}

/** Set only when every member has them: MongoDB takes no other. */
export function setHorizons(observed: Observed): Decision | undefined {
  const { wanted } = observed;
  const data = membersOf(observed).filter(({ isArbiter }) => !isArbiter);
  const isSame = data.every(
    ({ member, ordinal }) => textOf(member?.horizons ?? {}) === textOf(wanted.horizons[ordinal] ?? {}),
  );
  if (isSame || membersOf(observed).length !== wanted.members + wanted.arbiters) return undefined;
  return decision("Updating", { kind: "set-horizons", horizons: wanted.horizons });
}

const textOf = (horizons: Readonly<Record<string, string>>): string =>
  JSON.stringify(Object.entries(horizons).toSorted(([a], [b]) => (a < b ? -1 : 1)));

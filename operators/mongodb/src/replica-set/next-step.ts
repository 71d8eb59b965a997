// The one decision: from what is observed to the next step. It has no memory and no side effect. The order of the questions below is the
// order of safety: what is half done is finished first, users come before members, and only a whole replica set is scaled or restarted.
import { isVoting, type MemberConfig, majorityOf } from "../client/replica-set-documents.js";
import { compareVersions, seriesOf } from "../release/series.js";
import { accountStep } from "./accounts.js";
import { claimStep } from "./claims.js";
import { activityOf, handOver, hasCaughtUp } from "./hand-over.js";
import { problemOf } from "./member-problem.js";
import {
  type Inside,
  isAnswering,
  isHealthy,
  majorityIn,
  membersOf,
  mostVoters,
  type Observed,
  primaryOf,
  type Slot,
  votersOf,
} from "./observed.js";
import { roll } from "./roll.js";
import type { Activity, Decision, Step } from "./step.js";
import { canReload } from "./tls.js";

type Question = (observed: Observed, inside: Inside) => Decision | undefined;

const decision = (activity: Activity, step: Step): Decision => ({ activity, step });
const wait = (activity: Activity, message: string): Decision => decision(activity, { kind: "wait", message });

/** Decides the next step. */
export function nextStep(observed: Observed): Decision {
  if (observed.wanted.isPaused) return wait("Paused", "spec.paused is true");
  if (observed.wanted.obstacle !== undefined) return wait("Degraded", observed.wanted.obstacle);
  const aboutClaims = claimStep(observed);
  if (aboutClaims) return aboutClaims;
  const aboutCertificates = replaceExpired(observed);
  if (aboutCertificates) return aboutCertificates;
  const primary = primaryOf(observed);
  if (!primary) return observed.replicaSetId === undefined ? begin(observed) : withoutPrimary(observed);
  const { inside } = observed;
  // A primary that has not noticed yet would take what no majority can acknowledge.
  if (majorityIn(observed).isLost) return majorityLost(observed);
  if (!inside) return decision("Creating", { kind: "create-operator-user", member: primary.name });
  const id = idOf(inside);
  if (observed.replicaSetId !== undefined && id !== observed.replicaSetId)
    return wait(
      "Degraded",
      `the members say they are replica set ${id}, which is not the recorded ${observed.replicaSetId}; nothing is changed`,
    );
  for (const question of questions) {
    const answer = question(observed, inside);
    if (answer) return answer;
  }
  const away = membersOf(observed).find((slot) => !isHealthy(slot));
  return away
    ? wait("Degraded", `${away.name}: ${problemOf(away, observed.now)}`)
    : decision("Running", { kind: "none" });
}

const questions: readonly Question[] = [
  accounts,
  writeConcern,
  promote,
  remove,
  addMember,
  addArbiter,
  horizons,
  storage,
  reload,
  roll,
  exchange,
  compatibility,
];

/** The id that MongoDB gave the replica set. */
export function idOf({ config }: Inside): string | undefined {
  const id = config.settings?.["replicaSetId"];
  return id === undefined || id === null ? undefined : String(id);
}

/** Every member that there will be must have shown that it belongs to no replica set: one that does has data, and is awaited. */
function begin({ slots, wanted, name }: Observed): Decision {
  const data = slots.filter(({ isArbiter, ordinal }) => !isArbiter && ordinal < wanted.members);
  const member = data.find(({ hello }) => hello?.setName !== undefined);
  if (member)
    return wait("Creating", `${member.name} belongs to ${member.hello?.setName}, which elects a primary`);
  const silent = data.find((slot) => !isAnswering(slot));
  if (silent)
    return wait("Creating", `${silent.name} starts${silent.pod?.problem ? `: ${silent.pod.problem}` : ""}`);
  const [seed] = data;
  if (!seed || data.length < wanted.members) return wait("Creating", `the pods of ${name} are made`);
  return decision("Creating", { kind: "initiate", member: seed.name });
}

/** Nothing is changed here but by a confirmed force: members are awaited, and elect. */
function withoutPrimary(observed: Observed): Decision {
  const { forceFrom } = observed.wanted;
  const { there, voters, isLost } = majorityIn(observed);
  if (isLost) return forceFrom === undefined ? majorityLost(observed) : force(observed, forceFrom);
  return wait("Electing", `${there} of ${voters} voting members answer, and elect a primary`);
}

function majorityLost(observed: Observed): Decision {
  const { there, voters, needed } = majorityIn(observed);
  const silent = observed.slots.find((slot) => slot.isVoter && !isAnswering(slot));
  const why = silent?.pod?.problem ? ` (${silent.name}: ${silent.pod.problem})` : "";
  return wait(
    "MajorityLost",
    `${there} of ${voters} voting members answer, and ${needed} are needed${why}; nothing is removed`,
  );
}

function force({ slots }: Observed, from: string): Decision {
  const survivor = slots.find(({ name }) => name === from);
  if (!survivor?.hello?.setName || survivor.isArbiter)
    return wait("MajorityLost", `cannot go on with ${from}: it does not answer as a member with data`);
  return decision("MajorityLost", { kind: "force", member: from });
}

function accounts(observed: Observed, inside: Inside): Decision | undefined {
  const step = accountStep(observed, inside);
  return step && decision(activityOf(observed), step);
}

/** From 5.0 on MongoDB takes no configuration that would change the default write concern unless one was set. */
function writeConcern(observed: Observed, { unsetWriteConcern: concern }: Inside): Decision | undefined {
  return concern && decision(activityOf(observed), { kind: "set-write-concern", concern });
}

const isWanted = ({ isArbiter, ordinal }: Slot, { wanted }: Observed): boolean =>
  ordinal < (isArbiter ? wanted.arbiters : wanted.members);

/** A member gets its vote when it has the data; the eighth and further ones never do. */
function promote(observed: Observed): Decision | undefined {
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
function remove(observed: Observed): Decision | undefined {
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

function addMember(observed: Observed, { config }: Inside): Decision | undefined {
  return add(observed, config.members, (slot) => !slot.isArbiter);
}

function addArbiter(observed: Observed, { config }: Inside): Decision | undefined {
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
function horizons(observed: Observed): Decision | undefined {
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

/** Claims grow first; then the StatefulSet is made anew, so that further members get volumes of that size. */
function storage({ storage: { size, smaller, isTemplateOld } }: Observed): Decision | undefined {
  const [claim] = smaller;
  if (claim !== undefined) return decision("Updating", { kind: "grow-claim", claim, size });
  return isTemplateOld ? decision("Updating", { kind: "replace-set", size }) : undefined;
}

/** A member that shows another certificate than it mounts reads it anew, or is started again where it cannot. */
function reload(observed: Observed): Decision | undefined {
  const { certificates, slots, wanted } = observed;
  const late = slots.find((slot) => isLate(slot, observed));
  if (!late || !certificates || !canReload(late.hello?.version ?? wanted.version)) return undefined;
  if (!late.isArbiter) return decision("Updating", { kind: "reload-certificate", member: late.name });
  // Nobody can log in to an arbiter, which has no users.
  const away = membersOf(observed).find((slot) => !isHealthy(slot));
  if (away)
    return wait("Updating", `${away.name} is not healthy; ${late.name} is not started again before it is`);
  return decision("Updating", { kind: "restart", member: late.name, why: "to read its certificate" });
}

const isLate = ({ served, pod }: Slot, { certificates }: Observed): boolean =>
  served !== undefined && !pod?.isTerminating && served !== certificates?.mounted;

/** What is mounted changes only when every member has taken up what was mounted before. */
function exchange(observed: Observed): Decision | undefined {
  const { certificates } = observed;
  if (!certificates?.next) return undefined;
  const away = membersOf(observed).find((slot) => !isHealthy(slot));
  if (away && !certificates.isExpired)
    return wait("Updating", `${away.name} is not healthy; certificates are not exchanged before it is`);
  const late = membersOf(observed).find(({ pod }) => pod?.startedWith !== certificates.startedWith);
  if (late && !certificates.isExpired)
    return wait("Updating", `${late.name} is to be started again with what is mounted`);
  return decision("Updating", { kind: "exchange-certificate", ...certificates.next });
}

/** Members refuse each other with an expired certificate, so that nothing but another one helps. */
function replaceExpired(observed: Observed): Decision | undefined {
  const { certificates, slots } = observed;
  if (certificates?.isExpired && certificates.next)
    return decision("Updating", { kind: "exchange-certificate", ...certificates.next });
  const late = slots.find((slot) => !isAnswering(slot) && isLate(slot, observed));
  return late && decision("Updating", { kind: "restart", member: late.name, why: "to read its certificate" });
}

/** Raised only when asked for, and only when every member runs a version that has it. */
function compatibility(observed: Observed, inside: Inside): Decision | undefined {
  const { featureCompatibilityVersion: asked } = observed.wanted;
  if (asked === undefined || asked === inside.compatibility) return undefined;
  const behind = membersOf(observed).find(
    ({ hello }) => hello !== undefined && compareVersions(seriesOf(hello.version), asked) < 0,
  );
  if (behind) return undefined;
  return decision("Updating", { kind: "set-compatibility", version: asked });
}

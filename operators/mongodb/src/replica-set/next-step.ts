// The one decision: from what is observed to the next step. It has no memory and no side effect. The order of the questions below is the
// order of safety: what is half done is finished first, users come before members, and only a whole replica set is scaled or restarted.
import { compareVersions, seriesOf } from "../release/series.js";
import { accountStep } from "./accounts.js";
import { exchangeCertificate, reloadCertificate, replaceExpiredCertificate } from "./certificate-steps.js";
import { claimStep } from "./claims.js";
import { activityOf } from "./hand-over.js";
import { problemOf } from "./member-problem.js";
import { addArbiter, addMember, promoteMember, removeMember, setHorizons } from "./membership.js";
import {
  type Inside,
  isAnswering,
  isHealthy,
  majorityIn,
  membersOf,
  type Observed,
  primaryOf,
} from "./observed.js";
import { roll } from "./roll.js";
import { type Decision, decision, wait } from "./step.js";

type Question = (observed: Observed, inside: Inside) => Decision | undefined;

/** Decides the next step. */
export function nextStep(observed: Observed): Decision {
  if (observed.wanted.isPaused) return wait("Paused", "spec.paused is true");
  if (observed.wanted.obstacle !== undefined) return wait("Degraded", observed.wanted.obstacle);
  const aboutClaims = claimStep(observed);
  if (aboutClaims) return aboutClaims;
  const aboutCertificates = replaceExpiredCertificate(observed);
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
  promoteMember,
  removeMember,
  addMember,
  addArbiter,
  setHorizons,
  storage,
  reloadCertificate,
  roll,
  exchangeCertificate,
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

/** Claims grow first; then the StatefulSet is made anew, so that further members get volumes of that size. */
function storage({ storage: { size, smaller, isTemplateOld } }: Observed): Decision | undefined {
  const [claim] = smaller;
  if (claim !== undefined) return decision("Updating", { kind: "grow-claim", claim, size });
  return isTemplateOld ? decision("Updating", { kind: "replace-set", size }) : undefined;
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

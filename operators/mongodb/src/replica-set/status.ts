// The status of a replica set, from what was observed and decided.
import { type ConditionUpdate, findCondition, type StatefulSet } from "@kubewright/api";
import type { StatusInput } from "@kubewright/runtime";
import type { BackupState } from "@kubewright/runtime/backup";
import type { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import type { ExporterState } from "../exporter/exporter-state.js";
import { compareVersions } from "../release/series.js";
import { isStuck, problemOf } from "./member-problem.js";
import { placeOf } from "./names.js";
import { idOf } from "./next-step.js";
import type { Objection } from "./objection.js";
import { isHealthy, majorityIn, membersOf, type Observed, type Slot, stateOf, votersOf } from "./observed.js";
import type { Activity, Decision } from "./step.js";
import { describe } from "./step-events.js";
import type { Outcome } from "./take-step.js";

type Status = StatusInput<typeof MongoDBCommunity>;
type MemberStatus = NonNullable<NonNullable<MongoDBCommunity["status"]>["members"]>[number];

export interface Report {
  readonly mongodb: MongoDBCommunity;
  readonly observed: Observed;
  readonly decision: Decision;
  readonly objections: readonly Objection[];
  readonly outcome: Outcome;
  readonly sets: { readonly data: StatefulSet | undefined; readonly arbiters: StatefulSet | undefined };
  readonly isModel: boolean;
  /** Undefined without a schedule; a text where it cannot be read. */
  readonly backups: BackupState | string | undefined;
  /** Undefined where it was not looked at. */
  readonly exporter: ExporterState | undefined;
}

/** Everything in it was observed in this reconcile: what was not is left out, but for votes, which are as last seen. */
export function statusOf(report: Report): Status {
  const { mongodb, observed, sets } = report;
  const { inside, wanted } = observed;
  const members = membersOf(observed);
  const data = members.filter(({ isArbiter }) => !isArbiter);
  const healthy = members.filter(isHealthy).length;
  const versions = observed.slots
    .flatMap(({ hello }) => (hello?.setName ? [hello.version] : []))
    .toSorted(compareVersions);
  const hasArbiters = wanted.arbiters > 0 || sets.arbiters !== undefined;
  return {
    phase: phaseOf(report),
    message: messageOf(report),
    step: textOf(report),
    mongoUri: inside
      ? uriOf(
          mongodb,
          data.map(({ address }) => address),
        )
      : mongodb.status?.mongoUri,
    currentStatefulSetReplicas: sets.data?.status?.replicas ?? 0,
    currentMongoDBMembers: inside && data.length,
    currentStatefulSetArbitersReplicas: hasArbiters ? (sets.arbiters?.status?.replicas ?? 0) : undefined,
    currentMongoDBArbiters: inside && hasArbiters ? members.length - data.length : undefined,
    version: versions[0],
    featureCompatibilityVersion: inside?.compatibility,
    replicaSetId: observed.replicaSetId ?? (inside && idOf(inside)),
    primary: observed.primary,
    ready: `${healthy}/${wanted.members + wanted.arbiters}`,
    members: memberStatuses(report),
    ...(isForced(report) ? { forcedBy: wanted.forceFrom } : {}),
    ...backupStatus(report),
    conditions: conditionsOf(report, healthy),
  };
}

const timeText = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : new Date(time).toISOString();

function backupStatus({ backups }: Report) {
  if (typeof backups !== "object") return {};
  const { lastBackup, lastBackupTime, lastBackupSize, next, failures } = backups;
  return {
    lastBackup,
    lastBackupTime,
    lastBackupSize,
    nextBackupTime: timeText(next),
    failedBackups: failures,
  };
}

/** The phases of version 0.5.0 are three; `step` and the conditions say more. */
const phases: Readonly<Record<Activity, "Running" | "Pending" | "Failed">> = {
  Creating: "Pending",
  Running: "Running",
  Scaling: "Pending",
  Updating: "Pending",
  Electing: "Pending",
  Degraded: "Running",
  MajorityLost: "Failed",
  Paused: "Running",
};

/** Running is only what serves: a primary, and a majority of healthy voters. */
function phaseOf({ observed, decision, outcome, objections }: Report): "Running" | "Pending" | "Failed" {
  const { isLost, needed } = majorityIn(observed);
  if (outcome.kind === "failed" || isLost || objections.some(isRefusal)) return "Failed";
  const serving = observed.inside ? votersOf(observed).filter(isHealthy).length : 0;
  return serving < needed ? "Pending" : phases[decision.activity];
}

/** Objections that leave something undone which only a person can mend. */
const isRefusal = ({ reason }: Objection): boolean => reason !== "EvenVotes";

function messageOf(report: Report): string | undefined {
  const { objections } = report;
  const beside = report.exporter?.kind === "failing" ? report.exporter.message : undefined;
  return objections.find(isRefusal)?.message ?? textOf(report) ?? objections[0]?.message ?? beside;
}

/** What is done, or why it is not done yet. */
const textOf = ({ outcome, decision }: Report): string | undefined =>
  outcome.kind === "done" ? describe(decision.step) : outcome.message;

export const uriOf = (mongodb: MongoDBCommunity, hosts: readonly string[]): string =>
  `mongodb://${hosts.join(",")}/?replicaSet=${placeOf(mongodb).name}`;

/** A forced configuration is done when the member leads a set. */
const isForced = ({ decision, outcome }: Report): boolean =>
  decision.step.kind === "force" && outcome.kind === "done";

function memberStatuses({ observed, mongodb }: Report): MemberStatus[] {
  const { inside, slots } = observed;
  const known = new Set((mongodb.status?.members ?? []).map(({ name }) => name));
  const shown = slots.filter((slot) => (inside ? slot.member : known.has(slot.name) || slot.hello?.setName));
  return shown.map((slot) => memberStatus(slot, observed.now));
}

function memberStatus(slot: Slot, now: number): MemberStatus {
  const { name, address, hello, pod, unhealthySince, stateSince } = slot;
  const problem = problemOf(slot, now);
  return {
    name,
    host: address,
    state: stateOf(slot),
    stateSince: new Date(stateSince).toISOString(),
    healthy: isHealthy(slot),
    voting: slot.isVoter,
    ...(hello ? { version: hello.version } : {}),
    ...(pod?.node ? { node: pod.node } : {}),
    ...(problem ? { problem } : {}),
    ...(isStuck(slot, now) ? { stuck: true } : {}),
    ...(unhealthySince === undefined ? {} : { unhealthySince: new Date(unhealthySince).toISOString() }),
  };
}

function conditionsOf(report: Report, healthy: number): readonly ConditionUpdate[] {
  const { backups } = report;
  return [
    available(report, healthy),
    progressing(report),
    degraded(report),
    majorityCondition(report),
    ...(typeof backups === "object"
      ? [
          backups.isOverdue
            ? condition("BackupOverdue", "True", "NoBackupInTime", backups.message)
            : condition("BackupOverdue", "False", "InTime", ""),
        ]
      : []),
    ...exporterAvailable(report),
    ...(report.isModel ? [simulated] : []),
  ];
}

function exporterAvailable({ exporter, mongodb }: Report): readonly ConditionUpdate[] {
  const is = (status: "True" | "False", reason: string, message = "") => [
    condition("ExporterAvailable", status, reason, message),
  ];
  switch (exporter?.kind) {
    case "available":
      return is("True", "ExporterReady");
    case "starting":
      return is("False", "ExporterStarting");
    case "failing":
      return is("False", "ExporterFailing", exporter.message);
    case "none":
      // A condition that was there once stays, and must not be about an exporter that is gone.
      return findCondition(mongodb.status?.conditions, "ExporterAvailable")
        ? is("False", "NotRequested")
        : [];
    default:
      return [];
  }
}

const simulated = condition(
  "Simulated",
  "True",
  "ModelledMongod",
  "the pods are simulated and no mongod runs: members are a model in the operator's process, and nothing is stored",
);

function available({ observed, decision }: Report, healthy: number): ConditionUpdate {
  const text = describe(decision.step) ?? "";
  if (majorityIn(observed).isLost) return condition("Available", "False", "MajorityLost", text);
  return observed.inside
    ? condition("Available", "True", "PrimaryElected", `${healthy} members are healthy`)
    : condition("Available", "False", "NoPrimary", text);
}

const idle: ReadonlySet<Activity> = new Set(["Running", "Degraded", "Paused"]);

function progressing(report: Report): ConditionUpdate {
  const { activity } = report.decision;
  const text = textOf(report) ?? "";
  if (activity === "MajorityLost") return condition("Progressing", "False", "MajorityLost", text);
  return idle.has(activity)
    ? condition("Progressing", "False", "Settled", text)
    : condition("Progressing", "True", activity === "Electing" ? "Electing" : "StepUnderWay", text);
}

function majorityCondition({ observed }: Report): ConditionUpdate {
  const { isLost, there, voters, needed } = majorityIn(observed);
  if (isLost)
    return condition(
      "MajorityLost",
      "True",
      "MembersMissing",
      `${there} of ${voters} voting members answer, and ${needed} are needed`,
    );
  return observed.replicaSetId === undefined
    ? condition("MajorityLost", "False", "NotInitiated", "")
    : condition("MajorityLost", "False", "MajorityHealthy", "");
}

function degraded({ observed, decision, objections, outcome, exporter }: Report): ConditionUpdate {
  const { slots, now, inside, replicaSetId } = observed;
  const [refused] = objections;
  const stuck = slots.find((slot) => isStuck(slot, now));
  const away = membersOf(observed).find((slot) => !isHealthy(slot));
  const is = (reason: string, message: string) => condition("Degraded", "True", reason, message);
  if (majorityIn(observed).isLost) return is("MajorityLost", describe(decision.step) ?? "");
  if (refused) return is(refused.reason, refused.message);
  if (outcome.kind === "failed") return is("StepFailed", outcome.message);
  if (stuck) return is("MemberStuck", `${stuck.name}: ${problemOf(stuck, now)}`);
  if (replicaSetId !== undefined && !inside) return is("NoPrimary", describe(decision.step) ?? "");
  if (away && decision.activity === "Degraded")
    return is("MemberUnhealthy", `${away.name}: ${problemOf(away, now)}`);
  // It is beside the members, so that their problems come first.
  if (exporter?.kind === "failing") return is("ExporterFailing", exporter.message);
  return condition("Degraded", "False", "AsExpected", "");
}

function condition(type: string, status: "True" | "False", reason: string, message: string): ConditionUpdate {
  return { type, status, reason, message };
}

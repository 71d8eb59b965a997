// The status of a replica set, from what was observed and decided.
import type { ConditionUpdate, StatefulSet } from "@kubewright/api";
import type { StatusInput } from "@kubewright/runtime";
import type { BackupState } from "@kubewright/runtime/backup";
import type { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import { isVoting } from "../client/replica-set-documents.js";
import { compareVersions } from "../release/series.js";
import { addressOf, placeOf, podName } from "./names.js";
import { idOf } from "./next-step.js";
import { isHealthy, membersOf, type Observed, type Slot } from "./observed.js";
import type { Activity, Decision } from "./step.js";
import { describe } from "./step-events.js";
import type { Outcome } from "./take-step.js";
import type { Objection } from "./wanted.js";

type Status = StatusInput<typeof MongoDBCommunity>;
type MemberStatus = NonNullable<NonNullable<MongoDBCommunity["status"]>["members"]>[number];

export interface Report {
  readonly mongodb: MongoDBCommunity;
  readonly observed: Observed;
  readonly decision: Decision;
  readonly objections: readonly Objection[];
  readonly outcome: Outcome;
  readonly sets: { readonly data: StatefulSet; readonly arbiters: StatefulSet | undefined };
  readonly isModel: boolean;
  /** Undefined without a schedule; a text where it cannot be read. */
  readonly backups: BackupState | string | undefined;
}

export function statusOf(report: Report): Status {
  const { mongodb, observed, sets } = report;
  const { inside, wanted } = observed;
  const members = membersOf(observed);
  const data = members.filter(({ isArbiter }) => !isArbiter);
  const healthy = members.filter(isHealthy).length;
  const versions = members.flatMap(({ hello }) => (hello ? [hello.version] : [])).toSorted(compareVersions);
  const text = textOf(report);
  return {
    phase: phaseOf(report),
    message: messageOf(report),
    step: text,
    mongoUri: uriOf(mongodb, wanted.members),
    currentStatefulSetReplicas: sets.data.status?.replicas ?? 0,
    ...(inside ? { currentMongoDBMembers: data.length } : {}),
    ...(wanted.arbiters > 0 || sets.arbiters
      ? {
          currentStatefulSetArbitersReplicas: sets.arbiters?.status?.replicas ?? 0,
          ...(inside ? { currentMongoDBArbiters: members.length - data.length } : {}),
        }
      : {}),
    version: versions[0] ?? mongodb.status?.version,
    ...(inside ? { featureCompatibilityVersion: inside.compatibility } : {}),
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
  Degraded: "Running",
  MajorityLost: "Failed",
  Paused: "Running",
};

function phaseOf({ decision, outcome, objections }: Report): "Running" | "Pending" | "Failed" {
  if (outcome.kind === "failed" || objections.some(isRefusal)) return "Failed";
  return phases[decision.activity];
}

/** Objections that leave something undone which only a person can mend. */
const isRefusal = ({ reason }: Objection): boolean => reason !== "EvenVotes";

function messageOf(report: Report): string | undefined {
  const { objections } = report;
  return objections.find(isRefusal)?.message ?? textOf(report) ?? objections[0]?.message;
}

/** What is done, or why it is not done yet. */
const textOf = ({ outcome, decision }: Report): string | undefined =>
  outcome.kind === "done" ? describe(decision.step) : outcome.message;

export function uriOf(mongodb: MongoDBCommunity, members: number): string {
  const place = placeOf(mongodb);
  const hosts = Array.from({ length: members }, (_, ordinal) =>
    addressOf(place, podName(place.name, ordinal)),
  );
  return `mongodb://${hosts.join(",")}/?replicaSet=${place.name}`;
}

/** A forced configuration is done when the member leads a set. */
const isForced = ({ decision, outcome }: Report): boolean =>
  decision.step.kind === "force" && outcome.kind === "done";

function memberStatuses({ observed, mongodb }: Report): MemberStatus[] {
  const { inside, slots } = observed;
  const known = new Set((mongodb.status?.members ?? []).map(({ name }) => name));
  const shown = slots.filter((slot) => (inside ? slot.member : known.has(slot.name) || slot.hello?.setName));
  return shown.map((slot) => memberStatus(slot));
}

function memberStatus(slot: Slot): MemberStatus {
  const { name, address, report, hello, member, pod, unhealthySince } = slot;
  const isGood = isHealthy(slot);
  const problem = isGood ? undefined : problemOf(slot);
  return {
    name,
    host: address,
    state: report?.state ?? ownState(slot),
    healthy: isGood,
    ...(member ? { voting: isVoting(member) } : {}),
    ...(hello ? { version: hello.version } : {}),
    ...(pod?.node ? { node: pod.node } : {}),
    ...(problem ? { problem } : {}),
    ...(unhealthySince === undefined ? {} : { unhealthySince: new Date(unhealthySince).toISOString() }),
  };
}

const ownState = ({ hello }: Slot): string => {
  if (!hello) return "UNKNOWN";
  return hello.isPrimary
    ? "PRIMARY"
    : hello.isSecondary
      ? "SECONDARY"
      : hello.isArbiter
        ? "ARBITER"
        : "STARTUP";
};

function problemOf({ pod, hello, report }: Slot): string {
  if (!pod) return "it has no pod";
  if (pod.problem) return pod.problem;
  if (pod.isTerminating) return "its pod ends";
  if (!hello) return "it does not answer";
  if (report && !report.isUp)
    return `the primary does not hear it${report.message ? `: ${report.message}` : ""}`;
  if (report?.state === "RECOVERING")
    return "it is RECOVERING: it does not serve reads, and may be too far behind to catch up";
  if (report?.state === "ROLLBACK") return "it is in ROLLBACK: it takes back writes that no majority had";
  return report ? `it is in the state ${report.state}` : "no primary reports on it";
}

function conditionsOf(report: Report, healthy: number): readonly ConditionUpdate[] {
  const { observed, decision, isModel, backups } = report;
  const { activity } = decision;
  const isLost = activity === "MajorityLost";
  const text = textOf(report) ?? "";
  const isIdle = activity === "Running" || activity === "Degraded" || activity === "Paused" || isLost;
  return [
    observed.inside
      ? condition("Available", "True", "PrimaryElected", `${healthy} members are healthy`)
      : condition("Available", "False", isLost ? "MajorityLost" : "NoPrimary", text),
    isIdle
      ? condition("Progressing", "False", isLost ? "MajorityLost" : "Settled", text)
      : condition("Progressing", "True", "StepUnderWay", text),
    degraded(report),
    isLost
      ? condition("MajorityLost", "True", "MembersMissing", text)
      : condition("MajorityLost", "False", "MajorityHealthy", ""),
    ...(typeof backups === "object"
      ? [
          backups.isOverdue
            ? condition("BackupOverdue", "True", "NoBackupInTime", backups.message)
            : condition("BackupOverdue", "False", "InTime", ""),
        ]
      : []),
    ...(isModel
      ? [
          condition(
            "Simulated",
            "True",
            "ModelledMongod",
            "the pods are simulated and no mongod runs: members are a model in the operator's process, and nothing is stored",
          ),
        ]
      : []),
  ];
}

function degraded({ observed, decision, objections, outcome }: Report): ConditionUpdate {
  const [refused] = objections;
  const away = membersOf(observed).find((slot) => !isHealthy(slot));
  if (decision.activity === "MajorityLost")
    return condition("Degraded", "True", "MajorityLost", describe(decision.step) ?? "");
  if (refused) return condition("Degraded", "True", refused.reason, refused.message);
  if (outcome.kind === "failed") return condition("Degraded", "True", "StepFailed", outcome.message);
  if (away && decision.activity === "Degraded")
    return condition("Degraded", "True", "MemberUnhealthy", `${away.name}: ${problemOf(away)}`);
  return condition("Degraded", "False", "AsExpected", "");
}

function condition(type: string, status: "True" | "False", reason: string, message: string): ConditionUpdate {
  return { type, status, reason, message };
}

// The status of a cluster, from what was observed and decided.
import type { ConditionUpdate } from "@kubewright/api";
import type { StatusInput } from "@kubewright/runtime";
import type { BackupState } from "@kubewright/runtime/backup";
import type { EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import { clientEndpoint } from "./member-pod.js";
import { clusterLabel } from "./names.js";
import { isHealthy, isReachable, leaderOf, type Observed, type Slot, voters } from "./observed.js";
import type { Decision } from "./step.js";
import { describe } from "./step-events.js";
import type { Outcome } from "./take-step.js";
import { compareVersions } from "./version-path.js";
import type { Objection } from "./wanted.js";

type Status = StatusInput<typeof EtcdCluster>;
type MemberReport = NonNullable<NonNullable<EtcdCluster["status"]>["members"]>[number];

export interface Report {
  readonly cluster: EtcdCluster;
  readonly observed: Observed;
  readonly decision: Decision;
  readonly objections: readonly Objection[];
  readonly outcome: Outcome;
  readonly backups: BackupState | undefined;
  readonly isModel: boolean;
}

export function statusOf(report: Report): Status {
  const { cluster, observed, decision } = report;
  const { membership, wanted } = observed;
  const members = membership ? observed.slots.filter(({ member }) => member) : knownSlots(report);
  const voting = membership
    ? voters(observed)
    : members.filter(({ name }) => observed.knownVoters.includes(name));
  const healthy = voting.filter(membership ? isHealthy : isAlone).length;
  const versions = members
    .flatMap(({ pod, status }) => status?.version ?? (pod?.version ? [pod.version] : []))
    .toSorted(compareVersions);
  return {
    phase: decision.phase,
    step: textOf(report),
    clusterId: observed.clusterId ?? membership?.clusterId,
    replicas: voting.length,
    readyReplicas: healthy,
    desiredReplicas: wanted.replicas,
    ready: `${healthy}/${wanted.replicas}`,
    selector: `${clusterLabel}=${cluster.metadata.name}`,
    leader: membership ? leaderOf(observed)?.name : undefined,
    currentVersion: versions[0] ?? cluster.status?.currentVersion,
    targetVersion: wanted.version,
    clientEndpoint: clientEndpoint(cluster),
    ...(members.length > 0 || membership
      ? { members: members.map((slot) => memberReport(slot, report)) }
      : {}),
    lastBackup: report.backups?.lastBackup,
    lastBackupTime: report.backups?.lastBackupTime,
    conditions: conditionsOf(report, voting, healthy),
    ...(isRecovered(report) ? { recoveredBy: wanted.recoverFrom } : {}),
  };
}

/** What is done, or why it is not done yet. */
const textOf = ({ outcome, decision }: Report): string | undefined =>
  outcome.kind === "done" ? describe(decision.step) : outcome.message;

/** Without a quorum nobody is known to be healthy. */
const isAlone = (): boolean => false;

/** The members as last recorded, with what is known of them now. */
const knownSlots = ({ cluster, observed }: Report): readonly Slot[] => {
  const names = new Set((cluster.status?.members ?? []).map(({ name }) => name));
  return observed.slots.filter(({ name }) => names.has(name));
};

/** A recovery is done when the survivor is the only member and answers with a quorum of its own. */
function isRecovered({ observed }: Report): boolean {
  const { membership, wanted, slots } = observed;
  if (!membership || wanted.recoverFrom === undefined) return false;
  const survivor = slots.find(({ name }) => name === wanted.recoverFrom);
  return (
    membership.members.length === 1 && survivor?.member !== undefined && survivor.pod?.start === "recover"
  );
}

function memberReport(slot: Slot, { cluster, observed }: Report): MemberReport {
  const { name, member, status, pod, unhealthySince } = slot;
  const before = cluster.status?.members?.find((known) => known.name === name);
  const id = member?.id ?? before?.id;
  const isGood = isHealthy(slot);
  const problem = isGood ? undefined : (pod?.problem ?? problemOf(slot));
  return {
    name,
    ...(id ? { id } : {}),
    role: roleOf(slot, observed, before?.role),
    healthy: isGood,
    ...(status ? { version: status.version, dbSize: status.dbSize, dbSizeInUse: status.dbSizeInUse } : {}),
    ...(pod?.node ? { node: pod.node } : {}),
    ...(slot.alarms.length > 0 ? { alarms: [...slot.alarms] } : {}),
    ...(problem ? { problem } : {}),
    ...(unhealthySince === undefined ? {} : { unhealthySince: new Date(unhealthySince).toISOString() }),
  };
}

function problemOf({ pod, claim, status }: Slot): string {
  if (!claim) return "it has no volume claim";
  if (!pod) return "it has no pod";
  if (pod.isTerminating) return "its pod ends";
  if (!status) return "it does not answer";
  return status.leader === undefined ? "it knows of no leader" : "its pod is not ready";
}

function roleOf(
  slot: Slot,
  observed: Observed,
  before: MemberReport["role"] | undefined,
): MemberReport["role"] {
  if (slot.member ? slot.member.isLearner : before === "Learner") return "Learner";
  if (!isReachable(slot) || !observed.membership) return "Unknown";
  return leaderOf(observed) === slot ? "Leader" : "Follower";
}

function conditionsOf(report: Report, voting: readonly Slot[], healthy: number): readonly ConditionUpdate[] {
  const { observed, decision, objections, isModel } = report;
  const { phase } = decision;
  const isLost = phase === "QuorumLost";
  const refused = objections.find(({ reason }) => reason !== "RoundedToOdd");
  const text = textOf(report) ?? "";
  return [
    observed.membership
      ? condition("Available", "True", "QuorumHealthy", `${healthy} of ${voting.length} members are healthy`)
      : condition("Available", "False", isLost ? "QuorumLost" : "NoQuorum", text),
    phase === "Running" || phase === "Degraded" || phase === "Paused" || isLost
      ? condition("Progressing", "False", isLost ? "QuorumLost" : "Settled", text)
      : condition("Progressing", "True", "StepUnderWay", text),
    degraded(report, voting, refused),
    isLost
      ? condition(
          "QuorumLost",
          "True",
          "MembersMissing",
          `${text}. Nothing is removed; see the documentation for recovery`,
        )
      : condition("QuorumLost", "False", "QuorumHealthy", ""),
    ...(report.backups
      ? [
          report.backups.isOverdue
            ? condition("BackupOverdue", "True", "NoBackupInTime", report.backups.message)
            : condition("BackupOverdue", "False", "InTime", ""),
        ]
      : []),
    ...(isModel
      ? [
          condition(
            "Simulated",
            "True",
            "ModelledEtcd",
            "the pods are simulated and no etcd runs: members are a model in the operator's process, and nothing is stored",
          ),
        ]
      : []),
  ];
}

function degraded(
  { observed, decision, outcome }: Report,
  voting: readonly Slot[],
  refused: Objection | undefined,
): ConditionUpdate {
  const alarmed = observed.slots.find(({ alarms }) => alarms.length > 0);
  const away = voting.find((slot) => !isHealthy(slot));
  const { step } = decision;
  if (decision.phase === "QuorumLost")
    return condition("Degraded", "True", "QuorumLost", describe(step) ?? "");
  if (refused) return condition("Degraded", "True", refused.reason, refused.message);
  if (alarmed)
    return condition(
      "Degraded",
      "True",
      "AlarmRaised",
      `${alarmed.name}: ${alarmed.alarms.join(", ")}; ${describe(step) ?? ""}`,
    );
  if (outcome.kind === "failed") return condition("Degraded", "True", "StepFailed", outcome.message);
  if (away && observed.membership && decision.phase !== "Updating" && decision.phase !== "Upgrading")
    return condition(
      "Degraded",
      "True",
      "MemberUnhealthy",
      `${away.name}: ${away.pod?.problem ?? problemOf(away)}`,
    );
  const other = voting.find(runsOtherVersion);
  if (other)
    return condition(
      "Degraded",
      "True",
      "OtherVersion",
      `${other.name} runs etcd ${other.status?.version}, not ${other.pod?.version}: its image is not what its tag or spec.version says`,
    );
  return condition("Degraded", "False", "AsExpected", "");
}

/** Whether a member is another etcd than its pod was made for; one that is being replaced says so by its phase. */
const runsOtherVersion = ({ pod, status }: Slot): boolean =>
  status !== undefined && pod !== undefined && pod.version !== "" && status.version !== pod.version;

function condition(type: string, status: "True" | "False", reason: string, message: string): ConditionUpdate {
  return { type, status, reason, message };
}

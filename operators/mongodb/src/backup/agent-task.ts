// What an agent is asked to do, in its environment, and what it reports, in its termination message. The agent is the operator's own image
// in a pod beside the replica set: only there can a volume claim be mounted.
import { isObject, type Pod } from "@kubewright/api";
import type { Retention, StorePlace } from "@kubewright/runtime/backup";

/** The variable with the task, as JSON. Secrets are not in it: they are files. */
export const taskVariable = "MONGODB_AGENT_TASK";

/** Folders of the agent beside those of its store. */
export const folders = { login: "/login", tls: "/client-tls", scratch: "/scratch" } as const;

interface Task {
  readonly store: StorePlace;
  readonly file: string;
  /** The members with data, as host and port. */
  readonly hosts: readonly string[];
  readonly isSecure: boolean;
  /** In milliseconds. */
  readonly timeout: number;
}

export type AgentTask =
  | (Task & {
      readonly kind: "backup";
      readonly replicaSet: string;
      /** Undefined keeps all. */
      readonly retention: Retention | undefined;
    })
  | (Task & {
      readonly kind: "restore";
      /** Checked where it is given. */
      readonly sha256: string | undefined;
      readonly replace: boolean;
    });

export interface AgentReport {
  readonly size?: number;
  readonly sha256?: string;
  readonly member?: string;
  readonly mongodbVersion?: string;
  readonly consistency?: string;
  /** In seconds since 1970. */
  readonly clusterTime?: number;
  readonly databases?: number;
  readonly collections?: number;
  readonly documents?: number;
  readonly users?: number;
  readonly roles?: number;
  readonly error?: string;
}

/** How an agent ended. */
export interface AgentEnd {
  readonly isGood: boolean;
  /** The agent reported it itself; it did not where its pod was ended. */
  readonly isReported: boolean;
  readonly report: AgentReport;
}

/** The task in a pod's environment; undefined for a pod that is no agent's. */
export function taskOf({ spec }: Pod): AgentTask | undefined {
  const value = spec?.containers[0]?.env?.find(({ name }) => name === taskVariable)?.value;
  return value === undefined ? undefined : (JSON.parse(value) as AgentTask);
}

/** How the agent in a pod ended, by the pod's status; input from a pod, so that nothing is taken for granted. */
export function endOfPod({ status }: Pod): AgentEnd | undefined {
  if (status?.phase !== "Succeeded" && status?.phase !== "Failed") return undefined;
  const words = status.containerStatuses?.[0]?.state?.terminated?.message;
  const report = parsed(words);
  const isReported = report !== undefined;
  if (status.phase === "Succeeded") return { isGood: true, isReported, report: report ?? {} };
  const error = report?.error ?? status.message ?? words ?? "its pod failed; see its log";
  return { isGood: false, isReported, report: { ...report, error } };
}

function parsed(words: string | undefined): AgentReport | undefined {
  try {
    const report: unknown = JSON.parse(words ?? "null");
    return isObject(report) ? (report as AgentReport) : undefined;
  } catch {
    return undefined;
  }
}

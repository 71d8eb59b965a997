// The work of an agent on behalf of an object: one pod, made once. What it reports ends the object, well or badly, and then the pod goes.
import type { Pod } from "@kubewright/api";
import { podProblem } from "@kubewright/runtime/workload";
import type { MongoAccess } from "../client/mongo-access.js";
import { agentLabel, managedBy } from "../replica-set/names.js";
import { type AgentPodOptions, agentPod } from "./agent-pod.js";
import type { AgentReport } from "./agent-task.js";

export interface AgentOptions {
  readonly access: MongoAccess;
  /** The image that agents run: the operator's own. Rejects where it is not known. */
  readonly agentImage: () => Promise<string>;
}

export interface Succeeded {
  readonly kind: "succeeded";
  readonly report: AgentReport;
  /** When its pod was made. */
  readonly since: string | undefined;
}

/** Where the work stands. */
export type AgentState =
  | { readonly kind: "none" }
  | { readonly kind: "running"; readonly since: string | undefined }
  | Succeeded
  /** An agent that was lost had perhaps begun its work, and could not report it. */
  | { readonly kind: "failed"; readonly message: string; readonly isLost: boolean };

export interface Begun {
  /** When the object was made, in milliseconds since 1970. */
  readonly created: number;
  readonly now: number;
  readonly timeoutSeconds: number;
  /** The status has it that a pod was made. */
  readonly isRecorded: boolean;
}

/** How the work goes on, from its pod and its time. */
export function agentState(pod: Pod | undefined, access: MongoAccess, begun: Begun): AgentState {
  const end = pod && access.agentEnd(pod);
  const since = pod?.metadata?.creationTimestamp;
  if (end?.isGood) return { kind: "succeeded", report: end.report, since };
  if (end)
    return {
      kind: "failed",
      message: end.report.error ?? "its pod failed; see its log",
      isLost: !end.isReported,
    };
  const isLost = pod !== undefined || begun.isRecorded;
  const late = `it took longer than ${begun.timeoutSeconds} s${pod ? waitingFor(pod) : ""}`;
  if (begun.now > begun.created + begun.timeoutSeconds * 1_000)
    return { kind: "failed", message: late, isLost };
  if (pod?.metadata?.deletionTimestamp !== undefined || (!pod && begun.isRecorded))
    return { kind: "failed", message: "its pod is gone", isLost };
  return pod ? { kind: "running", since } : { kind: "none" };
}

const waitingFor = (pod: Pod): string => {
  const problem = podProblem(pod)?.message;
  return problem === undefined ? "" : `: ${problem}`;
};

/** The pod that does the work of an object. */
export const agentPodOf = (owner: string, suffix: string, options: AgentPodOptions) => ({
  metadata: { name: `${owner}-${suffix}`, labels: { ...managedBy, [agentLabel]: owner.slice(0, 63) } },
  spec: agentPod(options),
});

export const timeText = (time: number): string => new Date(time).toISOString();

// The operator's side: how far an agent is, by its pod and its time. An agent works once: a pod that is gone is not made again, since it
// may have done part of its work.
import { isObject, type Pod } from "@kubewright/api";
import type { z } from "@kubewright/schema";
import { podProblem } from "../workload/pod-problem.js";

/** How an agent ended. */
export type AgentEnd<Report> =
  /** Undefined: it reported nothing that can be read. */
  | { readonly kind: "succeeded"; readonly report: Report | undefined }
  /** An agent whose pod was ended from outside could not report it. */
  | { readonly kind: "failed"; readonly message: string; readonly isReported: boolean };

/** The state of an agent. */
export type AgentState<Report> =
  /** There is no pod yet. */
  | { readonly kind: "none" }
  | { readonly kind: "running"; readonly startTime: string | undefined }
  | { readonly kind: "succeeded"; readonly report: Report; readonly startTime: string | undefined }
  /** An agent that was lost has perhaps begun its work, and did not report how far it got. */
  | { readonly kind: "failed"; readonly message: string; readonly isLost: boolean };

/** What an agent works for. */
export interface AgentWork {
  /** The custom resource. Its timeout begins when it is created, so that it includes waiting. */
  readonly owner: { readonly metadata: { readonly creationTimestamp?: string | undefined } };
  /** In milliseconds since 1970. */
  readonly now: number;
  readonly timeoutSeconds: number;
  /** True where the status of the custom resource records that a pod was created. */
  readonly isStarted: boolean;
  /** Why there is no pod yet, for the message of one that is late. */
  readonly waitsFor?: string | undefined;
}

/** How the agent in a pod ended; undefined while it works. Reports come from a pod, so that the schema checks them. */
export function agentEnd<Report>({ status }: Pod, schema: z.ZodType<Report>): AgentEnd<Report> | undefined {
  const { phase } = status ?? {};
  const text = status?.containerStatuses?.[0]?.state?.terminated?.message;
  if (phase === "Succeeded") return { kind: "succeeded", report: schema.safeParse(parsed(text)).data };
  if (phase !== "Failed") return undefined;
  const error = agentError(text);
  return {
    kind: "failed",
    message: error ?? status?.message ?? text ?? "its pod failed; see its log",
    isReported: error !== undefined,
  };
}

/** The error in the termination message of an agent's container, if the agent reported one. */
export function agentError(terminationMessage: string | undefined): string | undefined {
  const report = parsed(terminationMessage);
  const error = isObject(report) ? report["error"] : undefined;
  return typeof error === "string" ? error : undefined;
}

/**
 * The state of an agent, from its pod, its end and its time.
 *
 * @example
 * const [pod] = ctx.children(Pod);
 * const state = agentState(pod, pod && agentEnd(pod, report), {
 *   owner: backup,
 *   now: ctx.now(),
 *   timeoutSeconds: 1_800,
 *   isStarted: backup.status?.phase === "Running",
 * });
 */
export function agentState<Report>(
  pod: Pod | undefined,
  end: AgentEnd<Report> | undefined,
  { owner, now, timeoutSeconds, isStarted, waitsFor }: AgentWork,
): AgentState<Report> {
  const startTime = pod?.metadata?.creationTimestamp;
  if (end?.kind === "failed") return { kind: "failed", message: end.message, isLost: !end.isReported };
  if (end?.report) return { kind: "succeeded", report: end.report, startTime };
  if (end) return { kind: "failed", message: "its pod ended well and reported nothing", isLost: true };
  const isLost = pod !== undefined || isStarted;
  const created = Date.parse(owner.metadata.creationTimestamp ?? "") || now;
  if (now > created + timeoutSeconds * 1_000) {
    const problem = pod ? podProblem(pod)?.message : waitsFor;
    const why = problem === undefined ? "" : `: ${problem}`;
    return { kind: "failed", message: `it took longer than ${timeoutSeconds} s${why}`, isLost };
  }
  if (pod?.metadata?.deletionTimestamp !== undefined || (!pod && isStarted))
    return { kind: "failed", message: "its pod is gone", isLost };
  return pod ? { kind: "running", startTime } : { kind: "none" };
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return undefined;
  }
}

// The proposal of all metrics of an autoscaler together: the largest one wins, and no scale-down happens while a metric fails.
import type { MetricSpec } from "@kubewright/api";
import { MetricError, type MetricStatus, type ProposalInput, propose } from "./metric-proposal.js";

export interface Proposals {
  readonly statuses: readonly MetricStatus[];
  readonly failures: readonly MetricError[];
  /** Undefined when nothing can be said. */
  readonly best: { readonly replicas: number; readonly name: string } | undefined;
  /** The errors of all metrics together. */
  readonly error: string | undefined;
}

/** Works out every metric. */
export function proposeReplicas(specs: readonly MetricSpec[], input: ProposalInput): Proposals {
  const statuses: MetricStatus[] = [];
  const failures: MetricError[] = [];
  let best: { readonly replicas: number; readonly name: string } | undefined;
  for (const spec of specs) {
    try {
      const { replicas, name, status } = propose(spec, input);
      statuses.push(status);
      if (!best || best.replicas === 0 || replicas > best.replicas) best = { replicas, name };
    } catch (error) {
      if (!(error instanceof MetricError)) throw error;
      statuses.push({ type: "" });
      failures.push(error);
    }
  }
  const isUsable = best !== undefined && (failures.length === 0 || best.replicas >= input.specReplicas);
  return { statuses, failures, best: isUsable ? best : undefined, error: errorOf(failures, specs.length) };
}

function errorOf(failures: readonly MetricError[], metrics: number): string | undefined {
  const [first] = failures;
  if (!first) return undefined;
  const text = first.context === "" ? first.message : `${first.context}: ${first.message}`;
  return `invalid metrics (${failures.length} invalid out of ${metrics}), first error is: ${text}`;
}

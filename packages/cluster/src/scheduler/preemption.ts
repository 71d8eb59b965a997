// Preemption: the search for a node that a pod could have if less important pods were evicted, and for the one where that costs
// least.
import {
  findCondition,
  isConditionTrue,
  LabelMatcher,
  type Pod,
  type PodDisruptionBudget,
} from "@kubewright/api";
import type { Failure } from "./fit-message.js";
import type { Fitting } from "./fitting.js";
import { final, type Misfit } from "./plugin.js";
import { type Candidate, cheapest, isMoreImportant } from "./preemption-cost.js";
import type { ClusterState } from "./state/cluster-state.js";
import type { NodeState } from "./state/node-state.js";
import type { PodInfo } from "./state/pod-info.js";

const notHelpful = "Preemption is not helpful for scheduling";
const noVictims = final("No preemption victims found for incoming pod");

/** Nodes are tried until this many would do: a tenth of them, at least a hundred. */
const candidatesOf = (nodes: number): number => Math.max(100, Math.floor(nodes / 10));

/** Why a pod may not preempt others at all; undefined when it may. */
export function ineligible(pod: PodInfo, { misfits }: Failure, cluster: ClusterState): string | undefined {
  if (pod.pod.spec?.preemptionPolicy === "Never") return "not eligible due to preemptionPolicy=Never.";
  const nominated = pod.pod.status?.nominatedNodeName ?? "";
  if (!nominated || misfits.get(nominated)?.isResolvable === false) return undefined;
  for (const other of cluster.node(nominated)?.pods.values() ?? [])
    if (other.priority < pod.priority && isLeaving(other.pod))
      return "not eligible due to a terminating pod on the nominated node.";
  return undefined;
}

function isLeaving({ metadata, status }: Pod): boolean {
  if (!metadata?.deletionTimestamp || !isConditionTrue(status?.conditions, "DisruptionTarget")) return false;
  return findCondition(status?.conditions, "DisruptionTarget")?.reason === "PreemptionByScheduler";
}

export type Preemption = { readonly candidate: Candidate } | { readonly failure: Failure };

/** The node to use and the pods to preempt, or why that would not help. */
export function planPreemption(
  fitting: Fitting | undefined,
  { misfits }: Failure,
  cluster: ClusterState,
  budgets: readonly PodDisruptionBudget[],
): Preemption {
  const { nodes } = cluster;
  const answers = new Map<string, Misfit>();
  const candidates: Candidate[] = [];
  for (const node of fitting ? nodes : []) {
    if (candidates.length >= candidatesOf(nodes.length)) break;
    if (!fitting || misfits.get(node.name)?.isResolvable !== true) continue;
    const answer = victimsOn(node, fitting, budgets);
    if ("victims" in answer) candidates.push(answer);
    else answers.set(node.name, answer);
  }
  const candidate = cheapest(candidates);
  if (candidate) return { candidate };
  return { failure: { nodes: nodes.length, misfits: answers, others: notHelpful } };
}

/** The fewest and least important pods of a node that must go; the node is as it was afterwards. */
function victimsOn(
  node: NodeState,
  fitting: Fitting,
  budgets: readonly PodDisruptionBudget[],
): Candidate | Misfit {
  const lesser = [...node.pods.values()].filter(({ priority }) => priority < fitting.pod.priority);
  if (lesser.length === 0) return noVictims;
  for (const pod of lesser) fitting.remove(pod, node);
  const gone = new Set(lesser);
  const misfit = fitting.check(node);
  let violations = 0;
  if (!misfit) {
    const [violating, others] = splitByBudgets(lesser.sort(isMoreImportant), budgets);
    for (const pod of violating) if (!spare(pod, node, fitting, gone)) violations++;
    for (const pod of others) spare(pod, node, fitting, gone);
  }
  const victims = lesser.filter((pod) => gone.has(pod));
  for (const pod of gone) fitting.add(pod, node);
  return misfit ?? { node: node.name, victims, violations };
}

/** Puts a pod back if the node still fits; true when it can stay. */
function spare(pod: PodInfo, node: NodeState, fitting: Fitting, gone: Set<PodInfo>): boolean {
  fitting.add(pod, node);
  if (!fitting.check(node)) return gone.delete(pod);
  fitting.remove(pod, node);
  return false;
}

/** Pods whose eviction would violate a budget, and the others; each pod uses up what its budgets allow. */
function splitByBudgets(
  pods: readonly PodInfo[],
  budgets: readonly PodDisruptionBudget[],
): readonly [readonly PodInfo[], readonly PodInfo[]] {
  const left = budgets.map((budget) => ({
    budget,
    selector: LabelMatcher.from(budget.spec?.selector),
    allowed: budget.status?.disruptionsAllowed ?? 0,
  }));
  const violating: PodInfo[] = [];
  const others: PodInfo[] = [];
  for (const pod of pods) {
    let breaks = false;
    for (const one of left) {
      if (one.budget.metadata?.namespace !== pod.namespace || !one.selector.matches(pod.labels)) continue;
      if (one.selector.requirements.length === 0) continue;
      if (one.budget.status?.disruptedPods?.[pod.pod.metadata?.name ?? ""] !== undefined) continue;
      one.allowed -= 1;
      if (one.allowed < 0) breaks = true;
    }
    (breaks ? violating : others).push(pod);
  }
  return [violating, others];
}

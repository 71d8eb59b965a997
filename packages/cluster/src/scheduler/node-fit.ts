// The node requirements of a pod: its tolerations against taints, its selector and required affinity against labels.
import type {
  Node,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  Pod,
  Taint,
  Toleration,
} from "@kubewright/api";

/** Whether a toleration covers a taint. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  if (toleration.operator === "Exists") return true;
  return toleration.key !== undefined && (toleration.value ?? "") === (taint.value ?? "");
}

/** The first taint of the node, of these effects, that the pod does not tolerate. Default: those that keep pods away. */
export function untoleratedTaint(
  pod: Pod,
  node: Node,
  effects: readonly string[] = ["NoSchedule", "NoExecute"],
): Taint | undefined {
  const taints = node.spec?.taints;
  if (!taints || taints.length === 0) return undefined;
  const tolerations = pod.spec?.tolerations ?? [];
  return taints.find(
    (taint) => effects.includes(taint.effect) && !tolerations.some((one) => tolerates(one, taint)),
  );
}

/** Whether the node is one the pod's selector and required affinity ask for. */
export function matchesSelectors(pod: Pod, node: Node): boolean {
  const labels = node.metadata?.labels ?? {};
  for (const [key, value] of Object.entries(pod.spec?.nodeSelector ?? {}))
    if (labels[key] !== value) return false;
  const required = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return !required || matchesNodeSelector(required, node);
}

/** Whether one of the terms means the node. */
export function matchesNodeSelector({ nodeSelectorTerms }: NodeSelector, node: Node): boolean {
  return nodeSelectorTerms.some((term) => matchesNodeTerm(term, node));
}

/** Whether all of a term holds for the node; an empty term means no node. */
export function matchesNodeTerm(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  node: Node,
): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const labels = node.metadata?.labels ?? {};
  return (
    matchExpressions.every((one) => matchesRequirement(one, labels[one.key])) &&
    matchFields.every((one) => matchesRequirement(one, node.metadata?.name))
  );
}

function matchesRequirement(
  { operator, values = [] }: NodeSelectorRequirement,
  value: string | undefined,
): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return value !== undefined && Number(value) > Number(values[0]);
    case "Lt":
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return false;
  }
}

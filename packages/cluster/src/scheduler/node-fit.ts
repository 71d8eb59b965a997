// Whether a node can take a pod, and if not, why, in the scheduler's words.
import type {
  Node,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  Pod,
  Taint,
  Toleration,
} from "@kubewright/api";
import type { NodeLoad } from "./node-loads.js";
import type { Requests } from "./pod-requests.js";

/** Why the pod does not fit; empty when it does. */
export function misfits(pod: Pod, requests: Requests, load: NodeLoad): readonly string[] {
  const { node } = load;
  const tolerations = pod.spec?.tolerations ?? [];
  if (node.spec?.unschedulable && !tolerations.some((one) => tolerates(one, unschedulable)))
    return ["node(s) were unschedulable"];
  if (pod.spec?.nodeName && pod.spec.nodeName !== node.metadata?.name)
    return ["node(s) didn't match the requested node name"];
  const taint = (node.spec?.taints ?? []).find(
    (one) =>
      one.effect !== "PreferNoSchedule" && !tolerations.some((toleration) => tolerates(toleration, one)),
  );
  if (taint) return [`node(s) had untolerated taint {${taint.key}: ${taint.value ?? ""}}`];
  if (!matchesSelectors(pod, node)) return ["node(s) didn't match Pod's node affinity/selector"];
  if (portsOf(pod).some((port) => load.ports.has(port)))
    return ["node(s) didn't have free ports for the requested pod ports"];
  return lacking(requests, load);
}

const unschedulable: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

function lacking(requests: Requests, { allocatable, requested }: NodeLoad): readonly string[] {
  const found: string[] = [];
  for (const [name, amount] of requests) {
    if ((requested.get(name) ?? 0) + amount <= (allocatable.get(name) ?? 0)) continue;
    found.push(name === "pods" ? "Too many pods" : `Insufficient ${name}`);
  }
  return found;
}

/** The ports of the node a pod asks for, as `TCP 80`. */
export function portsOf(pod: Pod): readonly string[] {
  return (pod.spec?.containers ?? []).flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort, protocol = "TCP" }) => (hostPort ? [`${protocol} ${hostPort}`] : [])),
  );
}

/** Whether a toleration covers a taint. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  if (toleration.operator === "Exists") return true;
  return toleration.key !== undefined && (toleration.value ?? "") === (taint.value ?? "");
}

/** Whether the node is one the pod's selector and required affinity ask for. */
export function matchesSelectors(pod: Pod, node: Node): boolean {
  const labels = node.metadata?.labels ?? {};
  for (const [key, value] of Object.entries(pod.spec?.nodeSelector ?? {}))
    if (labels[key] !== value) return false;
  const required = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return !required || required.nodeSelectorTerms.some((term) => matchesTerm(term, node));
}

function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Node): boolean {
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

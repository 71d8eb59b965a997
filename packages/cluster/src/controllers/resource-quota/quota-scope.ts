// Which pods a quota is about.
import type { Pod, ResourceQuotaSpec, ScopedResourceSelectorRequirement } from "@kubewright/api";

/** Whether a quota with these scopes counts the pod. */
export function coversPod({ scopes = [], scopeSelector }: ResourceQuotaSpec, pod: Pod): boolean {
  const expressions = scopeSelector?.matchExpressions ?? [];
  return scopes.every((scope) => isIn(scope, pod)) && expressions.every((one) => matches(one, pod));
}

/** Whether a quota is about some pods only: it counts nothing else then. */
export function isScoped({ scopes = [], scopeSelector }: ResourceQuotaSpec): boolean {
  return scopes.length + (scopeSelector?.matchExpressions ?? []).length > 0;
}

function matches({ scopeName, operator, values = [] }: ScopedResourceSelectorRequirement, pod: Pod): boolean {
  if (scopeName !== "PriorityClass") return isIn(scopeName, pod);
  const name = pod.spec?.priorityClassName ?? "";
  switch (operator) {
    case "Exists":
      return name !== "";
    case "DoesNotExist":
      return name === "";
    case "In":
      return values.includes(name);
    default:
      return !values.includes(name);
  }
}

function isIn(scope: string, { spec, status }: Pod): boolean {
  switch (scope) {
    case "Terminating":
      return spec?.activeDeadlineSeconds !== undefined;
    case "NotTerminating":
      return spec?.activeDeadlineSeconds === undefined;
    case "BestEffort":
      return (status?.qosClass ?? qualityOf(spec)) === "BestEffort";
    case "NotBestEffort":
      return (status?.qosClass ?? qualityOf(spec)) !== "BestEffort";
    case "PriorityClass":
      return Boolean(spec?.priorityClassName);
    case "CrossNamespacePodAffinity":
      return reachesOut(spec);
    default:
      return false;
  }
}

/** All that matters here is whether any container asks for anything. */
function qualityOf(spec: Pod["spec"]): "BestEffort" | "Burstable" {
  const all = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const asks = all.some(({ resources }) =>
    ["cpu", "memory"].some((name) => resources?.requests?.[name] ?? resources?.limits?.[name]),
  );
  return asks ? "Burstable" : "BestEffort";
}

function reachesOut(spec: Pod["spec"]): boolean {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  return [podAffinity, podAntiAffinity].some((side) => {
    const required = side?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const preferred = side?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    return [...required, ...preferred.map(({ podAffinityTerm }) => podAffinityTerm)].some(
      ({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector !== undefined,
    );
  });
}

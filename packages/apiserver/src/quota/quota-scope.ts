// The scopes and scope selectors of quotas.

import type {
  PersistentVolumeClaim,
  Pod,
  ResourceQuotaSpec,
  ScopedResourceSelectorRequirement,
} from "@kubewright/api";
import { qosClassOf } from "@kubewright/kinds";

type Requirement = Pick<ScopedResourceSelectorRequirement, "scopeName" | "operator" | "values">;

/** Whether a quota with these scopes counts the pod. */
export const coversPod = (spec: ResourceQuotaSpec, pod: Pod): boolean =>
  requirements(spec).every((one) => isPodIn(one, pod));

/** Whether a quota with these scopes counts the claim. */
export const coversClaim = (spec: ResourceQuotaSpec, claim: PersistentVolumeClaim): boolean =>
  requirements(spec).every((one) => isClaimIn(one, claim));

/** A pod with a deadline (scope Terminating). */
export const isTerminating = ({ spec }: Pod): boolean => spec?.activeDeadlineSeconds !== undefined;

/** Whether a quota is limited to some pods or claims; it counts nothing else then. */
export const isScoped = (spec: ResourceQuotaSpec): boolean => requirements(spec).length > 0;

function requirements({ scopes = [], scopeSelector }: ResourceQuotaSpec): Requirement[] {
  const named = scopes.map((scopeName): Requirement => ({ scopeName, operator: "Exists" }));
  return [...named, ...(scopeSelector?.matchExpressions ?? [])];
}

function isPodIn(requirement: Requirement, pod: Pod): boolean {
  const { spec } = pod;
  switch (requirement.scopeName) {
    case "Terminating":
      return isTerminating(pod);
    case "NotTerminating":
      return !isTerminating(pod);
    case "BestEffort":
      return qualityOf(pod) === "BestEffort";
    case "NotBestEffort":
      return qualityOf(pod) !== "BestEffort";
    case "PriorityClass":
      return selects(requirement, spec?.priorityClassName ? [spec.priorityClassName] : []);
    case "CrossNamespacePodAffinity":
      return reachesOut(spec);
    default:
      return false;
  }
}

function isClaimIn(requirement: Requirement, { spec, status }: PersistentVolumeClaim): boolean {
  if (requirement.scopeName !== "VolumeAttributesClass") return false;
  const target = status?.modifyVolumeStatus?.targetVolumeAttributesClassName;
  const names = [spec?.volumeAttributesClassName, status?.currentVolumeAttributesClassName, target];
  return selects(requirement, [...new Set(names.filter((name) => name !== undefined && name !== ""))]);
}

/** Whether the requirement holds for one of the names, or for the lack of any. */
function selects({ operator, values = [] }: Requirement, names: readonly (string | undefined)[]): boolean {
  const isListed = (name: string | undefined): boolean => name !== undefined && values.includes(name);
  switch (operator) {
    case "Exists":
      return names.length > 0;
    case "DoesNotExist":
      return names.length === 0;
    case "In":
      return names.some(isListed);
    default:
      return names.length === 0 || names.some((name) => !isListed(name));
  }
}

const qualityOf = ({ spec, status }: Pod): string =>
  status?.qosClass ?? qosClassOf(spec ?? { containers: [] });

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

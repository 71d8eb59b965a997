// Quotas can be about some pods only; not every resource makes sense for every such scope.
import {
  type FieldError,
  fieldError,
  type ResourceQuotaSpec,
  type ScopedResourceSelectorRequirement,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";

const compute = ["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"];
const ephemeral = ["ephemeral-storage", "requests.ephemeral-storage", "limits.ephemeral-storage"];
const objects = [
  "pods",
  "services",
  "replicationcontrollers",
  "secrets",
  "persistentvolumeclaims",
  "configmaps",
  "services.nodeports",
  "services.loadbalancers",
  "resourcequotas",
];
const quotaResources = new Set([...compute, ...ephemeral, ...objects, "requests.storage"]);
const podScopes = new Set([
  "Terminating",
  "NotTerminating",
  "NotBestEffort",
  "PriorityClass",
  "CrossNamespacePodAffinity",
]);
const standardScopes = new Set([...podScopes, "BestEffort", "VolumeAttributesClass"]);
const existsOnly = new Set([
  "Terminating",
  "NotTerminating",
  "BestEffort",
  "NotBestEffort",
  "CrossNamespacePodAffinity",
]);
const exclusive = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
] as const;

/** Resources without a domain that a quota can be about. */
export const isQuotaResource = (name: string): boolean =>
  quotaResources.has(name) || /^(requests\.|)hugepages-/.test(name);

function fits(scope: string, resource: string): boolean {
  if (scope === "BestEffort") return resource === "pods";
  if (scope === "VolumeAttributesClass")
    return resource === "persistentvolumeclaims" || resource === "requests.storage";
  if (podScopes.has(scope))
    return resource === "pods" || compute.includes(resource) || ephemeral.includes(resource);
  return true;
}

const misfits = ({ hard = {} }: ResourceQuotaSpec, scope: string): string[] =>
  Object.keys(hard).filter((resource) => isQuotaResource(resource) && !fits(scope, resource));

const conflicts = (scopes: readonly string[]): number =>
  exclusive.filter(([one, other]) => scopes.includes(one) && scopes.includes(other)).length;

/** Problems with `scopes`. */
export function validateScopes(spec: ResourceQuotaSpec): FieldError[] {
  const scopes = spec.scopes ?? [];
  const refuse = (text: string): FieldError => fieldError.invalid("spec.scopes", scopes, text);
  return [
    ...checkEach(scopes, (scope) => [
      ...(standardScopes.has(scope) ? [] : [refuse("unsupported scope")]),
      ...misfits(spec, scope).map(() => refuse("unsupported scope applied to resource")),
    ]),
    ...Array.from({ length: conflicts(scopes) }, () => refuse("conflicting scopes")),
  ];
}

/** Problems with `scopeSelector`. */
export function validateScopeSelector(spec: ResourceQuotaSpec): FieldError[] {
  const field = "spec.scopeSelector.matchExpressions";
  const expressions = spec.scopeSelector?.matchExpressions ?? [];
  const scopes = expressions.map(({ scopeName }) => scopeName);
  // Shown by each error about them: of very many, one copy is all there is room for.
  const shown = shownScopes(expressions);
  return [
    ...checkEach(expressions, ({ scopeName, operator, values = [] }) => [
      ...(standardScopes.has(scopeName)
        ? []
        : [fieldError.invalid(`${field}.scopeName`, scopeName, "unsupported scope")]),
      ...misfits(spec, scopeName).map(() =>
        fieldError.invalid(field, shown, "unsupported scope applied to resource"),
      ),
      ...(existsOnly.has(scopeName) && operator !== "Exists"
        ? [fieldError.invalid(`${field}.operator`, operator, mustExist)]
        : []),
      ...operatorErrors(operator, values, field),
    ]),
    ...Array.from({ length: conflicts(scopes) }, () =>
      fieldError.invalid(field, spec.scopes ?? null, "conflicting scopes"),
    ),
  ];
}

/** With the names the fields have inside the server. */
const shownScopes = (expressions: readonly ScopedResourceSelectorRequirement[]) => ({
  MatchExpressions: expressions.map(({ scopeName, operator, values = [] }) => ({
    ScopeName: scopeName,
    Operator: operator,
    Values: values.length > 0 ? values : null,
  })),
});

const mustExist =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

function operatorErrors(operator: string, values: readonly string[], field: string): FieldError[] {
  const at = `${field}.values`;
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length > 0) return [];
      return [
        fieldError.required(
          at,
          "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
        ),
      ];
    case "Exists":
    case "DoesNotExist":
      if (values.length === 0) return [];
      return [
        fieldError.invalid(
          at,
          values,
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
        ),
      ];
    default:
      return [fieldError.invalid(`${field}.operator`, operator, "not a valid selector operator")];
  }
}

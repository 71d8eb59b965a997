// How evenly pods are to be spread over zones or nodes.
import {
  type FieldError,
  fieldError,
  type LabelSelector,
  type TopologySpreadConstraint,
  validateLabelSelector,
  validateQualifiedName,
} from "@kubewright/api";
import { oneOfIfSet, problems } from "../field-rules.js";

const actions = ["DoNotSchedule", "ScheduleAnyway"];
const policies = ["Honor", "Ignore"];
const positiveText = "must be greater than zero";

/** All constraints of a pod. */
export function validateTopologySpread(
  constraints: readonly TopologySpreadConstraint[] | undefined,
  field: string,
): FieldError[] {
  return (constraints ?? []).flatMap((constraint, index, all) => [
    ...constraintErrors(constraint, `${field}[${index}]`),
    ...repeatErrors(constraint, all.slice(index + 1), `${field}[${index}].{topologyKey, whenUnsatisfiable}`),
  ]);
}

function constraintErrors(constraint: TopologySpreadConstraint, field: string): FieldError[] {
  const { maxSkew, topologyKey, labelSelector, matchLabelKeys = [] } = constraint;
  const whenUnsatisfiable: string = constraint.whenUnsatisfiable;
  return [
    ...(maxSkew > 0 ? [] : [fieldError.invalid(`${field}.maxSkew`, maxSkew, positiveText)]),
    ...(topologyKey ? [] : [fieldError.required(`${field}.topologyKey`, "can not be empty")]),
    ...oneOfIfSet(whenUnsatisfiable, actions, `${field}.whenUnsatisfiable`),
    ...minDomainsErrors(constraint.minDomains, whenUnsatisfiable, `${field}.minDomains`),
    ...oneOfIfSet(constraint.nodeAffinityPolicy, policies, `${field}.nodeAffinityPolicy`),
    ...oneOfIfSet(constraint.nodeTaintsPolicy, policies, `${field}.nodeTaintsPolicy`),
    ...labelKeysErrors(matchLabelKeys, labelSelector, `${field}.matchLabelKeys`),
    ...validateLabelSelector(labelSelector, `${field}.labelSelector`),
  ];
}

function minDomainsErrors(minDomains: number | undefined, action: string, field: string): FieldError[] {
  if (minDomains === undefined) return [];
  const errors = minDomains > 0 ? [] : [fieldError.invalid(field, minDomains, positiveText)];
  if (action !== "DoNotSchedule") {
    const text = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
    errors.push(fieldError.invalid(field, minDomains, text));
  }
  return errors;
}

function repeatErrors(
  { topologyKey, whenUnsatisfiable }: TopologySpreadConstraint,
  others: readonly TopologySpreadConstraint[],
  field: string,
): FieldError[] {
  const repeated = others.some(
    (other) => other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable,
  );
  return repeated ? [fieldError.duplicate(field, `{${topologyKey}, ${whenUnsatisfiable}}`)] : [];
}

function labelKeysErrors(
  keys: readonly string[],
  selector: LabelSelector | undefined,
  field: string,
): FieldError[] {
  if (keys.length === 0) return [];
  const selected = new Map<string, number>();
  for (const { key } of selector?.matchExpressions ?? []) selected.set(key, (selected.get(key) ?? 0) + 1);
  const missing = selector
    ? []
    : [fieldError.forbidden(field, "must not be specified when labelSelector is not set")];
  return [
    ...missing,
    ...keys.flatMap((key, index) => {
      const at = `${field}[${index}]`;
      const errors = problems(validateQualifiedName(key), key, at);
      // One expression is what the server itself made of the key.
      const byUser = Object.hasOwn(selector?.matchLabels ?? {}, key) || (selected.get(key) ?? 0) > 1;
      return byUser
        ? [...errors, fieldError.invalid(at, key, "exists in both matchLabelKeys and labelSelector")]
        : errors;
    }),
  ];
}

// Validates topology spread constraints.
import { type FieldError, fieldError, type TopologySpreadConstraint } from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { oneOfIfSet } from "../field-rules.js";
import { selectorErrors } from "../selector-errors.js";
import { validateLabelKeys } from "./validate-affinity.js";

const actions = ["DoNotSchedule", "ScheduleAnyway"];
const policies = ["Honor", "Ignore"];
const positiveText = "must be greater than zero";

/** All constraints of a pod. */
export function validateTopologySpread(
  constraints: readonly TopologySpreadConstraint[] | undefined,
  field: string,
): FieldError[] {
  const pairs = (constraints ?? []).map(
    ({ topologyKey, whenUnsatisfiable }) => `{${topologyKey}, ${whenUnsatisfiable}}`,
  );
  const last = new Map(pairs.map((pair, index) => [pair, index]));
  return checkEach(constraints ?? [], (constraint, index) => {
    const pair = pairs[index] ?? "";
    return constraintErrors(constraint, last.get(pair) === index ? undefined : pair, `${field}[${index}]`);
  });
}

function constraintErrors(
  constraint: TopologySpreadConstraint,
  repeated: string | undefined,
  field: string,
): FieldError[] {
  const { maxSkew, topologyKey, labelSelector, matchLabelKeys } = constraint;
  const whenUnsatisfiable: string = constraint.whenUnsatisfiable;
  return [
    ...(maxSkew > 0 ? [] : [fieldError.invalid(`${field}.maxSkew`, maxSkew, positiveText)]),
    ...(topologyKey ? [] : [fieldError.required(`${field}.topologyKey`, "can not be empty")]),
    ...oneOfIfSet(whenUnsatisfiable, actions, `${field}.whenUnsatisfiable`),
    ...(repeated === undefined
      ? []
      : [fieldError.duplicate(`${field}.{topologyKey, whenUnsatisfiable}`, repeated)]),
    ...minDomainsErrors(constraint.minDomains, whenUnsatisfiable, `${field}.minDomains`),
    ...oneOfIfSet(constraint.nodeAffinityPolicy, policies, `${field}.nodeAffinityPolicy`),
    ...oneOfIfSet(constraint.nodeTaintsPolicy, policies, `${field}.nodeTaintsPolicy`),
    ...validateLabelKeys({ labelSelector, matchLabelKeys }, field),
    ...selectorErrors(labelSelector, `${field}.labelSelector`),
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

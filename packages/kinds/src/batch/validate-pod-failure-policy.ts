// Validates the pod failure policy of a Job.
import {
  type FieldError,
  fieldError,
  type JobSpec,
  type PodFailurePolicy,
  type PodFailurePolicyOnExitCodesRequirement,
  type PodFailurePolicyOnPodConditionsPattern,
  type PodFailurePolicyRule,
  validateQualifiedName,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { invalidBecause } from "../field-rules.js";

const maxRules = 20;
const maxExitCodes = 255;
const maxPatterns = 20;
const actions = ["Count", "FailIndex", "FailJob", "Ignore"];
const operators = ["In", "NotIn"];
const statuses = ["False", "True", "Unknown"];

/** An error that shows no value, for what is wrong with several fields together. */
export const invalidTogether = (field: string, text: string): FieldError => ({
  field,
  reason: "FieldValueInvalid",
  message: `Invalid value: ${text}`,
});

const quotedList = (values: readonly string[]): string =>
  `valid values: [${values.map((value) => `"${value}"`).join(" ")}]`;

/** The policy; `spec` is the job it belongs to. */
export function validatePodFailurePolicy(
  policy: PodFailurePolicy,
  spec: JobSpec,
  field: string,
): FieldError[] {
  const rules = policy.rules ?? [];
  const at = `${field}.rules`;
  const { containers = [], initContainers = [] } = spec.template?.spec ?? {};
  const names = new Set([...(containers ?? []), ...initContainers].map(({ name }) => name));
  return [
    ...(rules.length > maxRules ? [fieldError.tooMany(at, rules.length, maxRules)] : []),
    ...checkEach(rules, (rule, index) => ruleErrors(rule, spec, names, `${at}[${index}]`)),
  ];
}

function ruleErrors(
  rule: PodFailurePolicyRule,
  spec: JobSpec,
  names: ReadonlySet<string>,
  field: string,
): FieldError[] {
  const { onExitCodes, onPodConditions = [] } = rule;
  const errors = actionErrors(rule.action, spec, `${field}.action`);
  if (onExitCodes) errors.push(...exitCodeErrors(onExitCodes, names, `${field}.onExitCodes`));
  errors.push(...conditionErrors(onPodConditions, `${field}.onPodConditions`));
  if (onExitCodes && onPodConditions.length > 0)
    errors.push(invalidTogether(field, "specifying both OnExitCodes and OnPodConditions is not supported"));
  if (!onExitCodes && onPodConditions.length === 0)
    errors.push(invalidTogether(field, "specifying one of OnExitCodes and OnPodConditions is required"));
  return errors;
}

function actionErrors(action: string, spec: JobSpec, field: string): FieldError[] {
  if (action === "") return [fieldError.required(field, quotedList(actions))];
  if (action === "FailIndex") {
    if (spec.backoffLimitPerIndex !== undefined) return [];
    return [fieldError.invalid(field, action, "requires the backoffLimitPerIndex to be set")];
  }
  return actions.includes(action) ? [] : [fieldError.notSupported(field, action, actions)];
}

function conditionErrors(
  patterns: readonly PodFailurePolicyOnPodConditionsPattern[],
  field: string,
): FieldError[] {
  return [
    ...(patterns.length > maxPatterns ? [fieldError.tooMany(field, patterns.length, maxPatterns)] : []),
    ...checkEach(patterns, ({ type, status }, index) => {
      const at = `${field}[${index}]`;
      const errors = invalidBecause(validateQualifiedName(type), type, `${at}.type`);
      if (!status) return [...errors, fieldError.required(`${at}.status`, quotedList(statuses))];
      return statuses.includes(status)
        ? errors
        : [...errors, fieldError.notSupported(`${at}.status`, status, statuses)];
    }),
  ];
}

function exitCodeErrors(
  requirement: PodFailurePolicyOnExitCodesRequirement,
  names: ReadonlySet<string>,
  field: string,
): FieldError[] {
  const { containerName, values = [] } = requirement;
  const operator: string = requirement.operator;
  const errors: FieldError[] = [];
  if (operator === "") errors.push(fieldError.required(`${field}.operator`, quotedList(operators)));
  else if (!operators.includes(operator))
    errors.push(fieldError.notSupported(`${field}.operator`, operator, operators));
  if (containerName !== undefined && !names.has(containerName)) {
    const text = "must be one of the container or initContainer names in the pod template";
    errors.push(fieldError.invalid(`${field}.containerName`, containerName, text));
  }
  return [...errors, ...codeErrors(values ?? [], operator, `${field}.values`)];
}

function codeErrors(values: readonly number[], operator: string, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (values.length === 0) errors.push(fieldError.invalid(field, null, "at least one value is required"));
  if (values.length > maxExitCodes) errors.push(fieldError.tooMany(field, values.length, maxExitCodes));
  const seen = new Set<number>();
  values.forEach((value, index) => {
    if (operator === "In" && value === 0)
      errors.push(fieldError.invalid(`${field}[${index}]`, value, "must not be 0 for the In operator"));
    if (seen.has(value)) errors.push(fieldError.duplicate(`${field}[${index}]`, value));
    seen.add(value);
  });
  const ordered = values.every((value, index) => index === 0 || (values[index - 1] ?? value) <= value);
  return ordered ? errors : [...errors, fieldError.invalid(field, values, "must be ordered")];
}

// Validates the success policy of an indexed Job.
import { type FieldError, fieldError, type SuccessPolicy, type SuccessPolicyRule } from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { notNegative } from "../field-rules.js";
import { countIndexes, IndexesError } from "./job-indexes.js";

const maxRules = 20;
const maxIndexesLength = 64 * 1024;

/** The policy of a job with that many completions. */
export function validateSuccessPolicy(
  policy: SuccessPolicy,
  completions: number,
  field: string,
): FieldError[] {
  const rules = policy.rules ?? [];
  const at = `${field}.rules`;
  const errors: FieldError[] = [];
  if (rules.length === 0) {
    const text = "at least one rules must be specified when the successPolicy is specified";
    errors.push(fieldError.required(at, text));
  }
  if (rules.length > maxRules) errors.push(fieldError.tooMany(at, rules.length, maxRules));
  return [...errors, ...checkEach(rules, (rule, index) => ruleErrors(rule, completions, `${at}[${index}]`))];
}

function ruleErrors(rule: SuccessPolicyRule, completions: number, field: string): FieldError[] {
  const { succeededCount: count, succeededIndexes: indexes } = rule;
  if (count === undefined && indexes === undefined) {
    const text = "at least one of succeededCount or succeededIndexes must be specified";
    return [fieldError.required(field, text)];
  }
  const errors: FieldError[] = [];
  const total =
    indexes === undefined ? undefined : countAt(indexes, completions, `${field}.succeededIndexes`, errors);
  if (count === undefined) return errors;
  const at = `${field}.succeededCount`;
  const atMost = (limit: number, what: string): void => {
    if (count > limit)
      errors.push(
        fieldError.invalid(at, count, `must be less than or equal to ${limit} (the number of ${what})`),
      );
  };
  errors.push(...notNegative(count, at));
  atMost(completions, "specified completions");
  if (total !== undefined) atMost(total, "indexes in the specified succeededIndexes field");
  return errors;
}

/** How many indexes are listed; problems with the list are added to the errors. */
function countAt(indexes: string, completions: number, field: string, errors: FieldError[]): number {
  if (indexes.length > maxIndexesLength) errors.push(fieldError.tooLong(field, maxIndexesLength));
  try {
    return countIndexes(indexes, completions);
  } catch (error) {
    if (!(error instanceof IndexesError)) throw error;
    errors.push(fieldError.invalid(field, indexes, `error parsing succeededIndexes: ${error.message}`));
    return 0;
  }
}

// One condition of a label selector, and the rules it must satisfy.
import type { FieldError } from "./errors.js";
import { fieldError } from "./field-error.js";
import { validateLabelValue, validateQualifiedName } from "./labels.js";

/** The operator of a requirement, as Kubernetes names it in messages. */
export type LabelOperator = "=" | "==" | "!=" | "in" | "notin" | "exists" | "!" | "gt" | "lt";

/** One comparison of a label selector: a key, an operator, values. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** None for `exists` and `!`, one for comparisons, any number for `in` and `notin`. */
  readonly values: readonly string[];
}

const maxInt64 = 2n ** 63n - 1n;

/** A decimal int64, or undefined when the text is none. */
export function parseInt64(text: string): bigint | undefined {
  if (!/^[-+]?[0-9]{1,4000}$/.test(text)) return undefined;
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return value > maxInt64 || value < -maxInt64 - 1n ? undefined : value;
}

/** Validation errors of a requirement; empty when it is valid. */
export function validateRequirement({ key, operator, values }: LabelRequirement): FieldError[] {
  const errors = keyErrors(key, "key");
  const wrong = valueCountText(operator, values.length);
  if (wrong) errors.push(fieldError.invalid("values", values.length === 0 ? null : values, wrong));
  values.forEach((value, i) => {
    if ((operator === "gt" || operator === "lt") && parseInt64(value) === undefined) {
      const text = "for 'Gt', 'Lt' operators, the value must be an integer";
      errors.push(fieldError.invalid(`values[${i}]`, value, text));
    }
  });
  values.forEach((value, i) => {
    const texts = validateLabelValue(value);
    if (texts.length > 0) errors.push(fieldError.invalid(`values[${i}][${key}]`, value, texts.join("; ")));
  });
  return errors;
}

/** Validation errors of a label key, joined into one. */
export function keyErrors(key: string, field: string): FieldError[] {
  const texts = validateQualifiedName(key);
  return texts.length === 0 ? [] : [fieldError.invalid(field, key, texts.join("; "))];
}

function valueCountText(operator: LabelOperator, count: number): string | undefined {
  switch (operator) {
    case "in":
    case "notin":
      return count === 0 ? "for 'in', 'notin' operators, values set can't be empty" : undefined;
    case "=":
    case "==":
    case "!=":
      return count === 1 ? undefined : "exact-match compatibility requires one single value";
    case "exists":
    case "!":
      return count === 0 ? undefined : "values set must be empty for exists and does not exist";
    case "gt":
    case "lt":
      return count === 1 ? undefined : "for 'Gt', 'Lt' operators, exactly one value is required";
  }
}

/** The requirement as it stands in a query: `app in (a,b)`. */
export function printRequirement({ key, operator, values }: LabelRequirement): string {
  const list = [...values].sort().join(",");
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${list})`;
    case "gt":
      return `${key}>${list}`;
    case "lt":
      return `${key}<${list}`;
    default:
      return `${key}${operator}${list}`;
  }
}

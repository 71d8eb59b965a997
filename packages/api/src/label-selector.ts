// Decides which objects a label selector means, whether it comes from a query or from a `selector` field. Matching
// runs for every event of every watch, so a selector is compiled once and matching allocates nothing.
import type { FieldError } from "./errors.js";
import { fieldError, joinFieldErrors } from "./field-error.js";
import type { LabelSelector, LabelSelectorRequirement } from "./generated/meta-v1.js";
import { goQuote } from "./go-text.js";
import { LabelConditions } from "./label-conditions.js";
import {
  type LabelOperator,
  type LabelRequirement,
  parseInt64,
  printRequirement,
  validateRequirement,
} from "./label-requirement.js";
import { parseRequirements } from "./label-selector-parser.js";
import { type Labels, validateLabels, validateLabelValue, validateQualifiedName } from "./labels.js";

const noLabels: Labels = {};
/** Selectors with more requirements and values than this are looked up in, not gone through. */
const few = 16;
const fieldOperators: ReadonlyMap<string, LabelOperator> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);

/**
 * A compiled label selector.
 *
 * @example
 * const canaries = LabelMatcher.parse("app=web,track in (canary,beta)");
 * pods.filter((pod) => canaries.matches(pod.metadata?.labels));
 */
export class LabelMatcher {
  /** Matches every object. */
  static readonly everything: LabelMatcher = new LabelMatcher([]);
  /** Matches no object: what a `selector` field means that is not set. */
  static readonly nothing: LabelMatcher = new LabelMatcher([], true);

  /** Sorted by key; all of them must hold. */
  readonly requirements: readonly LabelRequirement[];
  /** True when no object can match, whatever its labels. */
  readonly isNothing: boolean;
  readonly #isLong: boolean;
  #conditions: LabelConditions | undefined;

  private constructor(requirements: readonly LabelRequirement[], isNothing = false) {
    this.requirements = requirements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    this.isNothing = isNothing;
    this.#isLong = requirements.reduce((sum, { values }) => sum + 1 + values.length, 0) > few;
  }

  /** Reads the selector of a query; throws a SyntaxError with Kubernetes' message when it is malformed. */
  static parse(text: string): LabelMatcher {
    return new LabelMatcher(parseRequirements(text));
  }

  /** Compiles a `selector` field: unset means nothing, empty means everything. Throws when it is invalid. */
  static from(selector: LabelSelector | undefined): LabelMatcher {
    if (selector === undefined) return LabelMatcher.nothing;
    const requirements = Object.entries(selector.matchLabels ?? {}).map(
      ([key, value]): LabelRequirement => ({ key, operator: "=", values: [value] }),
    );
    for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
      const known = fieldOperators.get(operator);
      if (known === undefined)
        throw new SyntaxError(`${goQuote(operator)} is not a valid label selector operator`);
      requirements.push({ key, operator: known, values });
    }
    for (const requirement of requirements) {
      const errors = validateRequirement(requirement);
      if (errors.length > 0) throw new SyntaxError(joinFieldErrors(errors));
    }
    return new LabelMatcher(requirements);
  }

  /** Matches objects that carry all of these labels, which are not checked. */
  static ofLabels(labels: Labels): LabelMatcher {
    return new LabelMatcher(
      Object.entries(labels).map(([key, value]) => ({ key, operator: "=", values: [value] })),
    );
  }

  /** True when an object with these labels is selected. */
  matches(labels: Labels | undefined): boolean {
    if (this.isNothing) return false;
    const all = labels ?? noLabels;
    if (this.#isLong) {
      this.#conditions ??= new LabelConditions(this.requirements);
      return this.#conditions.matches(all);
    }
    for (let i = 0; i < this.requirements.length; i += 1) {
      const requirement = this.requirements[i];
      if (requirement !== undefined && !holds(requirement, all)) return false;
    }
    return true;
  }

  /** The only value of `key` that can match, if the selector demands one; lets an index answer. */
  exactValue(key: string): string | undefined {
    const requirement = this.requirements.find((candidate) => candidate.key === key);
    const isExact = requirement && ["=", "==", "in"].includes(requirement.operator);
    return isExact && requirement.values.length === 1 ? requirement.values[0] : undefined;
  }

  /** The canonical query: `app=web,track in (beta,canary)`. */
  toString(): string {
    return this.requirements.map(printRequirement).join(",");
  }
}

function holds({ key, operator, values }: LabelRequirement, labels: Labels): boolean {
  // Inherited properties (`constructor`) are never strings, so they are never taken for labels.
  const value: unknown = labels[key];
  if (typeof value !== "string") return operator === "!" || operator === "notin" || operator === "!=";
  switch (operator) {
    case "=":
    case "==":
      return values[0] === value;
    case "!=":
      return values[0] !== value;
    case "in":
      return values.includes(value);
    case "notin":
      return !values.includes(value);
    case "exists":
      return true;
    case "!":
      return false;
    default:
      return compares(operator, value, values[0] ?? "");
  }
}

function compares(operator: "gt" | "lt", value: string, bound: string): boolean {
  const left = parseInt64(value);
  const right = parseInt64(bound);
  if (left === undefined || right === undefined) return false;
  return operator === "gt" ? left > right : left < right;
}

/** Validation errors of a `selector` field, as the API server reports them. */
export function validateLabelSelector(selector: LabelSelector | undefined, field: string): FieldError[] {
  const expressions = selector?.matchExpressions ?? [];
  return [
    ...validateLabels(selector?.matchLabels, `${field}.matchLabels`),
    ...expressions.flatMap((expression, i) =>
      validateSelectorExpression(expression, `${field}.matchExpressions[${i}]`),
    ),
  ];
}

/** Validation errors of one of its expressions. */
export function validateSelectorExpression(
  { key, operator, values = [] }: LabelSelectorRequirement,
  field: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const known = fieldOperators.get(operator);
  if (known === undefined) {
    errors.push(fieldError.invalid(`${field}.operator`, operator, "not a valid selector operator"));
  } else if ((known === "in" || known === "notin") && values.length === 0) {
    errors.push(
      fieldError.required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"),
    );
  } else if ((known === "exists" || known === "!") && values.length > 0) {
    const text = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    errors.push(fieldError.forbidden(`${field}.values`, text));
  }
  for (const text of validateQualifiedName(key)) errors.push(fieldError.invalid(`${field}.key`, key, text));
  values.forEach((value, i) => {
    for (const text of validateLabelValue(value))
      errors.push(fieldError.invalid(`${field}.values[${i}]`, value, text));
  });
  return errors;
}

// The requirements of a long selector, put together by key: what takes a look at each of thousands of requirements for each object
// takes a look at the labels the object has.
import { type LabelRequirement, parseInt64 } from "./label-requirement.js";
import type { Labels } from "./labels.js";

/** All that is required of one label. */
interface Condition {
  /** The label must be there. */
  isRequired: boolean;
  /** No value will do. */
  isForbidden: boolean;
  /** Only these values will do; any where undefined. */
  allowed: ReadonlySet<string> | undefined;
  denied: Set<string> | undefined;
  /** Numbers it must lie between; undefined where it need not be a number. */
  above: bigint | undefined;
  below: bigint | undefined;
}

/** Decides the same as looking at each requirement. */
export class LabelConditions {
  readonly #all = new Map<string, Condition>();
  readonly #required: (readonly [key: string, condition: Condition])[] = [];

  constructor(requirements: readonly LabelRequirement[]) {
    for (const requirement of requirements) add(this.#conditionOn(requirement.key), requirement);
    for (const [key, condition] of this.#all) if (condition.isRequired) this.#required.push([key, condition]);
  }

  matches(labels: Labels): boolean {
    for (const [key, condition] of this.#required) {
      const value: unknown = labels[key];
      if (typeof value !== "string" || !allows(condition, value)) return false;
    }
    // A label that is not required can break the condition only where it is present.
    for (const key in labels) {
      const condition = this.#all.get(key);
      const value: unknown = labels[key];
      if (condition && typeof value === "string" && !allows(condition, value)) return false;
    }
    return true;
  }

  #conditionOn(key: string): Condition {
    let condition = this.#all.get(key);
    if (!condition) {
      condition = {
        isRequired: false,
        isForbidden: false,
        allowed: undefined,
        denied: undefined,
        above: undefined,
        below: undefined,
      };
      this.#all.set(key, condition);
    }
    return condition;
  }
}

function add(condition: Condition, { operator, values }: LabelRequirement): void {
  switch (operator) {
    case "!":
      condition.isForbidden = true;
      return;
    case "!=":
    case "notin":
      condition.denied ??= new Set();
      for (const value of values) condition.denied.add(value);
      return;
    case "gt":
    case "lt":
      addBound(condition, operator, parseInt64(values[0] ?? ""));
      break;
    case "exists":
      break;
    default: {
      const { allowed } = condition;
      condition.allowed = new Set(allowed ? values.filter((value) => allowed.has(value)) : values);
    }
  }
  condition.isRequired = true;
}

function addBound(condition: Condition, operator: "gt" | "lt", bound: bigint | undefined): void {
  if (bound === undefined) condition.isForbidden = true;
  else if (operator === "gt")
    condition.above = condition.above === undefined || bound > condition.above ? bound : condition.above;
  else condition.below = condition.below === undefined || bound < condition.below ? bound : condition.below;
}

function allows({ isForbidden, allowed, denied, above, below }: Condition, value: string): boolean {
  if (isForbidden || denied?.has(value) || (allowed && !allowed.has(value))) return false;
  if (above === undefined && below === undefined) return true;
  const number = parseInt64(value);
  return (
    number !== undefined && (above === undefined || number > above) && (below === undefined || number < below)
  );
}

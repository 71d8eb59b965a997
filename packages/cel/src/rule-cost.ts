// The cost limit of all rules of a schema, and Kubernetes' messages when it is exceeded.
import { type FieldError, fieldError } from "@kubewright/api";
import { costLimits } from "./budget.js";

const advice =
  "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)";

/** `estimated rule cost exceeds budget by factor of 2.5x (…)`. */
export function costMessage(what: string, cost: number, limit: number): string {
  return `${what} exceeds budget by factor of ${factorText(cost / limit)} ${advice}`;
}

function factorText(factor: number): string {
  if (factor > 100) return "more than 100x";
  // More digits where one would read as "1.0x".
  return factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
}

interface Expensive {
  readonly path: string;
  readonly cost: number;
}

const shown = 4;

/** Adds up the estimates of a schema's rules. */
export class TotalCost {
  #total = 0;
  #expensive: Expensive[] = [];

  add(path: string, cost: number): void {
    this.#total += cost;
    // Rules below a hundredth of the budget are not named.
    if (cost < costLimits.estimatedPerSchema / 100) return;
    this.#expensive = [...this.#expensive, { path, cost }].sort((a, b) => b.cost - a.cost).slice(0, shown);
  }

  errors(path: string): FieldError[] {
    const limit = costLimits.estimatedPerSchema;
    if (this.#total <= limit) return [];
    const contribution =
      "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
    const what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    return [
      ...this.#expensive.map((rule) => fieldError.forbidden(rule.path, contribution)),
      fieldError.forbidden(path, costMessage(what, this.#total, limit)),
    ];
  }
}

// Amounts by name of resource, which may be as many as a body allows: they are copied and rounded some at a time.
import { Amount } from "@kubewright/api";
import { setOwn } from "../apply/json-value.js";

type ResourceList = Record<string, string | number>;

/** So many take less than a millisecond. */
const namesPerStep = 500;

/** What can be told to need no rounding by how it is written. */
const isCoarse = /^\d{1,15}(?:m|k|[MGTPE]i?|Ki)?$/;

/** Nothing finer than a thousandth is kept. */
export function roundingSteps(resources: ResourceList | undefined): void {
  if (!resources) return;
  for (const [index, name] of Object.keys(resources).entries()) {
    const quantity = resources[name] ?? 0;
    if (isCoarse.test(String(quantity))) continue;
    const amount = Amount.parse(quantity);
    const rounded = amount.roundUp(-3);
    if (!rounded.equals(amount)) resources[name] = rounded.toString();
  }
}

/** A list with all that is in these lists; what stands in several is as in the last of them. Undefined where there is nothing. */
export function mergingSteps(...lists: readonly (ResourceList | undefined)[]): ResourceList | undefined {
  const merged: ResourceList = {};
  const count = 0;
  for (const list of lists) {
    if (!list) continue;
    for (const name of Object.keys(list)) {
      setOwn(merged, name, list[name]);
    }
  }
  return count === 0 ? undefined : merged;
}

// Resource lists: quantities by the name of a resource.
import { Amount, setOwn } from "@kubewright/api";

type ResourceList = Record<string, string | number>;

/** Quantities whose text alone shows that they need no rounding. */
const isCoarse = /^\d{1,15}(?:m|k|[MGTPE]i?|Ki)?$/;

/** Rounds every quantity up to thousandths, the finest unit that is stored. */
export function roundResources(resources: ResourceList | undefined): void {
  if (!resources) return;
  for (const name of Object.keys(resources)) {
    const quantity = resources[name] ?? 0;
    if (isCoarse.test(String(quantity))) continue;
    const amount = Amount.parse(quantity);
    const rounded = amount.roundUp(-3);
    if (!rounded.equals(amount)) resources[name] = rounded.toString();
  }
}

/** Merges resource lists; a later list wins over an earlier one. Undefined where all of them are empty. */
export function mergeResources(...lists: readonly (ResourceList | undefined)[]): ResourceList | undefined {
  const merged: ResourceList = {};
  for (const list of lists) for (const name of Object.keys(list ?? {})) setOwn(merged, name, list?.[name]);
  return Object.keys(merged).length === 0 ? undefined : merged;
}

// The other field managers of a field, by name.
import { isObject, type ManagedFieldsEntry } from "@kubewright/api";

/** The managers, other than ours, that own the place in an object or something below it. */
export function otherManagers(
  entries: readonly ManagedFieldsEntry[],
  ours: string,
  place: readonly (string | number)[],
): readonly string[] {
  const names = entries
    .filter(({ manager, fieldsV1 }) => manager !== ours && owns(fieldsV1, place))
    .map(({ manager = "", subresource }) => (subresource ? `${manager} (${subresource})` : manager));
  return [...new Set(names)];
}

/** Items of lists are not distinguished: their keys are not known here, and naming one manager too many does no harm. */
function owns(node: unknown, place: readonly (string | number)[]): boolean {
  if (!isObject(node)) return false;
  const [step, ...rest] = place;
  if (step === undefined) return true;
  if (typeof step === "string") return owns(node[`f:${step}`], rest) || isLeaf(node[`f:${step}`]);
  return Object.keys(node).some((element) => /^[kv]:/.test(element) && owns(node[element], rest));
}

/** Owned as a whole, so what is below is owned too. */
function isLeaf(node: unknown): boolean {
  return isObject(node) && Object.keys(node).length === 0;
}

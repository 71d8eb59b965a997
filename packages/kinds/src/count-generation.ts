// Kinds without a status count their generations too: whenever what they are about changes.
import { deepEqual } from "@kubewright/api";
import { emptyBytesOf, emptyFieldsOf } from "@kubewright/machinery";
import type { DraftObject } from "./objects.js";
import { bumpGeneration } from "./status-strategy.js";
import type { Strategy } from "./strategy.js";

type Counting = Required<Pick<Strategy, "hasGeneration" | "prepareForUpdate">>;

/** The part of a strategy that counts; `fields` are what the object is about. */
export const countGeneration = (...fields: readonly string[]): Counting => ({
  hasGeneration: true,
  prepareForUpdate(object, old) {
    if (fields.some((field) => !deepEqual(object[field], old[field]))) bumpGeneration(object, old);
  },
});

/**
 * For kinds that kube-apiserver compares with `reflect.DeepEqual`: an empty list in an update is a change each time,
 * and so is a byte string that becomes empty or absent.
 */
export const countExactGeneration = (field: string): Counting => ({
  hasGeneration: true,
  prepareForUpdate(object, old) {
    const isSame =
      deepEqual(object[field], old[field]) &&
      deepEqual([...emptyBytesOf(object)], [...emptyBytesOf(old)]) &&
      !hasEmptyField(object, field);
    if (!isSame) bumpGeneration(object, old);
  },
});

const hasEmptyField = (object: DraftObject, field: string): boolean =>
  [...emptyFieldsOf(object)].some((path) => path.startsWith(`${field}.`) && !hasItems(object, path));

/** Whether a default has filled the field since it was sent. */
function hasItems(object: DraftObject, path: string): boolean {
  const value = path
    .split(".")
    .reduce<unknown>((holder, key) => (isHolder(holder) ? holder[key] : undefined), object);
  return isHolder(value) && Object.keys(value).length > 0;
}

const isHolder = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

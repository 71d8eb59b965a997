// Kinds without a status count their generations too: whenever what they are about changes.
import { deepEqual } from "@kubewright/api";
import { bumpGeneration } from "./status-strategy.js";
import type { Strategy } from "./strategy.js";

/** The part of a strategy that counts; `fields` are what the object is about. */
export const countGeneration = (
  ...fields: readonly string[]
): Required<Pick<Strategy, "hasGeneration" | "prepareForUpdate">> => ({
  hasGeneration: true,
  prepareForUpdate(object, old) {
    if (fields.some((field) => !deepEqual(object[field], old[field]))) bumpGeneration(object, old);
  },
});

// The diff of two values that validation errors show when a field must not change.
import { goJson, stringifyJson } from "@kubewright/api";
import { unifiedDiff } from "@kubewright/machinery";

/** A unified diff of the JSON of two values; empty when they are equal. */
export const diffOfJson = (before: unknown, after: unknown): string =>
  unifiedDiff(linesOf(before), linesOf(after));

/** JSON indented by one space, with the characters escaped that Go escapes for HTML. */
const linesOf = (value: unknown): string[] =>
  stringifyJson(value, 1)
    .replace(/[<>&\u2028\u2029]/g, (character) => goJson(character).slice(1, -1))
    .split("\n");

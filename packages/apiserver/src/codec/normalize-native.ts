// What decoding JSON into a Go struct and printing it again does to an object: unknown fields vanish, types are
// checked, zero values appear or disappear, values take their canonical form.
import type { StructFacts } from "@kubewright/api";
import type { FitResult } from "./decode-object.js";
import type { NumberLiterals } from "./json/number-literals.js";
import type { MutableObject } from "./mutable-json.js";

/** Normalises an object of a built-in kind in place. Also right after a patch was applied, before it is stored. */
export function normalizeNative(
  _value: MutableObject,
  _facts: StructFacts,
  _literals?: NumberLiterals,
): FitResult {
  throw new Error("not implemented yet");
}

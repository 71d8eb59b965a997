// The directives a strategic merge patch may hold.
import { isObject, ownValue, setOwn } from "@kubewright/api";
import { goValue } from "../go-format.js";
import type { JsonMap } from "../json-map.js";
import { badPatch, patchFailed } from "./patch-error.js";

/** Lists the keys of a map that stay. */
export const retainKeys = "$retainKeys";
/** States the order of a list: `$setElementOrder/containers`. */
export const setOrderPrefix = "$setElementOrder";
/** Lists scalars that go: `$deleteFromPrimitiveList/finalizers`. */
export const deleteFromListPrefix = "$deleteFromPrimitiveList";

const maxDepth = 1000;

/** The `$patch` of an object; undefined when it has none. */
export const directiveIn = (patch: JsonMap): unknown => ownValue(patch, "$patch");

/** The error for an unknown `$patch`. */
export const unknownDirective = (directive: unknown, patch: JsonMap) =>
  patchFailed(`unknown patch type: ${goValue(directive)} in map: ${goValue(patch)}`);

/** The list a directive is about: `$setElementOrder/containers` is about `containers`. */
export function fieldOfDirective(key: string, prefix: string): string {
  if (key.startsWith(`${prefix}/`)) return key.slice(prefix.length + 1);
  throw badPatch(
    `invalid patch format of ${prefix === setOrderPrefix ? "setElementOrder" : "primitive"} list`,
  );
}

/** A value that merges with nothing: its nulls and whatever has a `$patch` are dropped. */
export function withoutDirectives(value: unknown, depth = 0): unknown {
  checkDepth(depth);
  if (Array.isArray(value)) {
    return value.map((item) => withoutDirectives(item, depth + 1)).filter((item) => item !== undefined);
  }
  if (!isObject(value)) return value;
  if (directiveIn(value) !== undefined) return undefined;
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const item = value[key] === null ? undefined : withoutDirectives(value[key], depth + 1);
    if (item !== undefined) setOwn(kept, key, item);
  }
  return kept;
}

function checkDepth(depth: number): void {
  if (depth > maxDepth) throw badPatch("exceeded max depth");
}

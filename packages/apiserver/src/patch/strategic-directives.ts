// The directives a strategic merge patch may hold.
import { Pace } from "@kubewright/api/steps";
import { goValue } from "../apply/go-format.js";
import { getOwn, isMap, type JsonMap, setOwn } from "../apply/json-value.js";
import { LongValues } from "../codec/count-values.js";
import { badPatch, patchFailed } from "./patch-error.js";

/** Lists the keys of a map that stay. */
export const retainKeys = "$retainKeys";
/** States the order of a list: `$setElementOrder/containers`. */
export const setOrderPrefix = "$setElementOrder";
/** Lists scalars that go: `$deleteFromPrimitiveList/finalizers`. */
export const deleteFromListPrefix = "$deleteFromPrimitiveList";

const maxDepth = 1000;

/** The `$patch` of an object; undefined when it has none. */
export const directiveIn = (patch: JsonMap): unknown => getOwn(patch, "$patch");

/** A `$patch` nobody knows. */
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
  if (!isMap(value)) return value;
  if (directiveIn(value) !== undefined) return undefined;
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const item = value[key] === null ? undefined : withoutDirectives(value[key], depth + 1);
    if (item !== undefined) setOwn(kept, key, item);
  }
  return kept;
}

/** Members that are gone through in less than a millisecond. */
const fewMembers = 500;

/** The same in steps where it is long, else at once. */
export function withoutDirectivesSteps(value: unknown, few = fewMembers): unknown {
  return new LongAddition(few).stripped(value, 0);
}

/** A long value being stripped of directives. */
class LongAddition {
  readonly #few: number;
  readonly #pace: Pace;
  readonly #long: LongValues;

  constructor(few: number) {
    this.#few = few;
    this.#pace = new Pace(few);
    this.#long = new LongValues(few);
  }

  stripped(value: unknown, depth: number): unknown {
    if (!this.#long.isLong(value)) return withoutDirectives(value, depth);

    checkDepth(depth);
    if (isMap(value)) return this.#map(value, depth);
    const items: unknown[] = [];
    for (const item of value as readonly unknown[]) {
      const kept = this.stripped(item, depth + 1);
      if (kept !== undefined) items.push(kept);
    }
    return items;
  }

  #map(map: JsonMap, depth: number): JsonMap | undefined {
    if (directiveIn(map) !== undefined) return undefined;
    const kept: Record<string, unknown> = {};
    const keys = Object.keys(map);

    for (const key of keys) {
      const item = map[key] === null ? undefined : this.stripped(map[key], depth + 1);
      if (item !== undefined) setOwn(kept, key, item);
    }
    return kept;
  }
}

function checkDepth(depth: number): void {
  if (depth > maxDepth) throw badPatch("exceeded max depth");
}

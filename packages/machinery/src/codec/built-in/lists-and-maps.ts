// Normalizers of slices and maps.
import { isObject, type ListInfo, type MapInfo } from "@kubewright/api";
import type { MutableJson, MutableObject } from "../mutable-json.js";
import type { NormalizeContext } from "./normalize-context.js";
import { isEmpty, type Normalizer } from "./normalizer.js";

/** A slice; `null` items become the zero value, as in Go. */
export function listNormalizer(typeInfo: ListInfo, item: () => Normalizer): Normalizer {
  return {
    normalize(value, context) {
      if (!Array.isArray(value)) {
        context.mismatch(value, typeInfo);
        return null;
      }
      const normalizer = item();
      const depth = context.depth++;
      for (let i = 0; i < value.length; i++) {
        context.keys[depth] = i;
        normalizeItem(normalizer, value, i, context);
      }
      context.depth = depth;
      return value;
    },
    zero: () => null,
    isOmitted: isEmpty,
  };
}

function normalizeItem(
  normalizer: Normalizer,
  list: MutableJson[],
  index: number,
  context: NormalizeContext,
): void {
  const old = list[index];
  const normalized =
    old === null || old === undefined ? normalizer.zero() : normalizer.normalize(old, context, list);
  if (normalized !== old) list[index] = normalized;
}

/** A map with string keys. */
export function mapNormalizer(typeInfo: MapInfo, item: () => Normalizer): Normalizer {
  return {
    normalize(value, context) {
      if (!isObject(value)) {
        context.mismatch(value, typeInfo);
        return null;
      }
      const normalizer = item();
      const depth = context.depth++;
      for (const key in value) {
        context.keys[depth] = key;
        normalizeEntry(normalizer, value, key, context);
      }
      context.depth = depth;
      return value;
    },
    zero: () => null,
    isOmitted: isEmpty,
  };
}

function normalizeEntry(
  normalizer: Normalizer,
  map: MutableObject,
  key: string,
  context: NormalizeContext,
): void {
  const old = map[key];
  const normalized =
    old === null || old === undefined ? zero(normalizer) : normalizer.normalize(old, context, map);
  if (normalized !== old) map[key] = normalized;
}

const zero = (normalizer: Normalizer): MutableJson =>
  normalizer.zeroInMap ? normalizer.zeroInMap() : normalizer.zero();

/** Raw JSON, kept as it is. */
export const anyNormalizer: Normalizer = {
  normalize: (value) => value,
  zero: () => null,
  isOmitted: () => false,
};

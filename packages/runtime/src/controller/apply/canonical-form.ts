// Two spellings of one value: `1000m` and `1` are the same amount of cpu, and the server stores only one of them. What a
// place holds is known from the type info of the kind, which are looked up only when two values differ.
import {
  canonicalQuantity,
  deepEqual,
  isObject,
  isQuantity,
  parseMicroTime,
  parseTime,
  type ResourceDescriptor,
  type StructInfo,
  type TypeInfo,
} from "@kubewright/api";
import { typeInfoAt, typeInfoOf } from "../kind-schema.js";
import type { SameMeaning } from "./field-comparison.js";
import { isNothing } from "./json-record.js";

/** The comparison of spellings for one kind; a kind of which nothing is known has only one spelling for everything. */
export function sameMeaningOf(resource: ResourceDescriptor): SameMeaning {
  let typeInfo: { readonly root: StructInfo | undefined } | undefined;
  return (place, declared, live) => {
    typeInfo ??= { root: typeInfoOf(resource) };
    return isSame(typeInfoAt(typeInfo.root, place), declared, live, 0);
  };
}

const maxDepth = 100;

function isSame(typeInfo: TypeInfo | undefined, declared: unknown, live: unknown, depth: number): boolean {
  if (declared === live) return true;
  if (typeInfo === undefined || depth > maxDepth) return deepEqual(declared, live);
  switch (typeInfo.kind) {
    case "scalar":
      return isSameScalar(typeInfo.format, declared, live);
    case "list":
      if (!Array.isArray(declared) || !Array.isArray(live)) return false;
      // Applying an empty list leaves the items that other managers have put into one with keys.
      if (declared.length === 0 && typeInfo.listType !== "atomic") return true;
      return (
        declared.length === live.length &&
        declared.every((item, index) => isSame(typeInfo.item, item, live[index], depth + 1))
      );
    case "map":
    case "struct":
      return isObject(declared) && isObject(live) && areSameFields(typeInfo, declared, live, depth);
    case "any":
      return deepEqual(declared, live);
  }
}

/** Fields of something owned as a whole. What the server leaves out because it is empty is the same as not said. */
function areSameFields(
  typeInfo: TypeInfo,
  declared: Readonly<Record<string, unknown>>,
  live: Readonly<Record<string, unknown>>,
  depth: number,
): boolean {
  const names = new Set([...Object.keys(declared), ...Object.keys(live)]);
  return [...names].every((name) => {
    const [one, other] = [declared[name], live[name]];
    if (
      other === undefined &&
      (one === undefined || (typeInfo.kind === "struct" && isDropped(typeInfo, name, one)))
    )
      return true;
    return (
      other !== undefined && one !== undefined && isSame(typeInfoAt(typeInfo, [name]), one, other, depth + 1)
    );
  });
}

function isDropped(typeInfo: StructInfo, name: string, value: unknown): boolean {
  const presence = typeInfo.fields.get(name)?.presence;
  return isNothing(value) && (presence === "value" || presence === "collection");
}

function isSameScalar(format: string | undefined, declared: unknown, live: unknown): boolean {
  switch (format) {
    case "quantity":
      return isAmount(declared) && isAmount(live) && canonicalQuantity(declared) === canonicalQuantity(live);
    case "date-time":
      return isSameTime(parseTime, declared, live);
    case "micro-time":
      return isSameTime(parseMicroTime, declared, live);
    default:
      return false;
  }
}

function isAmount(value: unknown): value is string | number {
  return (typeof value === "string" || typeof value === "number") && isQuantity(value);
}

function isSameTime(parse: (text: string) => number, declared: unknown, live: unknown): boolean {
  if (typeof declared !== "string" || typeof live !== "string") return false;
  try {
    return parse(declared) === parse(live);
  } catch {
    return false;
  }
}

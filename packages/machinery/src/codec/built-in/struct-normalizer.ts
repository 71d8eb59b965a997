// The normalizer of structs: drops unknown fields, and prints or omits each field as its presence rule says.
import { type FieldInfo, isObject, type Presence, type StructInfo } from "@kubewright/api";
import type { MutableJson, MutableObject } from "../mutable-json.js";
import type { NormalizeContext } from "./normalize-context.js";
import { isEmpty, type Normalizer } from "./normalizer.js";

interface Field {
  readonly name: string;
  readonly presence: Presence;
  readonly normalizer: Normalizer;
  readonly keepsEmpty: boolean;
}

/** Types kube-apiserver stores as JSON. All others it stores as protobuf, where an empty list is no list. */
const storedAsJson = /^io\.k8s\.(apiextensions-apiserver|kube-aggregator)\./;

/** Go's newer `omitzero`, which the published types do not distinguish from `omitempty`. */
const omitZero = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta.creationTimestamp";

/** An object with known fields. `normalizerOf` is called when first needed: types refer to each other in cycles. */
export class StructNormalizer implements Normalizer {
  readonly #typeInfo: StructInfo;
  readonly #normalizerOf: (field: FieldInfo) => Normalizer;
  #fields: ReadonlyMap<string, Field> | undefined;
  /** Fields that are printed even when they are absent. */
  #always: readonly Field[] = [];

  constructor(typeInfo: StructInfo, normalizerOf: (field: FieldInfo) => Normalizer) {
    this.#typeInfo = typeInfo;
    this.#normalizerOf = normalizerOf;
  }

  normalize(value: MutableJson, context: NormalizeContext): MutableJson {
    if (!isObject(value)) {
      context.mismatch(value, this.#typeInfo);
      return this.zero();
    }
    return this.normalizeFields(value, context) ? withoutAbsent(value) : value;
  }

  /** Normalizes all fields in place and sets those that are omitted to undefined; true when there are any. */
  normalizeFields(value: MutableObject, context: NormalizeContext): boolean {
    this.#compiled();
    const depth = context.depth;
    let dropped = false;
    for (const key in value) if (!this.#normalizeKey(key, value, context, depth)) dropped = true;
    context.depth = depth;
    for (const field of this.#always) {
      if (value[field.name] === undefined) value[field.name] = whenAbsent(field);
    }
    return dropped;
  }

  /** Normalizes a field in place, or drops an unknown one; false when it is omitted. */
  #normalizeKey(key: string, value: MutableObject, context: NormalizeContext, depth: number): boolean {
    const field = this.#compiled().get(key);
    if (field === undefined) {
      context.depth = depth;
      context.unknown(key);
      value[key] = undefined;
      return false;
    }
    context.keys[depth] = key;
    context.depth = depth + 1;
    const old = value[key];
    const normalized = normalizeField(field, old, context, value);
    if (normalized !== old) value[key] = normalized;
    return normalized !== undefined;
  }

  zero(): MutableObject {
    this.#compiled();
    const zero: MutableObject = {};
    for (const field of this.#always) zero[field.name] = whenAbsent(field);
    return zero;
  }

  isOmitted(): boolean {
    return false;
  }

  #compiled(): ReadonlyMap<string, Field> {
    if (this.#fields) return this.#fields;
    const fields = new Map<string, Field>();
    for (const typeInfo of this.#typeInfo.fields.values()) {
      const presence = typeInfo.presence ?? "value";
      const vanishes = `${this.#typeInfo.name}.${typeInfo.name}` === omitZero;
      const normalizer = this.#normalizerOf(typeInfo);
      fields.set(typeInfo.name, {
        name: typeInfo.name,
        presence,
        keepsEmpty: storedAsJson.test(this.#typeInfo.name ?? ""),
        normalizer: vanishes ? { ...normalizer, isOmitted: (value) => value === null } : normalizer,
      });
    }
    this.#fields = fields;
    this.#always = [...fields.values()].filter((field) => whenAbsent(field, true) !== undefined);
    return fields;
  }
}

/** The value a field has after decoding and printing; undefined when it is not printed. */
function normalizeField(
  field: Field,
  value: MutableJson | undefined,
  context: NormalizeContext,
  holder: object,
): MutableJson | undefined {
  if (value === null || value === undefined) return whenAbsent(field);
  const normalized = field.normalizer.normalize(value, context, holder);
  switch (field.presence) {
    case "value":
      return field.normalizer.isOmitted(normalized) ? undefined : normalized;
    case "collection":
    case "collection!": {
      if (!isEmpty(normalized)) return normalized;
      if (!field.keepsEmpty) context.foundEmpty(normalized);
      return field.presence === "collection" ? undefined : normalized;
    }
    default:
      return normalized === null && field.normalizer.isOmitted(null) ? undefined : normalized;
  }
}

/** The value printed for a field that is not set. `probe` asks only whether there is one. */
function whenAbsent({ presence, normalizer }: Field, probe = false): MutableJson | undefined {
  switch (presence) {
    case "pointer":
    case "collection":
      return undefined;
    case "pointer!":
    case "collection!":
      return null;
    case "value!":
      return probe ? null : normalizer.zero();
    case "value": {
      if (probe && normalizer instanceof StructNormalizer) return null;
      const zero = normalizer.zero();
      return normalizer.isOmitted(zero) ? undefined : zero;
    }
  }
}

/** A copy without the keys set to undefined: deleting would make the object slow for good. */
function withoutAbsent(value: MutableObject): MutableObject {
  const kept: MutableObject = {};
  for (const key in value) {
    const child = value[key];
    if (child !== undefined) kept[key] = child;
  }
  return kept;
}

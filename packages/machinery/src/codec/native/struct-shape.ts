// Structs: unknown fields go, and each field appears or vanishes as its presence rule says.
import { type FieldFacts, isObject, type Presence, type StructFacts } from "@kubewright/api";
import type { MutableJson, MutableObject } from "../mutable-json.js";
import type { FitContext } from "./fit-context.js";
import { isEmpty, type Shape } from "./shape.js";

interface Field {
  readonly name: string;
  readonly presence: Presence;
  readonly shape: Shape;
  readonly keepsEmpty: boolean;
}

/** Types kube-apiserver stores as JSON. All others it stores as protobuf, where an empty list is no list. */
const storedAsJson = /^io\.k8s\.(apiextensions-apiserver|kube-aggregator)\./;

/** Go's newer `omitzero`, which the published facts do not tell from `omitempty`. */
const omitZero = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta.creationTimestamp";

/** An object with known fields. `shapeOf` is called when first needed: types refer to each other in cycles. */
export class StructShape implements Shape {
  readonly #facts: StructFacts;
  readonly #shapeOf: (field: FieldFacts) => Shape;
  #fields: ReadonlyMap<string, Field> | undefined;
  /** Fields that are printed even when nothing was said of them. */
  #always: readonly Field[] = [];

  constructor(facts: StructFacts, shapeOf: (field: FieldFacts) => Shape) {
    this.#facts = facts;
    this.#shapeOf = shapeOf;
  }

  fit(value: MutableJson, context: FitContext): MutableJson {
    if (!isObject(value)) {
      context.mismatch(value, this.#facts);
      return this.zero();
    }
    return this.fitFields(value, context) ? withoutAbsent(value) : value;
  }

  /** Fits all fields in place, setting those that vanish to undefined; true when there are any. */
  fitFields(value: MutableObject, context: FitContext): boolean {
    this.#compiled();
    const depth = context.depth;
    let dropped = false;
    for (const key in value) if (!this.#fitKey(key, value, context, depth)) dropped = true;
    context.depth = depth;
    for (const field of this.#always) {
      if (value[field.name] === undefined) value[field.name] = whenAbsent(field);
    }
    return dropped;
  }

  /** Fits a field in place, or drops what is none; false when it vanishes. */
  #fitKey(key: string, value: MutableObject, context: FitContext, depth: number): boolean {
    const field = this.#compiled().get(key);
    if (field === undefined) {
      context.depth = depth;
      context.unknown(key);
      value[key] = undefined;
      return false;
    }
    context.steps[depth] = key;
    context.depth = depth + 1;
    const old = value[key];
    const fitted = fitField(field, old, context, value);
    if (fitted !== old) value[key] = fitted;
    return fitted !== undefined;
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
    for (const facts of this.#facts.fields.values()) {
      const presence = facts.presence ?? "value";
      const vanishes = `${this.#facts.name}.${facts.name}` === omitZero;
      const shape = this.#shapeOf(facts);
      fields.set(facts.name, {
        name: facts.name,
        presence,
        keepsEmpty: storedAsJson.test(this.#facts.name ?? ""),
        shape: vanishes ? { ...shape, isOmitted: (value) => value === null } : shape,
      });
    }
    this.#fields = fields;
    this.#always = [...fields.values()].filter((field) => whenAbsent(field, true) !== undefined);
    return fields;
  }
}

/** The value a field has after decoding and printing; undefined when it is not printed. */
function fitField(
  field: Field,
  value: MutableJson | undefined,
  context: FitContext,
  holder: object,
): MutableJson | undefined {
  if (value === null || value === undefined) return whenAbsent(field);
  const fitted = field.shape.fit(value, context, holder);
  switch (field.presence) {
    case "value":
      return field.shape.isOmitted(fitted) ? undefined : fitted;
    case "collection":
      return isEmpty(fitted) ? undefined : fitted;
    case "collection!":
      return !field.keepsEmpty && isEmpty(fitted) ? null : fitted;
    default:
      return fitted === null && field.shape.isOmitted(null) ? undefined : fitted;
  }
}

/** What is printed for a field nobody set. `probe` asks only whether there is something. */
function whenAbsent({ presence, shape }: Field, probe = false): MutableJson | undefined {
  switch (presence) {
    case "pointer":
    case "collection":
      return undefined;
    case "pointer!":
    case "collection!":
      return null;
    case "value!":
      return probe ? null : shape.zero();
    case "value": {
      if (probe && shape instanceof StructShape) return null;
      const zero = shape.zero();
      return shape.isOmitted(zero) ? undefined : zero;
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

// What decoding JSON into a Go struct and printing it again does to an object: unknown fields vanish, types are
// checked, zero values appear or disappear, values take their canonical form.
import { type FieldFacts, isObject, type StructFacts, type TypeFacts } from "@kubewright/api";
import { typeFacts } from "@kubewright/api/facts";
import type { Normalization } from "../decode-object.js";
import type { NumberLiterals } from "../json/number-literals.js";
import type { MutableObject } from "../mutable-json.js";
import { jsonSchemaProps, jsonSchemaUnion, schemaOrStrings } from "./json-schema-unions.js";
import { anyNormalizer, listNormalizer, mapNormalizer } from "./lists-and-maps.js";
import { NormalizeContext } from "./normalize-context.js";
import type { Normalizer } from "./normalizer.js";
import { scalarNormalizer } from "./scalars.js";
import { StructNormalizer } from "./struct-normalizer.js";

/** Shapes follow from facts alone; compiling them once is all this remembers. */
const structs = new WeakMap<StructFacts, StructNormalizer>();

/** Normalises an object of a built-in kind in place. Also right after a patch was applied, before it is stored. */
export function normalizeBuiltIn(
  value: MutableObject,
  facts: StructFacts,
  literals?: NumberLiterals,
): Normalization {
  const context = new NormalizeContext(facts, literals);
  // The caller holds this very object, so fields are deleted from it; those inside are replaced.
  if (structOf(facts).normalizeFields(value, context))
    for (const key of Object.keys(value)) if (value[key] === undefined) delete value[key];
  return { error: context.error, unknownFields: context.unknownFields };
}

/** Normalises `metadata` of a custom object: the only part of it that has a native type. */
export function normalizeMetadata(value: MutableObject, literals?: NumberLiterals): Normalization {
  const facts = typeFacts("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  const metadata = value["metadata"];
  if (facts?.kind !== "struct" || metadata === undefined || metadata === null) return { unknownFields: [] };
  if (!isObject(metadata)) {
    return {
      error: "json: cannot unmarshal metadata into Go value of type v1.ObjectMeta",
      unknownFields: [],
    };
  }
  const { error, unknownFields } = normalizeBuiltIn(metadata, facts, literals);
  return { error, unknownFields: unknownFields.map((path) => `metadata.${path}`) };
}

function structOf(facts: StructFacts): StructNormalizer {
  const known = structs.get(facts);
  if (known) return known;
  const normalizer = new StructNormalizer(facts, (field) => normalizerOfField(facts, field));
  structs.set(facts, normalizer);
  return normalizer;
}

function normalizerOfField(struct: StructFacts, field: FieldFacts): Normalizer {
  if (struct.name === jsonSchemaProps) {
    const schema = (): Normalizer => structOf(struct);
    const special = jsonSchemaUnion(field.name, schema);
    if (special) return special;
    if (field.name === "dependencies" && field.type.kind === "map") {
      return mapNormalizer(field.type, () => schemaOrStrings(schema));
    }
  }
  return normalizerOf(field.type);
}

function normalizerOf(facts: TypeFacts): Normalizer {
  switch (facts.kind) {
    case "scalar":
      return scalarNormalizer(facts);
    case "struct":
      return structOf(facts);
    case "list":
      return listNormalizer(
        facts,
        once(() => normalizerOf(facts.item)),
      );
    case "map":
      return mapNormalizer(
        facts,
        once(() => normalizerOf(facts.value)),
      );
    case "any":
      return anyNormalizer;
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

// What decoding JSON into a Go struct and printing it again does to an object: unknown fields vanish, types are
// checked, zero values appear or disappear, values take their canonical form.
import { type FieldFacts, isObject, type StructFacts, type TypeFacts } from "@kubewright/api";
import { typeFacts } from "@kubewright/api/facts";
import type { FitResult } from "../decode-object.js";
import type { NumberLiterals } from "../json/number-literals.js";
import type { MutableObject } from "../mutable-json.js";
import { anyShape, listShape, mapShape } from "./compound-shapes.js";
import { FitContext } from "./fit-context.js";
import { jsonSchemaProps, jsonSchemaShape, schemaOrStrings } from "./json-schema-shapes.js";
import { scalarShape } from "./scalar-shapes.js";
import type { Shape } from "./shape.js";
import { StructShape } from "./struct-shape.js";

/** Shapes follow from facts alone; compiling them once is all this remembers. */
const structs = new WeakMap<StructFacts, StructShape>();

/** Normalises an object of a built-in kind in place. Also right after a patch was applied, before it is stored. */
export function normalizeNative(
  value: MutableObject,
  facts: StructFacts,
  literals?: NumberLiterals,
): FitResult {
  const context = new FitContext(facts, literals);
  // The caller holds this very object, so fields are deleted from it; those inside are replaced.
  if (structOf(facts).fitFields(value, context))
    for (const key of Object.keys(value)) if (value[key] === undefined) delete value[key];
  return { error: context.error, unknownFields: context.unknownFields };
}

/** Normalises `metadata` of a custom object: the only part of it that has a native type. */
export function normalizeMetadata(value: MutableObject, literals?: NumberLiterals): FitResult {
  const facts = typeFacts("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  const metadata = value["metadata"];
  if (facts?.kind !== "struct" || metadata === undefined || metadata === null) return { unknownFields: [] };
  if (!isObject(metadata)) {
    return {
      error: "json: cannot unmarshal metadata into Go value of type v1.ObjectMeta",
      unknownFields: [],
    };
  }
  const { error, unknownFields } = normalizeNative(metadata, facts, literals);
  return { error, unknownFields: unknownFields.map((path) => `metadata.${path}`) };
}

function structOf(facts: StructFacts): StructShape {
  const known = structs.get(facts);
  if (known) return known;
  const shape = new StructShape(facts, (field) => shapeOfField(facts, field));
  structs.set(facts, shape);
  return shape;
}

function shapeOfField(struct: StructFacts, field: FieldFacts): Shape {
  if (struct.name === jsonSchemaProps) {
    const schema = (): Shape => structOf(struct);
    const special = jsonSchemaShape(field.name, schema);
    if (special) return special;
    if (field.name === "dependencies" && field.type.kind === "map") {
      return mapShape(field.type, () => schemaOrStrings(schema));
    }
  }
  return shapeOf(field.type);
}

function shapeOf(facts: TypeFacts): Shape {
  switch (facts.kind) {
    case "scalar":
      return scalarShape(facts);
    case "struct":
      return structOf(facts);
    case "list":
      return listShape(
        facts,
        once(() => shapeOf(facts.item)),
      );
    case "map":
      return mapShape(
        facts,
        once(() => shapeOf(facts.value)),
      );
    case "any":
      return anyShape;
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

// The effect of decoding JSON into a Go struct and encoding it again: unknown fields vanish, types are checked, zero values
// appear or disappear, values take their canonical form.
import { type FieldInfo, isObject, type StructInfo, type TypeInfo } from "@kubewright/api";
import { namedTypeInfo } from "@kubewright/api/type-info";
import type { Normalization } from "../decode-object.js";
import type { NumberLiterals } from "../json/number-literals.js";
import type { MutableObject } from "../mutable-json.js";
import { rememberEmptyBytes, rememberEmptyFields } from "./empty-fields.js";
import { goKind } from "./go-type.js";
import { jsonSchemaProps, jsonSchemaUnion, schemaOrStrings } from "./json-schema-unions.js";
import { anyNormalizer, listNormalizer, mapNormalizer } from "./lists-and-maps.js";
import { NormalizeContext } from "./normalize-context.js";
import type { Normalizer } from "./normalizer.js";
import { scalarNormalizer } from "./scalars.js";
import { StructNormalizer } from "./struct-normalizer.js";

/** Shapes follow from type info alone; compiling them once is all this remembers. */
const structs = new WeakMap<StructInfo, StructNormalizer>();

/** Normalises an object of a built-in kind in place. Also right after a patch was applied, before it is stored; `isMerged` by server-side apply or a strategic merge. */
export function normalizeBuiltIn(
  value: MutableObject,
  typeInfo: StructInfo,
  literals?: NumberLiterals,
  isMerged = false,
): Normalization {
  const context = new NormalizeContext(typeInfo, literals, isMerged);
  // The caller holds this very object, so fields are deleted from it; those inside are replaced.
  if (structOf(typeInfo).normalizeFields(value, context))
    for (const key of Object.keys(value)) if (value[key] === undefined) delete value[key];
  rememberEmptyFields(value, context.emptyFields);
  rememberEmptyBytes(value, context.emptyBytes);
  return { error: context.error, unknownFields: context.unknownFields };
}

/** Normalises `metadata` of a custom object: the only part of it that has a native type. */
export function normalizeMetadata(value: MutableObject, literals?: NumberLiterals): Normalization {
  const typeInfo = namedTypeInfo("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  const metadata = value["metadata"];
  if (typeInfo?.kind !== "struct" || metadata === undefined || metadata === null)
    return { unknownFields: [] };
  if (!isObject(metadata)) {
    return {
      error: `json: cannot unmarshal ${goKind(metadata)} into Go value of type v1.ObjectMeta`,
      unknownFields: [],
    };
  }
  const { error, unknownFields } = normalizeBuiltIn(metadata, typeInfo, literals);
  return { error, unknownFields: unknownFields.map((path) => `metadata.${path}`) };
}

function structOf(typeInfo: StructInfo): StructNormalizer {
  const known = structs.get(typeInfo);
  if (known) return known;
  const normalizer = new StructNormalizer(typeInfo, (field) => normalizerOfField(typeInfo, field));
  structs.set(typeInfo, normalizer);
  return normalizer;
}

function normalizerOfField(struct: StructInfo, field: FieldInfo): Normalizer {
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

function normalizerOf(typeInfo: TypeInfo): Normalizer {
  switch (typeInfo.kind) {
    case "scalar":
      return scalarNormalizer(typeInfo);
    case "struct":
      return structOf(typeInfo);
    case "list":
      return listNormalizer(
        typeInfo,
        once(() => normalizerOf(typeInfo.item)),
      );
    case "map":
      return mapNormalizer(
        typeInfo,
        once(() => normalizerOf(typeInfo.value)),
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

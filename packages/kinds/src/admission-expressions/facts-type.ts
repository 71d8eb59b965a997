// The CEL type of objects of a kind, for checking expressions before there are any objects.
import type { ScalarFacts, StructFacts, TypeFacts } from "@kubewright/api";
import {
  boolType,
  bytesType,
  type CelField,
  type CelType,
  doubleType,
  dynType,
  intType,
  listType,
  mapType,
  objectType,
  stringType,
  timestampType,
} from "@kubewright/cel";

/** The type of a value; `name` is what messages call it. What the facts leave open is dynamic. */
export function factsType(facts: TypeFacts, name: string): CelType {
  switch (facts.kind) {
    case "scalar":
      return scalarType(facts);
    case "list":
      return listType(factsType(facts.item, `${name}.@idx`));
    case "map":
      return mapType(stringType, factsType(facts.value, `${name}.@elem`));
    case "struct":
      return structType(facts, name);
    case "any":
      return dynType;
  }
}

function scalarType({ type, format }: ScalarFacts): CelType {
  switch (type) {
    case "integer":
      return intType;
    case "number":
      return doubleType;
    case "boolean":
      return boolType;
    case "int-or-string":
      return dynType;
    case "string":
      return textType(format);
  }
}

function textType(format: string | undefined): CelType {
  if (format === "date-time" || format === "micro-time") return timestampType;
  if (format === "byte") return bytesType;
  return format === "quantity" ? dynType : stringType;
}

/** Fields are made when they are first looked at: types may hold themselves. */
function structType(facts: StructFacts, name: string): CelType {
  if (facts.fields.size === 0 || facts.preserveUnknownFields) return dynType;
  let fields: Map<string, CelField> | undefined;
  return objectType(name, () => {
    fields ??= new Map(
      Array.from(facts.fields, ([property, field]) => [
        property,
        { name: property, property, type: factsType(field.type, `${name}.${property}`), required: false },
      ]),
    );
    return fields;
  });
}

// The CEL type of objects of a kind, for checking expressions before there are any objects.
import type { ScalarInfo, StructInfo, TypeInfo } from "@kubewright/api";
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

/** The type of a value; `name` is its name in messages. Parts without type info are dynamic. */
export function celTypeFromInfo(typeInfo: TypeInfo, name: string): CelType {
  switch (typeInfo.kind) {
    case "scalar":
      return scalarType(typeInfo);
    case "list":
      return listType(celTypeFromInfo(typeInfo.item, `${name}.@idx`));
    case "map":
      return mapType(stringType, celTypeFromInfo(typeInfo.value, `${name}.@elem`));
    case "struct":
      return structType(typeInfo, name);
    case "any":
      return dynType;
  }
}

function scalarType({ type, format }: ScalarInfo): CelType {
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
function structType(typeInfo: StructInfo, name: string): CelType {
  if (typeInfo.fields.size === 0 || typeInfo.preserveUnknownFields) return dynType;
  let fields: Map<string, CelField> | undefined;
  return objectType(name, () => {
    fields ??= new Map(
      Array.from(typeInfo.fields, ([property, field]) => [
        property,
        {
          name: property,
          property,
          type: celTypeFromInfo(field.type, `${name}.${property}`),
          required: false,
        },
      ]),
    );
    return fields;
  });
}

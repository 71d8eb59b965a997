// CEL types from structural schemas, with the sizes cost estimates need and the shapes values are read by. What a schema does not
// describe (preserved unknown fields) has no type and is out of reach for rules.
import type { JSONSchemaProps } from "@kubewright/api";
import { fieldNames } from "./field-names.js";
import { readBytes, readDate, readDateTime, readDuration } from "./schema-formats.js";
import { intOrStringShape, listShapeOf, mapShapeOf, nullableShape, objectShapeOf } from "./schema-shape.js";
import { boolShape, doubleShape, intShape, stringShape } from "./shape.js";
import {
  boolType,
  bytesType,
  type CelField,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  objectType,
  stringType,
  timestampType,
} from "./types.js";
import type { Shape } from "./values/view.js";

/** The size limit of a request, which bounds sizes that a schema leaves open. */
export const maxRequestSize = 3 * 1024 * 1024;

/** Options of celTypeOf. */
export interface CelTypeOptions {
  /** The schema of a whole object: `apiVersion`, `kind` and the name are there even if the schema does not say so. */
  readonly resource?: boolean | undefined;
  /** The name of the type in messages; its parts are named after it. */
  readonly name?: string | undefined;
}

/** The CEL type of a structural schema, or undefined when rules cannot see its values. */
export function celTypeOf(schema: JSONSchemaProps, options: CelTypeOptions = {}): CelType | undefined {
  const type = typeOf(schema, options.name ?? "selfType", options.resource ?? false);
  if (type === undefined || schema.nullable !== true || type.shape === undefined) return type;
  return { ...type, shape: nullableShape(type.shape) };
}

function typeOf(schema: JSONSchemaProps, name: string, isResource: boolean): CelType | undefined {
  if (schema["x-kubernetes-int-or-string"] === true) return intOrStringType(schema);
  switch (schema.type) {
    case "array":
      return arrayType(schema, name);
    case "object":
      return objectOrMapType(isResource ? withObjectMeta(schema) : schema, name);
    case "string":
      return textType(schema);
    case "boolean":
      return { ...boolType, shape: boolShape };
    case "number":
      return { ...doubleType, shape: doubleShape };
    case "integer":
      return { ...intType, shape: intShape };
    default:
      return undefined;
  }
}

const child = (schema: JSONSchemaProps, name: string): CelType | undefined =>
  celTypeOf(schema, { name, resource: schema["x-kubernetes-embedded-resource"] === true });

const atLeastZero = (limit: number): number => Math.max(0, limit);

/** Lengths are in characters, sizes in bytes, and a character has up to four. */
const bytesOf = (maxLength: number): number => atLeastZero(maxLength) * 4;

function intOrStringType(schema: JSONSchemaProps): CelType {
  const maxElements = schema.maxLength === undefined ? maxRequestSize - 2 : bytesOf(schema.maxLength);
  return { ...dynType, maxElements, shape: intOrStringShape };
}

function arrayType(schema: JSONSchemaProps, name: string): CelType | undefined {
  const items = itemSchema(schema);
  const element = items === undefined ? undefined : child(items, `${name}.@idx`);
  if (element === undefined) return undefined;
  const limit = Math.floor((maxRequestSize - 2) / ((element.minSerializedSize ?? 0) + 1));
  const list = listType(element, schema.maxItems === undefined ? limit : atLeastZero(schema.maxItems));
  return { ...list, shape: listShapeOf(schema, shapeIn(element)) };
}

/** The schema of a list's items; structural schemas have one for all. */
export function itemSchema(schema: JSONSchemaProps): JSONSchemaProps | undefined {
  const { items } = schema;
  return items === undefined || Array.isArray(items) ? undefined : asSchema(items);
}

function asSchema(items: JSONSchemaProps | readonly JSONSchemaProps[]): JSONSchemaProps | undefined {
  return isMany(items) ? undefined : items;
}

const isMany = (items: JSONSchemaProps | readonly JSONSchemaProps[]): items is readonly JSONSchemaProps[] =>
  Array.isArray(items);

/** The schema of a map's values. */
export function valueSchema(schema: JSONSchemaProps): JSONSchemaProps | undefined {
  const { additionalProperties } = schema;
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}

const shapeIn = (type: CelType): Shape => type.shape ?? stringShape;

function objectOrMapType(schema: JSONSchemaProps, name: string): CelType | undefined {
  const values = valueSchema(schema);
  if (values === undefined) return fieldsType(schema, name);
  const value = child(values, `${name}.@elem`);
  if (value === undefined) return undefined;
  const limit = Math.floor((maxRequestSize - 2) / ((value.minSerializedSize ?? 0) + 6));
  const map = mapType(
    stringType,
    value,
    schema.maxProperties === undefined ? limit : atLeastZero(schema.maxProperties),
  );
  return { ...map, shape: mapShapeOf(shapeIn(value)) };
}

function fieldsType(schema: JSONSchemaProps, name: string): CelType {
  const fields = new Map<string, CelField>();
  const required = new Set(schema.required);
  let minSize = 2;
  for (const [property, propertySchema] of Object.entries(schema.properties ?? {})) {
    const type = child(propertySchema, `${name}.${property}`);
    if (type === undefined) continue;
    const names = fieldNames(property);
    const [ruleName] = names;
    if (ruleName !== undefined) {
      const field: CelField = { name: ruleName, property, type, required: required.has(property) };
      for (const each of names) fields.set(each, field);
    }
    // A required property without a default is in every serialized object, with quotes, colon and comma.
    if (required.has(property) && propertySchema.default === undefined) {
      minSize += property.length + (type.minSerializedSize ?? 0) + 4;
    }
  }
  const type = objectType(name, () => fields, minSize);
  return { ...type, shape: objectShapeOf(fields) };
}

function textType(schema: JSONSchemaProps): CelType {
  const length = schema.maxLength;
  switch (schema.format) {
    case "byte":
      return {
        ...bytesType,
        maxElements: length === undefined ? maxRequestSize - 2 : atLeastZero(length),
        shape: readBytes,
      };
    case "duration":
      return { ...durationType, maxElements: 32, shape: readDuration };
    case "date":
      return { ...timestampType, maxElements: 12, minSerializedSize: 12, shape: readDate };
    case "date-time":
      return { ...timestampType, maxElements: 48, shape: readDateTime };
    default:
      return { ...stringType, maxElements: maxTextSize(schema), shape: stringShape };
  }
}

function maxTextSize({ maxLength, enum: values }: JSONSchemaProps): number {
  if (maxLength !== undefined) return bytesOf(maxLength);
  if (values === undefined || values.length === 0) return maxRequestSize - 2;
  return Math.max(0, ...values.map((value) => (typeof value === "string" ? Buffer.byteLength(value) : 0)));
}

const text: JSONSchemaProps = { type: "string" };
const objectMeta: JSONSchemaProps = { type: "object", properties: { name: text, generateName: text } };

/** Of the metadata only the name is visible to rules, unless the schema itself describes more than that. */
function withObjectMeta(schema: JSONSchemaProps): JSONSchemaProps {
  const { kind, apiVersion, metadata } = schema.properties ?? {};
  const described =
    kind?.type === "string" &&
    apiVersion?.type === "string" &&
    metadata?.type === "object" &&
    metadata.properties?.["name"]?.type === "string" &&
    metadata.properties?.["generateName"]?.type === "string";
  if (described) return schema;
  return {
    ...schema,
    properties: { ...schema.properties, kind: text, apiVersion: text, metadata: objectMeta },
  };
}

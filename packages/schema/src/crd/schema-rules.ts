// Validation of the schemas of a CRD, keyword by keyword, at any depth.
import { type FieldError, fieldError, type JSONSchemaProps } from "@kubewright/api";
import { isList } from "../structural/schema-node.js";
import { appendErrors } from "./append-errors.js";
import { itemsText } from "./hub-text.js";
import { listTypeErrors, mapKeyErrors, mapTypeErrors } from "./topology-rules.js";

/** Checks that are left out for CRDs that were stored before the check existed. */
export interface SchemaRuleSet {
  readonly requireValidPropertyType: boolean;
  readonly requireAtomicSetType: boolean;
  readonly requireMapListKeys: boolean;
}

/** The rules that depend on the place of a schema. */
interface Place {
  /** Why there may be no default here; undefined where there may be. */
  readonly noDefaults?: string | undefined;
  /** Inside `apiVersion`, `kind` or `metadata` of an object. */
  readonly inMetadata?: boolean | undefined;
  readonly isRoot?: boolean | undefined;
}

/** The errors of the keywords of a schema. */
export function schemaErrors(schema: JSONSchemaProps, path: string, rules: SchemaRuleSet): FieldError[] {
  return visit(schema, path, { isRoot: true }, rules);
}

function visit(schema: JSONSchemaProps, path: string, place: Place, rules: SchemaRuleSet): FieldError[] {
  const errors = keywordErrors(schema, path, place, rules);
  appendErrors(errors, additionalPropertiesErrors(schema, path));
  for (const [at, child, where] of schemasBelow(schema, place))
    appendErrors(errors, visit(child, `${path}.${at}`, where, rules));
  appendErrors(errors, preserveErrors(schema, path));
  appendErrors(errors, mapTypeErrors(schema, path));
  appendErrors(errors, listTypeErrors(schema, path, rules.requireAtomicSetType));
  appendErrors(errors, mapKeyErrors(schema, path, itemsText));
  if (rules.requireMapListKeys) appendErrors(errors, listItemErrors(schema, path));
  return errors;
}

/** A schema inside another: how the path goes on, and what holds there. */
type Inside = readonly [at: string, schema: JSONSchemaProps, place: Place];

const metaFields = new Set(["metadata", "kind", "apiVersion"]);

const nowhere: Place = {};

/** In the order of the messages; `at` is where the schema itself stands. */
function schemasBelow(schema: JSONSchemaProps, at: Place): readonly Inside[] {
  const { isRoot = false } = at;
  const place = isRoot ? nowhere : at;
  const { additionalProperties, properties = {} } = schema;
  const below: Inside[] = [];
  if (typeof additionalProperties === "object") {
    const noDefaults = "inside additionalProperties applying to object metadata";
    const inside = place.inMetadata ? { ...place, noDefaults } : place;
    below.push(["additionalProperties", additionalProperties, inside]);
  }
  const whole = isRoot || schema["x-kubernetes-embedded-resource"] === true;
  for (const [name, child] of Object.entries(properties)) {
    const meta = whole && metaFields.has(name);
    const noDefaults = meta && isRoot ? `in top-level ${name}` : place.noDefaults;
    below.push([`properties[${name}]`, child, meta ? { noDefaults, inMetadata: true } : place]);
  }
  for (const [path, child] of furtherBelow(schema)) below.push([path, child, place]);
  return below;
}

function furtherBelow(schema: JSONSchemaProps): readonly (readonly [at: string, schema: JSONSchemaProps])[] {
  const { items, not, definitions = {}, dependencies = {} } = schema;
  const below: [string, JSONSchemaProps][] = [];
  if (not !== undefined) below.push(["not", not]);
  for (const keyword of ["allOf", "oneOf", "anyOf"] as const)
    for (const [i, child] of (schema[keyword] ?? []).entries()) below.push([`${keyword}[${i}]`, child]);
  for (const [name, child] of Object.entries(definitions)) below.push([`definitions[${name}]`, child]);
  if (items !== undefined && !isList(items)) below.push(["items", items]);
  if (items !== undefined && isList(items))
    for (const [i, child] of items.entries()) below.push([`items[${i}]`, child]);
  for (const [name, dependency] of Object.entries(dependencies))
    if (dependency !== null && !isList<JSONSchemaProps | string>(dependency))
      below.push([`dependencies[${name}]`, dependency]);
  return below;
}

const openApiTypes = ["array", "boolean", "integer", "number", "object", "string"];

function keywordErrors(
  schema: JSONSchemaProps,
  path: string,
  place: Place,
  rules: SchemaRuleSet,
): FieldError[] {
  const { type = "" } = schema;
  const errors: FieldError[] = [];
  const forbid = (keyword: string, detail: string): void =>
    void errors.push(fieldError.forbidden(`${path}.${keyword}`, detail));
  if (rules.requireValidPropertyType && type !== "" && !openApiTypes.includes(type)) {
    errors.push(fieldError.notSupported(`${path}.type`, type, openApiTypes));
  }
  if (schema.default !== undefined && schema.default !== null && place.noDefaults !== undefined) {
    forbid("default", `must not be set ${place.noDefaults}`);
  }
  for (const keyword of unsupported(schema)) forbid(keyword, `${keyword} is not supported`);
  if (type === "null") forbid("type", "type cannot be set to null, use nullable as an alternative");
  if (schema.items !== undefined && isList(schema.items) && schema.items.length > 0) {
    forbid("items", "items must be a schema object and not an array");
  }
  if (place.inMetadata && schema["x-kubernetes-embedded-resource"] === true) {
    forbid("x-kubernetes-embedded-resource", "must not be used inside of resource meta");
  }
  if (schema.uniqueItems === true) {
    forbid("uniqueItems", "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
  }
  return errors;
}

function unsupported(schema: JSONSchemaProps): string[] {
  const { id, additionalItems, patternProperties = {}, definitions = {}, dependencies, $ref } = schema;
  return [
    ...(id ? ["id"] : []),
    ...(additionalItems === undefined ? [] : ["additionalItems"]),
    ...(Object.keys(patternProperties).length === 0 ? [] : ["patternProperties"]),
    ...(Object.keys(definitions).length === 0 ? [] : ["definitions"]),
    ...(dependencies === undefined ? [] : ["dependencies"]),
    ...($ref === undefined ? [] : ["$ref"]),
  ];
}

function additionalPropertiesErrors(
  { properties = {}, additionalProperties }: JSONSchemaProps,
  path: string,
): FieldError[] {
  if (
    additionalProperties === undefined ||
    additionalProperties === true ||
    Object.keys(properties).length === 0
  )
    return [];
  const detail = "additionalProperties and properties are mutual exclusive";
  return [fieldError.forbidden(`${path}.additionalProperties`, detail)];
}

function preserveErrors(schema: JSONSchemaProps, path: string): FieldError[] {
  if (schema["x-kubernetes-preserve-unknown-fields"] !== false) return [];
  return [
    fieldError.invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined"),
  ];
}

/** Items of sets and maps are never null, and the keys of a map are always there. */
export function listItemErrors(schema: JSONSchemaProps, path: string): FieldError[] {
  const listType = schema["x-kubernetes-list-type"];
  const { items } = schema;
  if (items === undefined || isList(items) || (listType !== "set" && listType !== "map")) return [];
  const errors: FieldError[] = [];
  if (items.nullable === true) {
    errors.push(
      fieldError.forbidden(
        `${path}.items.nullable`,
        `cannot be nullable when x-kubernetes-list-type is ${listType}`,
      ),
    );
  }
  const keys = listType === "map" ? (schema["x-kubernetes-list-map-keys"] ?? []) : [];
  const required = new Set(items.required);
  return [
    ...errors,
    ...keys.flatMap((key) =>
      keyPresenceErrors(items, key, required.has(key), `${path}.items.properties[${key}]`),
    ),
  ];
}

const listed = "this property is in x-kubernetes-list-map-keys, so it";

function keyPresenceErrors(
  items: JSONSchemaProps,
  key: string,
  isRequired: boolean,
  path: string,
): FieldError[] {
  const property = Object.hasOwn(items.properties ?? {}, key) ? items.properties?.[key] : undefined;
  if (property === undefined) return [];
  const errors: FieldError[] = [];
  const defaulted = property.default !== undefined && property.default !== null;
  if (!isRequired && !defaulted) {
    errors.push(
      fieldError.required(`${path}.default`, `${listed} must have a default or be a required property`),
    );
  }
  if (property.nullable === true)
    errors.push(fieldError.forbidden(`${path}.nullable`, `${listed} cannot be nullable`));
  return errors;
}

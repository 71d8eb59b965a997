// What a schema of a CustomResourceDefinition may say, keyword by keyword, at any depth.
import { type FieldError, fieldError, type JSONSchemaProps } from "@kubewright/api";
import { isList } from "../structural/schema-node.js";
import { itemsText } from "./hub-text.js";
import { listTypeErrors, mapKeyErrors, mapTypeErrors } from "./topology-rules.js";

/** Checks that are left out for definitions that were stored before the check existed. */
export interface SchemaRuleSet {
  readonly requireValidPropertyType: boolean;
  readonly requireAtomicSetType: boolean;
  readonly requireMapListKeys: boolean;
}

/** What depends on where a schema stands. */
interface Place {
  /** Why there may be no default here; undefined where there may be. */
  readonly noDefaults?: string | undefined;
  /** Inside `apiVersion`, `kind` or `metadata` of an object. */
  readonly inMetadata?: boolean | undefined;
}

/** What is wrong with the keywords of a schema. */
export function schemaErrors(schema: JSONSchemaProps, path: string, rules: SchemaRuleSet): FieldError[] {
  return visit(schema, path, {}, true, rules);
}

function visit(
  schema: JSONSchemaProps,
  path: string,
  place: Place,
  isRoot: boolean,
  rules: SchemaRuleSet,
): FieldError[] {
  const inner = (child: JSONSchemaProps, at: string, where: Place = place): FieldError[] =>
    visit(child, `${path}.${at}`, where, false, rules);
  return [
    ...keywordErrors(schema, path, place, rules),
    ...additionalPropertiesErrors(schema, path),
    ...insideMap(schema, place, inner),
    ...insideProperties(schema, place, isRoot, inner),
    ...insideAlternatives(schema, inner),
    ...insideItems(schema, inner),
    ...preserveErrors(schema, path),
    ...mapTypeErrors(schema, path),
    ...listTypeErrors(schema, path, rules.requireAtomicSetType),
    ...mapKeyErrors(schema, path, itemsText),
    ...(rules.requireMapListKeys ? listItemErrors(schema, path) : []),
  ];
}

type Inner = (child: JSONSchemaProps, at: string, where?: Place) => FieldError[];

function insideMap({ additionalProperties }: JSONSchemaProps, place: Place, inner: Inner): FieldError[] {
  if (typeof additionalProperties !== "object") return [];
  const noDefaults = "inside additionalProperties applying to object metadata";
  return inner(
    additionalProperties,
    "additionalProperties",
    place.inMetadata ? { ...place, noDefaults } : place,
  );
}

const metaFields = new Set(["metadata", "kind", "apiVersion"]);

function insideProperties(
  schema: JSONSchemaProps,
  place: Place,
  isRoot: boolean,
  inner: Inner,
): FieldError[] {
  const whole = isRoot || schema["x-kubernetes-embedded-resource"] === true;
  return Object.entries(schema.properties ?? {}).flatMap(([name, child]) => {
    const meta = whole && metaFields.has(name);
    const where: Place = {
      noDefaults: meta && isRoot ? `in top-level ${name}` : place.noDefaults,
      inMetadata: meta || place.inMetadata,
    };
    return inner(child, `properties[${name}]`, where);
  });
}

function insideAlternatives(schema: JSONSchemaProps, inner: Inner): FieldError[] {
  return [
    ...(schema.not === undefined ? [] : inner(schema.not, "not")),
    ...(["allOf", "oneOf", "anyOf"] as const).flatMap((keyword) =>
      (schema[keyword] ?? []).flatMap((child, i) => inner(child, `${keyword}[${i}]`)),
    ),
    ...Object.entries(schema.definitions ?? {}).flatMap(([name, child]) =>
      inner(child, `definitions[${name}]`),
    ),
  ];
}

function insideItems({ items, dependencies }: JSONSchemaProps, inner: Inner): FieldError[] {
  const ofItems =
    items === undefined
      ? []
      : isList(items)
        ? items.flatMap((child, i) => inner(child, `items[${i}]`))
        : inner(items, "items");
  const ofDependencies = Object.entries(dependencies ?? {}).flatMap(([name, dependency]) =>
    isList<JSONSchemaProps | string>(dependency) ? [] : inner(dependency, `dependencies[${name}]`),
  );
  return [...ofItems, ...ofDependencies];
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

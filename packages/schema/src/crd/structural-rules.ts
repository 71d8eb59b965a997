// The rules of structural schemas: every value has one type, given outside of logical keywords; and the restrictions for the metadata of
// an object.
import { type FieldError, fieldError, type JSONSchemaProps } from "@kubewright/api";
import { createPatternCompiler, type PatternCompiler } from "../structural/pattern.js";
import { isList } from "../structural/schema-node.js";
import { appendErrors } from "./append-errors.js";
import { completenessErrors } from "./completeness.js";

/** The place of a schema, which decides the message when it has no type. */
type Level = "root" | "item" | "field";

/** The errors that keep a schema from being structural, sorted as Kubernetes sorts them. */
export function structuralErrors(schema: JSONSchemaProps, path: string): FieldError[] {
  const invariants = invariantErrors(schema, "root", path, createPatternCompiler());
  const errors = [...invariants, ...completenessErrors(schema, path)];
  return errors
    .map((error) => ({ error, text: `${error.field}: ${error.message}` }))
    .sort((a, b) => (a.text < b.text ? -1 : 1))
    .map(({ error }) => error);
}

function invariantErrors(
  schema: JSONSchemaProps,
  level: Level,
  path: string,
  compile: PatternCompiler,
): FieldError[] {
  const { items, additionalProperties, properties = {} } = schema;
  const errors: FieldError[] = [];
  if (schema.type === "array" && items === undefined)
    errors.push(fieldError.required(`${path}.items`, "must be specified"));
  if (items !== undefined && !isList(items))
    appendErrors(errors, invariantErrors(items, "item", `${path}.items`, compile));
  for (const [name, child] of Object.entries(properties)) {
    appendErrors(errors, invariantErrors(child, "field", `${path}.properties[${name}]`, compile));
  }
  if (additionalProperties !== undefined && level === "root") {
    errors.push(fieldError.forbidden(`${path}.additionalProperties`, "must not be used at the root"));
  }
  if (typeof additionalProperties === "object") {
    appendErrors(
      errors,
      invariantErrors(additionalProperties, "field", `${path}.additionalProperties`, compile),
    );
  }
  const skipAnyOf = isIntOrStringPattern(schema.anyOf);
  const skipFirstAllOf = isIntOrStringPattern(schema.allOf?.[0]?.anyOf);
  appendErrors(errors, extensionErrors(schema, path));
  appendErrors(errors, valueErrors(schema, path, compile, { skipAnyOf, skipFirstAllOf }));
  appendErrors(errors, typeErrors(schema, level, path));
  appendErrors(errors, resourceErrors(schema, level, path));
  return errors;
}

function extensionErrors(schema: JSONSchemaProps, path: string): FieldError[] {
  if (schema["x-kubernetes-int-or-string"] !== true) return [];
  const clashing = ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] as const;
  return clashing
    .filter((keyword) => schema[keyword] === true)
    .map((keyword) =>
      fieldError.invalid(`${path}.${keyword}`, true, "must be false if x-kubernetes-int-or-string is true"),
    );
}

const missingType: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function typeErrors(schema: JSONSchemaProps, level: Level, path: string): FieldError[] {
  const { type = "" } = schema;
  const errors: FieldError[] = [];
  const free =
    schema["x-kubernetes-int-or-string"] === true || schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (schema["x-kubernetes-embedded-resource"] === true && type !== "object") {
    const detail = "must be object if x-kubernetes-embedded-resource is true";
    errors.push(
      type === ""
        ? fieldError.required(`${path}.type`, detail)
        : fieldError.invalid(`${path}.type`, type, detail),
    );
  } else if (type === "" && !free) {
    errors.push(fieldError.required(`${path}.type`, missingType[level]));
  }
  if (level === "root" && type !== "" && type !== "object") {
    errors.push(fieldError.invalid(`${path}.type`, type, "must be object at the root"));
  }
  return errors;
}

/** Rules for schemas that describe whole objects. */
function resourceErrors(schema: JSONSchemaProps, level: Level, path: string): FieldError[] {
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  const properties = schema.properties ?? {};
  const errors: FieldError[] = [];
  if (embedded && schema.additionalProperties !== undefined) {
    const detail = "must not be used if x-kubernetes-embedded-resource is set";
    errors.push(fieldError.forbidden(`${path}.additionalProperties`, detail));
  }
  const whole = embedded || level === "root";
  for (const name of whole ? ["kind", "apiVersion"] : []) {
    const type = own(properties, name)?.type;
    if (own(properties, name) === undefined || type === "string") continue;
    errors.push(fieldError.invalid(`${path}.properties[${name}].type`, type ?? "", "must be string"));
  }
  const metadata = own(properties, "metadata");
  if (metadata !== undefined)
    appendErrors(errors, metadataErrors(metadata, whole, level, `${path}.properties[metadata]`));
  const preserved = schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (embedded && !preserved && Object.keys(properties).length === 0) {
    const detail =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    errors.push(fieldError.required(`${path}.properties`, detail));
  }
  return errors;
}

function metadataErrors(metadata: JSONSchemaProps, whole: boolean, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (whole && metadata.type !== "object") {
    errors.push(fieldError.invalid(`${path}.type`, metadata.type ?? "", "must be object"));
  }
  if (level === "root" && !restrictsOnlyNames(metadata)) {
    const detail =
      "must not specify anything other than name and generateName, but metadata is implicitly specified";
    errors.push(fieldError.forbidden(path, detail));
  }
  return errors;
}

function restrictsOnlyNames({
  type: _type,
  default: _default,
  properties = {},
  ...rest
}: JSONSchemaProps): boolean {
  const names = Object.keys(properties);
  const { externalDocs: _docs, example: _example, ...relevant } = rest;
  return (
    names.every((name) => name === "name" || name === "generateName") && Object.values(relevant).every(isZero)
  );
}

const isZero = (value: unknown): boolean =>
  value === undefined || value === false || value === "" || (Array.isArray(value) && value.length === 0);

/** The two spellings of int-or-string, the only types that may stand in a logical keyword. */
function isIntOrStringPattern(anyOf: readonly JSONSchemaProps[] | undefined): boolean {
  if (anyOf?.length !== 2) return false;
  return anyOf.map(onlyType).join() === "integer,string";
}

const onlyType = (schema: JSONSchemaProps): string | undefined => {
  const { type, ...rest } = schema;
  return Object.values(rest).every(isZero) ? type : undefined;
};

/** The places at which the types of an int-or-string may be listed. */
interface IntOrStringPlace {
  readonly skipAnyOf?: boolean | undefined;
  readonly skipFirstAllOf?: boolean | undefined;
}

function valueErrors(
  schema: JSONSchemaProps,
  path: string,
  compile: PatternCompiler,
  { skipAnyOf = false, skipFirstAllOf = false }: IntOrStringPlace,
): FieldError[] {
  const errors: FieldError[] = [];
  if (!skipAnyOf)
    for (const [i, one] of (schema.anyOf ?? []).entries())
      appendErrors(errors, nestedErrors(one, `${path}.anyOf[${i}]`, compile));
  for (const [i, one] of (schema.allOf ?? []).entries()) {
    appendErrors(errors, nestedErrors(one, `${path}.allOf[${i}]`, compile, skipFirstAllOf && i === 0));
  }
  for (const [i, one] of (schema.oneOf ?? []).entries())
    appendErrors(errors, nestedErrors(one, `${path}.oneOf[${i}]`, compile));
  if (schema.not !== undefined) appendErrors(errors, nestedErrors(schema.not, `${path}.not`, compile));
  const pattern = schema.pattern ? compile(schema.pattern) : undefined;
  if (pattern?.error !== undefined) {
    const detail = `must be a valid regular expression, but isn't: ${pattern.error}`;
    errors.push(fieldError.invalid(`${path}.pattern`, pattern.source, detail));
  }
  return errors;
}

const empty = "must be empty to be structural";
const unset = "must be undefined to be structural";
const off = "must be false to be structural";

/** Keywords that contribute to the structure, and how it is said that they must not be there. */
const forbiddenInside = [
  ["type", empty],
  ["additionalProperties", unset],
  ["default", unset],
  ["title", empty],
  ["description", empty],
  ["nullable", off],
  ["x-kubernetes-preserve-unknown-fields", off],
  ["x-kubernetes-embedded-resource", off],
  ["x-kubernetes-int-or-string", off],
  ["x-kubernetes-list-map-keys", empty],
  ["x-kubernetes-list-type", unset],
  ["x-kubernetes-map-type", unset],
  ["x-kubernetes-validations", empty],
] as const;

/** A schema under a logical keyword may only restrict values. */
function nestedErrors(
  schema: JSONSchemaProps,
  path: string,
  compile: PatternCompiler,
  skipAnyOf = false,
): FieldError[] {
  const { items, properties = {} } = schema;
  const errors = valueErrors(schema, path, compile, { skipAnyOf });
  if (items !== undefined && !isList(items))
    appendErrors(errors, nestedErrors(items, `${path}.items`, compile));
  for (const [name, child] of Object.entries(properties)) {
    appendErrors(errors, nestedErrors(child, `${path}.properties[${name}]`, compile));
  }
  for (const [keyword, detail] of forbiddenInside) {
    const value: unknown = schema[keyword];
    const present =
      keyword === "additionalProperties" ? value !== undefined : !isZero(value) && value !== null;
    if (present) errors.push(fieldError.forbidden(`${path}.${keyword}`, detail));
  }
  if (own(properties, "metadata") !== undefined) {
    errors.push(
      fieldError.forbidden(`${path}.properties[metadata]`, "must not be specified in a nested context"),
    );
  }
  return errors;
}

const own = <T>(map: { readonly [key: string]: T }, key: string): T | undefined =>
  Object.hasOwn(map, key) ? map[key] : undefined;

// Validation of the schema of a version as a whole: the keywords at its root, and the order of all checks.
import {
  type CustomResourceValidation,
  type FieldError,
  fieldError,
  type JSONSchemaProps,
} from "@kubewright/api";
import type { SchemaRulesOptions } from "@kubewright/cel";
import { isList, schemaDepthLimit } from "../structural/schema-node.js";
import { appendErrors } from "./append-errors.js";
import { defaultErrors } from "./default-values.js";
import { schemaText } from "./hub-text.js";
import { type SchemaRuleSet, schemaErrors } from "./schema-rules.js";
import { schemaDepth, schemasInside } from "./schema-walk.js";
import { structuralErrors } from "./structural-rules.js";

/** The rules for the schema of a version. */
export interface RootSchemaRules extends SchemaRuleSet {
  readonly requireStructural: boolean;
  readonly requirePrunedDefaults: boolean;
  /** The errors of the CEL rules of a schema. */
  readonly ruleErrors: (schema: JSONSchemaProps, options: SchemaRulesOptions) => readonly FieldError[];
}

/** The errors of the schema at `path`. */
export function validationErrors(
  validation: CustomResourceValidation | undefined,
  hasStatus: boolean,
  path: string,
  rules: RootSchemaRules,
): FieldError[] {
  const schema = validation?.openAPIV3Schema;
  if (schema === undefined) return [];
  const place = `${path}.openAPIV3Schema`;
  if (schemaDepth(schema, schemaDepthLimit + 1) > schemaDepthLimit) {
    return [fieldError.forbidden(place, `must not be nested deeper than ${schemaDepthLimit} levels`)];
  }
  const errors = hasStatus ? statusRootErrors(schema, place) : [];
  if (schema.nullable === true)
    errors.push(fieldError.forbidden(`${place}.nullable`, "nullable cannot be true at the root"));
  const unsupported = unstructurable(schema);
  const mustBeStructural = rules.requireStructural && unsupported === undefined;
  const structure = mustBeStructural ? structureErrors(schema, place, rules) : [];
  appendErrors(errors, structure);
  appendErrors(errors, schemaErrors(schema, place, rules));
  if (errors.length === 0 && unsupported !== undefined) {
    errors.push(fieldError.invalid(place, "", unsupported));
  }
  // Rules are compiled where structure and defaults are right, but for those with something wrong at or below them.
  const compile = mustBeStructural && structure.length === 0;
  return [...errors, ...rules.ruleErrors(schema, { path: place, compile, invalid: errors })];
}

function structureErrors(schema: JSONSchemaProps, path: string, rules: RootSchemaRules): FieldError[] {
  const errors = structuralErrors(schema, path);
  return errors.length > 0 ? errors : defaultErrors(schema, path, rules.requirePrunedDefaults);
}

/** Why no structural schema can be made of a schema; undefined where one can. */
export function unstructurable(schema: JSONSchemaProps): string | undefined {
  const keyword = unsupportedKeyword(schema);
  if (keyword !== undefined) return `OpenAPIV3Schema '${keyword}' is not supported`;
  if (schema["x-kubernetes-preserve-unknown-fields"] === false)
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  for (const inner of schemasInside(schema)) {
    const text = unstructurable(inner);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** A keyword that a structural schema cannot hold at all. */
function unsupportedKeyword(schema: JSONSchemaProps): string | undefined {
  if (schema.id) return "id";
  if (schema.$schema) return "schema";
  if (schema.$ref) return "$ref";
  if (hasEntries(schema.patternProperties)) return "patternProperties";
  if (hasEntries(schema.dependencies)) return "dependencies";
  if (schema.additionalItems !== undefined) return "additionalItems";
  if (hasEntries(schema.definitions)) return "definitions";
  return schema.items !== undefined && isList(schema.items) ? "items" : undefined;
}

const hasEntries = (map: object | undefined): boolean => map !== undefined && Object.keys(map).length > 0;

const allowedAtRoot = [
  "Description",
  "Type",
  "Format",
  "Title",
  "Maximum",
  "ExclusiveMaximum",
  "Minimum",
  "ExclusiveMinimum",
  "MaxLength",
  "MinLength",
  "Pattern",
  "MaxItems",
  "MinItems",
  "UniqueItems",
  "MultipleOf",
  "Required",
  "Items",
  "Properties",
  "ExternalDocs",
  "Example",
  "XPreserveUnknownFields",
  "XValidations",
];

/** With a status subresource, the root may say nothing that would be lost when status is validated by itself. */
function statusRootErrors(schema: JSONSchemaProps, path: string): FieldError[] {
  // Items and properties are allowed, and large.
  const { items: _items, properties: _properties, ...root } = schema;
  for (const [name, value] of Object.entries(schemaText(root))) {
    if (isZeroValue(value)) continue;
    if (name === "Type" && schema.type !== "object") {
      const detail =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return [fieldError.invalid(`${path}.type`, schema.type, detail)];
    }
    if (!allowedAtRoot.includes(name)) {
      const detail = `only [${allowedAtRoot.join(" ")}] fields are allowed at the root of the schema if the status subresource is enabled`;
      return [fieldError.invalid(path, schemaText(schema), detail)];
    }
  }
  return [];
}

const isZeroValue = (value: unknown): boolean =>
  value === undefined || value === null || value === false || value === "" || value === 0;

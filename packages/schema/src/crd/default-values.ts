// Validation of defaults: nothing to prune, every keyword satisfied, valid metadata.
import {
  deepEqual,
  type FieldError,
  fieldError,
  type JSONSchemaProps,
  joinFieldErrors,
} from "@kubewright/api";
import { compileSchemaRules, createBudget } from "@kubewright/cel";
import { coerceEmbedded, embeddedErrors } from "../structural/embedded/embedded-objects.js";
import { cloneJson, isObject, type MutableJson } from "../structural/json-value.js";
import { metaFields, prune } from "../structural/prune.js";
import { compileNode, isList, type SchemaNode } from "../structural/schema-node.js";
import { checkValue } from "../structural/validation/check-value.js";
import { appendErrors } from "./append-errors.js";
import { someSchema } from "./schema-walk.js";

/** The errors of the defaults of a schema. */
export function defaultErrors(root: JSONSchemaProps, path: string, requirePruned: boolean): FieldError[] {
  const context = { requirePruned, metadata: undefined };
  return visit({ schema: root, node: undefined }, path, context, true);
}

interface Visit {
  readonly requirePruned: boolean;
  /** Inside the metadata of an object: builds that object around a value. */
  readonly metadata: Surroundings | undefined;
}

/** An object with a value plugged in where the schema stands. */
interface Surroundings {
  readonly schema: JSONSchemaProps;
  readonly around: (value: MutableJson) => MutableJson;
}

/** A schema, compiled where something above it has a default. */
interface Stated {
  readonly schema: JSONSchemaProps;
  readonly node: SchemaNode | undefined;
}

function visit(
  { schema, node: known }: Stated,
  path: string,
  context: Visit,
  isResource: boolean,
): FieldError[] {
  const resource = isResource || schema["x-kubernetes-embedded-resource"] === true;
  const here = resource ? { ...context, metadata: undefined } : context;
  const { items, properties = {} } = schema;
  const value = schema.default;
  const errors: FieldError[] = [];
  const isDefaulted = value !== undefined && value !== null;
  const node = isDefaulted ? (known ?? compileNode(anyForIntOrString(schema))) : known;
  if (isDefaulted && node !== undefined) {
    const found = valueErrors(schema, node, cloneJson(value), `${path}.default`, here, isResource);
    appendErrors(errors, found);
  }
  if (items !== undefined && !isList(items)) {
    const inner = { schema: items, node: node?.items };
    appendErrors(errors, visit(inner, `${path}.items`, inList(here), false));
  }
  for (const [name, child] of Object.entries(properties)) {
    const inner = { schema: child, node: node?.properties.get(name) };
    const around = resource && metaFields.has(name) ? inMetadata(schema, name, here) : inField(name, here);
    appendErrors(errors, visit(inner, `${path}.properties[${name}]`, around, false));
  }
  return errors;
}

const isIntOrString = (schema: JSONSchemaProps): boolean => schema["x-kubernetes-int-or-string"] === true;

/** The default of an int-or-string is not held to the type, as on kube-apiserver. */
function anyForIntOrString(schema: JSONSchemaProps): JSONSchemaProps {
  if (!someSchema(schema, isIntOrString)) return schema;
  const { "x-kubernetes-int-or-string": _, ...rest } = schema;
  const { properties, items, additionalProperties } = rest;
  return {
    ...rest,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, anyForIntOrString(property)]),
      ),
    }),
    ...(items && !isList(items) && { items: anyForIntOrString(items) }),
    ...(typeof additionalProperties === "object" && {
      additionalProperties: anyForIntOrString(additionalProperties),
    }),
  };
}

const typeMeta = { apiVersion: "validation/v1", kind: "Validation" };

const inMetadata = (schema: JSONSchemaProps, name: string, context: Visit): Visit => ({
  ...context,
  metadata: { schema, around: (value) => ({ [name]: value, ...typeMeta }) },
});

function inField(name: string, context: Visit): Visit {
  const { metadata } = context;
  if (metadata === undefined) return context;
  return { ...context, metadata: { ...metadata, around: (value) => metadata.around({ [name]: value }) } };
}

function inList(context: Visit): Visit {
  const { metadata } = context;
  if (metadata === undefined) return context;
  return { ...context, metadata: { ...metadata, around: (value) => metadata.around([value]) } };
}

function valueErrors(
  schema: JSONSchemaProps,
  node: SchemaNode,
  value: MutableJson,
  path: string,
  context: Visit,
  isResource: boolean,
): readonly FieldError[] {
  const resource = isResource || node.embeddedResource;
  const { metadata, requirePruned } = context;
  const unknown =
    requirePruned && metadata === undefined ? unknownFieldErrors(node, value, path, resource) : [];
  const malformed =
    metadata === undefined
      ? embeddedProblems(node, value, path, resource)
      : metadataErrors(metadata, value, path);
  if (malformed.length > 0) return [...unknown, ...malformed];
  const invalid = checkValue(node, value, { prefix: path });
  return [...unknown, ...(invalid.length > 0 ? invalid : ruleErrors(schema, value, path))];
}

/** A default must satisfy the rules of its schema, both as a value that stays and as one that appears. */
function ruleErrors(schema: JSONSchemaProps, self: MutableJson, path: string): readonly FieldError[] {
  if (!someSchema(schema, (inner) => inner["x-kubernetes-validations"] !== undefined)) return [];
  const rules = compileSchemaRules(schema, { path, isDefault: true });
  const staying = rules.validate({ self, old: self, path, budget: createBudget(), ratchet: false });
  return staying.length > 0 ? staying : rules.validate({ self, path, budget: createBudget() });
}

function unknownFieldErrors(
  node: SchemaNode,
  value: MutableJson,
  path: string,
  resource: boolean,
): FieldError[] {
  const pruned = cloneJson(value);
  prune(pruned, node, resource);
  if (deepEqual(pruned, value)) return [];
  return [fieldError.invalid(path, cloneJson(value, true), "must not have unknown fields")];
}

function embeddedProblems(
  node: SchemaNode,
  value: MutableJson,
  path: string,
  resource: boolean,
): FieldError[] {
  const { error } = coerceEmbedded(value, node, false, resource);
  return error === undefined ? embeddedErrors(value, node, path, resource) : [prefixed(error, path)];
}

const prefixed = (error: FieldError, path: string): FieldError => ({
  ...error,
  field: `${path}.${error.field}`,
});

function metadataErrors({ schema, around }: Surroundings, value: MutableJson, path: string): FieldError[] {
  const object = around(cloneJson(value));
  const node = compileNode(schema);
  const malformed = isObject(object) ? coerceEmbedded(object, node, false, true).error : undefined;
  const problems = malformed === undefined ? embeddedErrors(object, node, "", true) : [malformed];
  if (problems.length === 0) return [];
  return [
    fieldError.invalid(
      path,
      cloneJson(value, true),
      `must result in valid metadata: ${joinFieldErrors(problems)}`,
    ),
  ];
}

// A schema as the engine works with it: keywords resolved once, patterns compiled, and each node knowing whether anything
// below it has defaults, embedded objects or list invariants, so that walks skip the rest.
import type { JSONSchemaProps } from "@kubewright/api";
import { isKnownFormat } from "./formats/formats.js";
import { cloneJson, type MutableJson } from "./json-value.js";
import { compilePattern, type Pattern } from "./pattern.js";

/** How deep a schema may be nested. */
export const schemaDepthLimit = 500;

/** A bound of a number. */
export interface Bound {
  readonly value: number;
  readonly exclusive: boolean;
}

/** What `additionalProperties` says: a schema for them, or that they may or may not be there. */
export type AdditionalProperties = SchemaNode | boolean;

/** One node of a compiled schema. */
export interface SchemaNode {
  /** Empty when anything goes; int-or-string has two. */
  readonly types: readonly string[];
  readonly intOrString: boolean;
  readonly nullable: boolean;
  /** Empty unless Kubernetes checks it. */
  readonly format: string;
  readonly minimum: Bound | undefined;
  readonly maximum: Bound | undefined;
  readonly multipleOf: number | undefined;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly pattern: Pattern | undefined;
  readonly enum: readonly MutableJson[] | undefined;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  readonly uniqueItems: boolean;
  readonly items: SchemaNode | undefined;
  readonly minProperties: number | undefined;
  readonly maxProperties: number | undefined;
  readonly required: readonly string[];
  readonly properties: ReadonlyMap<string, SchemaNode>;
  readonly additionalProperties: AdditionalProperties | undefined;
  readonly allOf: readonly SchemaNode[];
  readonly anyOf: readonly SchemaNode[];
  readonly oneOf: readonly SchemaNode[];
  readonly not: SchemaNode | undefined;
  /** Undefined when there is none; `null` is none too. */
  readonly default: MutableJson | undefined;
  readonly preserveUnknownFields: boolean;
  readonly embeddedResource: boolean;
  readonly listType: "atomic" | "set" | "map" | undefined;
  readonly listMapKeys: readonly string[];
  /** The properties that have a default, with it. */
  readonly defaults: readonly (readonly [name: string, child: SchemaNode, value: MutableJson])[];
  /** The properties that have defaults further below. */
  readonly defaultedBelow: readonly (readonly [name: string, child: SchemaNode])[];
  /** Whether something below the node fills in values. */
  readonly hasDefaults: boolean;
  readonly hasEmbedded: boolean;
  readonly hasListInvariants: boolean;
}

/** A schema is nested too deeply to be compiled. */
export class SchemaDepthError extends Error {
  override readonly name = "SchemaDepthError";

  constructor() {
    super(`a schema must not be nested deeper than ${schemaDepthLimit} levels`);
  }
}

/** Compiles a schema into nodes. Throws a SchemaDepthError for one that is nested too deeply. */
export function compileNode(schema: JSONSchemaProps): SchemaNode {
  const patterns = new Map<string, Pattern>();
  const pattern = (source: string): Pattern => {
    const known = patterns.get(source) ?? compilePattern(source);
    patterns.set(source, known);
    return known;
  };
  return nodeOf(schema, { pattern, depth: 0 });
}

interface Compilation {
  readonly pattern: (source: string) => Pattern;
  readonly depth: number;
}

function nodeOf(schema: JSONSchemaProps, context: Compilation): SchemaNode {
  if (context.depth > schemaDepthLimit) throw new SchemaDepthError();
  const inner = { ...context, depth: context.depth + 1 };
  const children = childrenOf(schema, inner);
  return {
    ...valueKeywords(schema, context),
    ...structureKeywords(schema),
    ...children,
    ...summaryOf(schema, children),
  };
}

function valueKeywords(schema: JSONSchemaProps, context: Compilation) {
  const intOrString = schema["x-kubernetes-int-or-string"] === true;
  const format = schema.format ?? "";
  return {
    types: intOrString ? ["integer", "string"] : schema.type ? [schema.type] : [],
    intOrString,
    nullable: schema.nullable === true,
    format: isKnownFormat(schema.type, format) ? format : "",
    minimum: boundOf(schema.minimum, schema.exclusiveMinimum),
    maximum: boundOf(schema.maximum, schema.exclusiveMaximum),
    multipleOf: schema.multipleOf,
    minLength: schema.minLength,
    maxLength: schema.maxLength,
    pattern: schema.pattern ? context.pattern(schema.pattern) : undefined,
    enum: schema.enum?.length ? schema.enum.map((value) => cloneJson(value)) : undefined,
    minItems: schema.minItems,
    maxItems: schema.maxItems,
    uniqueItems: schema.uniqueItems === true,
    minProperties: schema.minProperties,
    maxProperties: schema.maxProperties,
    required: schema.required ?? [],
  } as const;
}

const boundOf = (value: number | undefined, exclusive: boolean | undefined): Bound | undefined =>
  value === undefined ? undefined : { value, exclusive: exclusive === true };

function structureKeywords(schema: JSONSchemaProps) {
  const listType = schema["x-kubernetes-list-type"];
  return {
    default: schema.default === undefined || schema.default === null ? undefined : cloneJson(schema.default),
    preserveUnknownFields: schema["x-kubernetes-preserve-unknown-fields"] === true,
    embeddedResource: schema["x-kubernetes-embedded-resource"] === true,
    listType: listType === "set" || listType === "map" || listType === "atomic" ? listType : undefined,
    listMapKeys: schema["x-kubernetes-list-map-keys"] ?? [],
  } as const;
}

type Children = Pick<
  SchemaNode,
  "items" | "properties" | "additionalProperties" | "allOf" | "anyOf" | "oneOf" | "not"
>;

function childrenOf(schema: JSONSchemaProps, context: Compilation): Children {
  const node = (child: JSONSchemaProps): SchemaNode => nodeOf(child, context);
  const { items, additionalProperties, not } = schema;
  return {
    items: items === undefined || isList(items) ? undefined : node(items),
    properties: new Map(Object.entries(schema.properties ?? {}).map(([name, child]) => [name, node(child)])),
    additionalProperties:
      typeof additionalProperties === "object" ? node(additionalProperties) : additionalProperties,
    allOf: (schema.allOf ?? []).map(node),
    anyOf: (schema.anyOf ?? []).map(node),
    oneOf: (schema.oneOf ?? []).map(node),
    not: not === undefined ? undefined : node(not),
  };
}

/** Tells a list of schemas from a schema; the compiler's own check does not narrow readonly lists. */
export function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}

function summaryOf(schema: JSONSchemaProps, { items, properties, additionalProperties }: Children) {
  const below = [...properties.values()];
  if (items !== undefined) below.push(items);
  if (typeof additionalProperties === "object") below.push(additionalProperties);
  const listType = schema["x-kubernetes-list-type"];
  const entries = [...properties];
  return {
    defaults: entries.flatMap(([name, child]) =>
      child.default === undefined ? [] : [[name, child, child.default] as const],
    ),
    defaultedBelow: entries.filter(([, child]) => child.hasDefaults),
    hasDefaults: below.some((child) => child.default !== undefined || child.hasDefaults),
    hasEmbedded:
      schema["x-kubernetes-embedded-resource"] === true || below.some((child) => child.hasEmbedded),
    hasListInvariants:
      listType === "set" || listType === "map" || below.some((child) => child.hasListInvariants),
  };
}

/** The node that governs a key of an object; undefined when the key is unknown. */
export function childNode(node: SchemaNode, key: string): SchemaNode | undefined {
  const property = node.properties.get(key);
  if (property !== undefined) return property;
  return typeof node.additionalProperties === "object" ? node.additionalProperties : undefined;
}

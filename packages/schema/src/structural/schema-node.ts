// A schema as the engine works with it: keywords resolved once, patterns compiled, and each node knowing whether anything
// below it has defaults, embedded objects or list invariants, so that walks skip the rest.
import type { JSONSchemaProps } from "@kubewright/api";
import { isKnownFormat } from "./formats/formats.js";
import { cloneJson, type MutableJson } from "./json-value.js";
import { createPatternCompiler, type Pattern, type PatternCompiler } from "./pattern.js";

/** How deep a schema may be nested. */
export const schemaDepthLimit = 500;

/** A bound of a number. */
export interface Bound {
  readonly value: number;
  readonly exclusive: boolean;
}

/** What `additionalProperties` says: a schema for them, or that they may or may not be there. */
export type AdditionalProperties = SchemaNode | boolean;

/** A schema is nested too deeply to be compiled. */
export class SchemaDepthError extends Error {
  override readonly name = "SchemaDepthError";

  constructor() {
    super(`a schema must not be nested deeper than ${schemaDepthLimit} levels`);
  }
}

/** Compiles a schema into nodes. Throws a SchemaDepthError for one that is nested too deeply. */
export function compileNode(schema: JSONSchemaProps): SchemaNode {
  return new SchemaNode(schema, { pattern: createPatternCompiler(), depth: 0 });
}

interface Compilation {
  readonly pattern: PatternCompiler;
  readonly depth: number;
}

/**
 * One node of a compiled schema. One assignment per keyword: schemas have thousands of nodes, and putting objects together by spreading them is
 * slow.
 */
export class SchemaNode {
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

  constructor(schema: JSONSchemaProps, { pattern, depth }: Compilation) {
    if (depth > schemaDepthLimit) throw new SchemaDepthError();
    const inner: Compilation = { pattern, depth: depth + 1 };
    const { type, items, additionalProperties, not } = schema;
    this.intOrString = schema["x-kubernetes-int-or-string"] === true;
    this.types = this.intOrString ? intOrString : type ? [type] : none;
    this.nullable = schema.nullable === true;
    this.format = schema.format && isKnownFormat(type, schema.format) ? schema.format : "";
    this.minimum = boundOf(schema.minimum, schema.exclusiveMinimum);
    this.maximum = boundOf(schema.maximum, schema.exclusiveMaximum);
    this.multipleOf = schema.multipleOf;
    this.minLength = schema.minLength;
    this.maxLength = schema.maxLength;
    this.pattern = schema.pattern ? pattern(schema.pattern) : undefined;
    this.enum = schema.enum?.length ? schema.enum.map((value) => cloneJson(value)) : undefined;
    this.minItems = schema.minItems;
    this.maxItems = schema.maxItems;
    this.uniqueItems = schema.uniqueItems === true;
    this.items = items === undefined || isList(items) ? undefined : new SchemaNode(items, inner);
    this.minProperties = schema.minProperties;
    this.maxProperties = schema.maxProperties;
    this.required = schema.required ?? none;
    this.properties = propertiesOf(schema, inner);
    this.additionalProperties =
      typeof additionalProperties === "object"
        ? new SchemaNode(additionalProperties, inner)
        : additionalProperties;
    this.allOf = alternativesOf(schema.allOf, inner);
    this.anyOf = alternativesOf(schema.anyOf, inner);
    this.oneOf = alternativesOf(schema.oneOf, inner);
    this.not = not === undefined ? undefined : new SchemaNode(not, inner);
    this.default =
      schema.default === undefined || schema.default === null ? undefined : cloneJson(schema.default);
    this.preserveUnknownFields = schema["x-kubernetes-preserve-unknown-fields"] === true;
    this.embeddedResource = schema["x-kubernetes-embedded-resource"] === true;
    this.listType = listTypeOf(schema["x-kubernetes-list-type"]);
    this.listMapKeys = schema["x-kubernetes-list-map-keys"] ?? none;

    this.defaults = ownDefaults(this.properties);
    this.defaultedBelow = defaultedBelow(this.properties);
    const below = childrenOf(this);
    this.hasDefaults = below.some((child) => child.default !== undefined || child.hasDefaults);
    this.hasEmbedded = this.embeddedResource || below.some((child) => child.hasEmbedded);
    this.hasListInvariants =
      this.listType === "set" || this.listType === "map" || below.some((child) => child.hasListInvariants);
  }
}

const none: readonly never[] = [];
const intOrString: readonly string[] = ["integer", "string"];
const noProperties: ReadonlyMap<string, SchemaNode> = new Map();

const boundOf = (value: number | undefined, exclusive: boolean | undefined): Bound | undefined =>
  value === undefined ? undefined : { value, exclusive: exclusive === true };

const listTypeOf = (listType: string | undefined): SchemaNode["listType"] =>
  listType === "set" || listType === "map" || listType === "atomic" ? listType : undefined;

const alternativesOf = (
  schemas: readonly JSONSchemaProps[] | undefined,
  inner: Compilation,
): readonly SchemaNode[] => schemas?.map((schema) => new SchemaNode(schema, inner)) ?? none;

function propertiesOf({ properties }: JSONSchemaProps, inner: Compilation): ReadonlyMap<string, SchemaNode> {
  if (properties === undefined) return noProperties;
  const nodes = new Map<string, SchemaNode>();
  for (const name of Object.keys(properties)) {
    const child = properties[name];
    if (child !== undefined) nodes.set(name, new SchemaNode(child, inner));
  }
  return nodes;
}

function ownDefaults(properties: SchemaNode["properties"]): SchemaNode["defaults"] {
  if (properties.size === 0) return none;
  const defaults: [string, SchemaNode, MutableJson][] = [];
  for (const [name, child] of properties)
    if (child.default !== undefined) defaults.push([name, child, child.default]);
  return defaults;
}

function defaultedBelow(properties: SchemaNode["properties"]): SchemaNode["defaultedBelow"] {
  if (properties.size === 0) return none;
  const below: [string, SchemaNode][] = [];
  for (const [name, child] of properties) if (child.hasDefaults) below.push([name, child]);
  return below;
}

/** The nodes that contribute to the structure below a node. */
function childrenOf({ properties, items, additionalProperties }: SchemaNode): readonly SchemaNode[] {
  if (properties.size === 0 && items === undefined && typeof additionalProperties !== "object") return none;
  const children = [...properties.values()];
  if (items !== undefined) children.push(items);
  if (typeof additionalProperties === "object") children.push(additionalProperties);
  return children;
}

/** Tells a list of schemas from a schema; the compiler's own check does not narrow readonly lists. */
export function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}

/** The node that governs a key of an object; undefined when the key is unknown. */
export function childNode(node: SchemaNode, key: string): SchemaNode | undefined {
  const property = node.properties.get(key);
  if (property !== undefined) return property;
  return typeof node.additionalProperties === "object" ? node.additionalProperties : undefined;
}

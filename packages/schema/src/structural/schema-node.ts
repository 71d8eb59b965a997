// The compiled form of a schema: keywords resolved once, patterns compiled. Each node knows whether anything below it has defaults,
// embedded objects or list invariants, so that walks skip the rest.
import { type JSONSchemaProps, stringifyJson } from "@kubewright/api";
import { isKnownFormat } from "./formats/formats.js";
import { createPatternCompiler, type Pattern, type PatternCompiler } from "./pattern.js";

/** The nesting limit of schemas. */
export const schemaDepthLimit = 500;

/** A bound of a number. */
export interface Bound {
  readonly value: number;
  readonly exclusive: boolean;
}

/** `additionalProperties`: a schema for them, or whether they are allowed. */
export type AdditionalProperties = SchemaNode | boolean;

/** A schema is nested too deeply to be compiled. */
export class SchemaDepthError extends Error {
  override readonly name = "SchemaDepthError";

  constructor() {
    super(`a schema must not be nested deeper than ${schemaDepthLimit} levels`);
  }
}

/**
 * Compiles a schema into nodes, which hold on to its enums and defaults: it must not be changed afterwards. Throws a SchemaDepthError
 * for one that is nested too deeply.
 */
export function compileNode(schema: JSONSchemaProps): SchemaNode {
  return compiled(schema, createPatternCompiler(), 0);
}

/** The parts of a node that are compiled before it. */
type Below = Pick<
  SchemaNode,
  "pattern" | "items" | "properties" | "additionalProperties" | "allOf" | "anyOf" | "oneOf" | "not"
>;

function compiled(schema: JSONSchemaProps, compilePattern: PatternCompiler, depth: number): SchemaNode {
  if (depth > schemaDepthLimit) throw new SchemaDepthError();
  const { items, additionalProperties, not } = schema;
  const below = depth + 1;
  return new SchemaNode(schema, {
    pattern: schema.pattern ? compilePattern(schema.pattern) : undefined,
    properties: propertiesOf(schema, compilePattern, below),
    items: items === undefined || isList(items) ? undefined : compiled(items, compilePattern, below),
    additionalProperties:
      typeof additionalProperties === "object"
        ? compiled(additionalProperties, compilePattern, below)
        : additionalProperties,
    allOf: alternativesOf(schema.allOf, compilePattern, below),
    anyOf: alternativesOf(schema.anyOf, compilePattern, below),
    oneOf: alternativesOf(schema.oneOf, compilePattern, below),
    not: not === undefined ? undefined : compiled(not, compilePattern, below),
  });
}

function alternativesOf(
  schemas: readonly JSONSchemaProps[] | undefined,
  compilePattern: PatternCompiler,
  depth: number,
): readonly SchemaNode[] {
  if (schemas === undefined || schemas.length === 0) return none;
  return schemas.map((schema) => compiled(schema, compilePattern, depth));
}

function propertiesOf(
  { properties }: JSONSchemaProps,
  compilePattern: PatternCompiler,
  depth: number,
): ReadonlyMap<string, SchemaNode> {
  if (properties === undefined) return noProperties;
  const nodes = new Map<string, SchemaNode>();
  for (const name of Object.keys(properties)) {
    const child = properties[name];
    if (child !== undefined) nodes.set(name, compiled(child, compilePattern, depth));
  }
  return nodes;
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
  readonly enum: readonly unknown[] | undefined;
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
  readonly default: unknown;
  /** About how many characters the default has, where there is one. */
  readonly defaultSize: number;
  readonly preserveUnknownFields: boolean;
  readonly embeddedResource: boolean;
  readonly listType: "atomic" | "set" | "map" | undefined;
  readonly listMapKeys: readonly string[];
  /** The properties that have a default, with it. */
  readonly defaults: readonly (readonly [name: string, child: SchemaNode, value: unknown])[];
  /** The properties that have defaults further below. */
  readonly defaultedBelow: readonly (readonly [name: string, child: SchemaNode])[];
  /** Whether something below the node fills in values. */
  readonly hasDefaults: boolean;
  readonly hasEmbedded: boolean;
  readonly hasListInvariants: boolean;

  constructor(schema: JSONSchemaProps, below: Below) {
    const { type } = schema;
    this.intOrString = schema["x-kubernetes-int-or-string"] === true;
    this.types = this.intOrString ? intOrString : type ? [type] : none;
    this.nullable = schema.nullable === true;
    this.format = schema.format && isKnownFormat(type, schema.format) ? schema.format : "";
    this.minimum = boundOf(schema.minimum, schema.exclusiveMinimum);
    this.maximum = boundOf(schema.maximum, schema.exclusiveMaximum);
    this.multipleOf = schema.multipleOf;
    this.minLength = schema.minLength;
    this.maxLength = schema.maxLength;
    this.pattern = below.pattern;
    this.enum = schema.enum?.length ? schema.enum : undefined;
    this.minItems = schema.minItems;
    this.maxItems = schema.maxItems;
    this.uniqueItems = schema.uniqueItems === true;
    this.items = below.items;
    this.minProperties = schema.minProperties;
    this.maxProperties = schema.maxProperties;
    this.required = schema.required ?? none;
    this.properties = below.properties;
    this.additionalProperties = below.additionalProperties;
    this.allOf = below.allOf;
    this.anyOf = below.anyOf;
    this.oneOf = below.oneOf;
    this.not = below.not;
    this.default = schema.default === null ? undefined : schema.default;
    this.defaultSize = this.default === undefined ? 0 : defaultSize(this.default);
    this.preserveUnknownFields = schema["x-kubernetes-preserve-unknown-fields"] === true;
    this.embeddedResource = schema["x-kubernetes-embedded-resource"] === true;
    this.listType = listTypeOf(schema["x-kubernetes-list-type"]);
    this.listMapKeys = schema["x-kubernetes-list-map-keys"] ?? none;

    this.defaults = ownDefaults(this.properties);
    this.defaultedBelow = defaultedBelow(this.properties);
    const { items, additionalProperties: others } = below;
    const values = typeof others === "object" ? others : undefined;
    this.hasDefaults =
      this.defaults.length > 0 || this.defaultedBelow.length > 0 || fillsIn(items) || fillsIn(values);
    this.hasEmbedded =
      this.embeddedResource ||
      items?.hasEmbedded === true ||
      values?.hasEmbedded === true ||
      some(this.properties, (child) => child.hasEmbedded);
    this.hasListInvariants =
      this.listType === "set" ||
      this.listType === "map" ||
      items?.hasListInvariants === true ||
      values?.hasListInvariants === true ||
      some(this.properties, (child) => child.hasListInvariants);
  }
}

const none: readonly never[] = [];
const intOrString: readonly string[] = ["integer", "string"];
const noProperties: ReadonlyMap<string, SchemaNode> = new Map();

const boundOf = (value: number | undefined, exclusive: boolean | undefined): Bound | undefined =>
  value === undefined ? undefined : { value, exclusive: exclusive === true };

const listTypeOf = (listType: string | undefined): SchemaNode["listType"] =>
  listType === "set" || listType === "map" || listType === "atomic" ? listType : undefined;

/** With its name. */
const defaultSize = (value: unknown): number =>
  8 + (typeof value === "object" || typeof value === "string" ? stringifyJson(value).length : 0);

const fillsIn = (node: SchemaNode | undefined): boolean =>
  node !== undefined && (node.default !== undefined || node.hasDefaults);

function some(properties: SchemaNode["properties"], holds: (node: SchemaNode) => boolean): boolean {
  for (const child of properties.values()) if (holds(child)) return true;
  return false;
}

function ownDefaults(properties: SchemaNode["properties"]): SchemaNode["defaults"] {
  if (properties.size === 0) return none;
  const defaults: [string, SchemaNode, unknown][] = [];
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

/** True for a list of schemas; `Array.isArray` does not narrow readonly lists. */
export function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}

/** The node that governs a key of an object; undefined when the key is unknown. */
export function childNode(node: SchemaNode, key: string): SchemaNode | undefined {
  const property = node.properties.get(key);
  if (property !== undefined) return property;
  return typeof node.additionalProperties === "object" ? node.additionalProperties : undefined;
}

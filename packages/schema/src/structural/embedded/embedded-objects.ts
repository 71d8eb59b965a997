// Values marked `x-kubernetes-embedded-resource` are whole objects: their apiVersion, kind and metadata follow the rules for
// objects, whatever else the schema says of them.
import { type FieldError, fieldError, ownValue, setOwn, validateDns1035Label } from "@kubewright/api";
import { cloneJson, isContainer, isObject, type MutableJson, type MutableObject } from "../json-value.js";
import type { SchemaNode } from "../schema-node.js";
import { GoDecoder } from "./go-shape.js";
import { objectMetaErrors, objectMetaShape } from "./object-meta.js";

/** The result of coercing embedded metadata. */
export interface CoerceResult {
  /** Fields of metadata that no metadata has; they were dropped. */
  readonly unknownFields: readonly string[];
  /** The first field of a wrong type; the object must be refused as malformed then. */
  readonly error?: FieldError | undefined;
}

/**
 * Coerces `apiVersion`, `kind` and `metadata` of embedded objects, in place. `dropMalformed` is for stored objects: fields of a wrong type
 * are dropped instead of being an error.
 */
export function coerceEmbedded(
  value: unknown,
  node: SchemaNode,
  dropMalformed: boolean,
  resource = false,
): CoerceResult {
  if (!node.hasEmbedded && !resource) return { unknownFields: [] };
  const decoder = new GoDecoder(dropMalformed);
  const visit: Visit = (object, path) => coerceObject(object, path, decoder, dropMalformed);
  const found = new Embedded(visit);
  found.walk(value, node, "", resource);
  return { unknownFields: decoder.unknownFields.sort(), error: found.errors[0] };
}

/** Validates embedded objects: apiVersion and kind are required, metadata must be valid. */
export function embeddedErrors(value: unknown, node: SchemaNode, path = "", resource = false): FieldError[] {
  const found = new Embedded(objectErrors);
  if (node.hasEmbedded || resource) found.walk(value, node, path, resource);
  return found.errors;
}

type Visit = (object: MutableObject, path: string) => FieldError[];

/** The embedded objects of a value, in order. */
class Embedded {
  readonly errors: FieldError[] = [];
  readonly #visit: Visit;

  constructor(visit: Visit) {
    this.#visit = visit;
  }

  walk(value: unknown, node: SchemaNode, path: string, resource: boolean): void {
    if (Array.isArray(value)) {
      const { items } = node;
      if (!items?.hasEmbedded) return;
      for (const [index, item] of value.entries())
        if (isContainer(item)) this.walk(item, items, `${path}[${index}]`, false);
    } else if (isObject(value)) {
      if (node.embeddedResource || resource)
        for (const error of this.#visit(value, path)) this.errors.push(error);
      this.#fields(value, node, path);
    }
  }

  #fields(object: MutableObject, node: SchemaNode, path: string): void {
    const { properties, additionalProperties: others } = node;
    for (const key of Object.keys(object)) {
      const value = object[key];
      if (!isContainer(value)) continue;
      const property = properties.get(key);
      if (property !== undefined) {
        if (property.hasEmbedded) this.walk(value, property, at(path, key), false);
      } else if (typeof others === "object" && others.hasEmbedded) {
        this.walk(value, others, `${path}[${key}]`, false);
      }
    }
  }
}

const at = (path: string, key: string): string => (path === "" ? key : `${path}.${key}`);

function coerceObject(object: MutableObject, path: string, decoder: GoDecoder, drop: boolean): FieldError[] {
  for (const key of ["apiVersion", "kind"]) {
    const value = ownValue(object, key);
    if (value === undefined || typeof value === "string") continue;
    if (!drop) return [fieldError.invalid(at(path, key), cloneJson(value, true), "must be a string")];
    delete object[key];
  }
  const metadata = ownValue(object, "metadata");
  if (metadata === undefined) return [];
  try {
    setOwn(object, "metadata", decoder.struct(metadata, objectMetaShape, at(path, "metadata")));
    return [];
  } catch (error) {
    if (drop || !(error instanceof TypeError || error instanceof SyntaxError)) return [];
    return [fieldError.invalid(at(path, "metadata"), cloneJson(metadata, true), error.message)];
  }
}

function objectErrors(object: MutableObject, path: string): FieldError[] {
  return [
    ...stringErrors(ownValue(object, "apiVersion"), at(path, "apiVersion"), apiVersionErrors),
    ...stringErrors(ownValue(object, "kind"), at(path, "kind"), kindErrors),
    ...metadataErrors(ownValue(object, "metadata"), at(path, "metadata")),
  ];
}

function stringErrors(
  value: MutableJson | undefined,
  path: string,
  rule: (text: string) => string[],
): FieldError[] {
  if (value === undefined || value === "") return [fieldError.required(path)];
  if (typeof value !== "string")
    return [fieldError.invalid(path, cloneJson(value, true), "must be a string")];
  return rule(value).map((detail) => fieldError.invalid(path, value, detail));
}

function apiVersionErrors(apiVersion: string): string[] {
  return apiVersion.split("/").length <= 2 ? [] : [`unexpected GroupVersion string: ${apiVersion}`];
}

function kindErrors(kind: string): string[] {
  const problems = validateDns1035Label(kind.toLowerCase());
  return problems.length === 0
    ? []
    : [`may have mixed case, but should otherwise match: ${problems.join(",")}`];
}

function metadataErrors(metadata: MutableJson | undefined, path: string): FieldError[] {
  if (metadata === undefined || metadata === null) return [];
  try {
    return objectMetaErrors(new GoDecoder(false).struct(metadata, objectMetaShape, path), path);
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error;
    return [fieldError.invalid(path, cloneJson(metadata, true), error.message)];
  }
}

// List and map types: where they may be set, and what they require of their items.
import { type FieldError, fieldError, type JSONSchemaProps } from "@kubewright/api";
import { isList } from "../structural/schema-node.js";
import { appendErrors } from "./append-errors.js";

/** The errors of `x-kubernetes-map-type`. */
export function mapTypeErrors(schema: JSONSchemaProps, path: string): FieldError[] {
  const mapType = schema["x-kubernetes-map-type"];
  if (mapType === undefined) return [];
  return [
    ...typeErrors(schema, path, "object", "x-kubernetes-map-type"),
    ...supportedErrors(mapType, ["atomic", "granular"], `${path}.x-kubernetes-map-type`),
  ];
}

/** The errors of `x-kubernetes-list-type`. */
export function listTypeErrors(
  schema: JSONSchemaProps,
  path: string,
  requireAtomicSets: boolean,
): FieldError[] {
  const listType = schema["x-kubernetes-list-type"];
  if (listType === undefined) return [];
  const wrongType = typeErrors(schema, path, "array", "x-kubernetes-list-type");
  return [
    ...wrongType,
    ...(wrongType.length === 0 && requireAtomicSets && listType === "set" ? setItemErrors(schema, path) : []),
    ...supportedErrors(listType, ["atomic", "set", "map"], `${path}.x-kubernetes-list-type`),
  ];
}

function typeErrors(
  { type = "" }: JSONSchemaProps,
  path: string,
  expected: string,
  keyword: string,
): FieldError[] {
  if (type === expected) return [];
  const detail = `must be ${expected} if ${keyword} is specified`;
  return [
    type === ""
      ? fieldError.required(`${path}.type`, detail)
      : fieldError.invalid(`${path}.type`, type, detail),
  ];
}

const supportedErrors = (value: string, supported: readonly string[], path: string): FieldError[] =>
  supported.includes(value) ? [] : [fieldError.notSupported(path, value, supported)];

/** Whether the items of a set are values that are owned as a whole. */
export function hasAtomicItems({ items }: JSONSchemaProps): boolean {
  if (items === undefined || isList(items)) return true;
  if (items.type === "array") return (items["x-kubernetes-list-type"] ?? "atomic") === "atomic";
  return items.type !== "object" || items["x-kubernetes-map-type"] === "atomic";
}

function setItemErrors(schema: JSONSchemaProps, path: string): FieldError[] {
  if (hasAtomicItems(schema) || schema.items === undefined || isList(schema.items)) return [];
  const keyword = schema.items.type === "array" ? "x-kubernetes-list-type" : "x-kubernetes-map-type";
  // The value that is printed is the list type in both cases.
  const printed = schema.items["x-kubernetes-list-type"] ?? null;
  const detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
  return [fieldError.invalid(`${path}.items.${keyword}`, printed, detail)];
}

/** The errors of `x-kubernetes-list-map-keys`. `itemsText` is how items are printed. */
export function mapKeyErrors(
  schema: JSONSchemaProps,
  path: string,
  itemsText: (schema: JSONSchemaProps) => unknown,
): FieldError[] {
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (listType !== "map")
    return keys.length === 0 ? [] : [needsMapType(listType, `${path}.x-kubernetes-list-type`)];
  const errors: FieldError[] = [];
  if (keys.length === 0) {
    const detail = "must not be empty if x-kubernetes-list-type is map";
    errors.push(fieldError.required(`${path}.x-kubernetes-list-map-keys`, detail));
  }
  const { items } = schema;
  if (items === undefined) {
    errors.push(fieldError.required(`${path}.items`, "must have a schema if x-kubernetes-list-type is map"));
  } else if (isList(items)) {
    const detail = "must only have a single schema if x-kubernetes-list-type is map";
    errors.push(fieldError.invalid(`${path}.items`, itemsText(schema), detail));
  } else if (items.type !== "object") {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    errors.push(fieldError.invalid(`${path}.items.type`, items.type ?? "", detail));
  } else {
    appendErrors(errors, keyErrors(items, keys, path));
  }
  return errors;
}

function needsMapType(listType: string | undefined, path: string): FieldError {
  const detail = "must be map if x-kubernetes-list-map-keys is non-empty";
  return listType === undefined
    ? fieldError.required(path, detail)
    : fieldError.invalid(path, listType, detail);
}

function keyErrors(items: JSONSchemaProps, keys: readonly string[], path: string): FieldError[] {
  const properties = items.properties ?? {};
  const invalidKeys = (detail: string): FieldError =>
    fieldError.invalid(`${path}.x-kubernetes-list-map-keys`, keys, detail);
  const seen = new Set<string>();
  return keys.flatMap((key) => {
    const errors: FieldError[] = [];
    const type = Object.hasOwn(properties, key) ? (properties[key]?.type ?? "") : undefined;
    if (type === undefined) errors.push(invalidKeys("entries must all be names of item properties"));
    else if (type === "array" || type === "object") {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(fieldError.invalid(`${path}.items.properties[${key}].type`, items.type ?? "", detail));
    }
    if (seen.has(key)) errors.push(invalidKeys("must not contain duplicate entries"));
    seen.add(key);
    return errors;
  });
}

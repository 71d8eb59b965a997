// In process a client hands over objects, not bytes. They are frozen or the client's own, so the server takes a copy,
// and lets in nothing that could not have come as JSON.
import { isObject, setOwn } from "@kubewright/api";
import { badRequest } from "./decode-error.js";
import { maxDepth } from "./json/json-inspection.js";
import type { MutableJson, MutableObject } from "./mutable-json.js";

/** A copy of a JSON object that the caller may change. Throws ApiError 400 for what is no JSON object. */
export function adoptObject(value: unknown): MutableObject {
  const copy = value === null || value === undefined ? {} : adopt(value, 0);
  if (!isObject(copy)) throw badRequest("the request body is not a JSON object");
  return copy;
}

/** A copy of any JSON value; undefined for what JSON leaves out. */
export function adoptValue(value: unknown): MutableJson | undefined {
  return adopt(value, 0);
}

function adopt(value: unknown, depth: number): MutableJson | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      if (!Number.isFinite(value)) throw badRequest(`json: unsupported value: ${value}`);
      return value === 0 ? 0 : value;
    case "object":
      if (value === null) return null;
      if (depth >= maxDepth) throw badRequest("exceeded max depth");
      return Array.isArray(value) ? adoptList(value, depth) : adoptFields(value, depth);
    case "undefined":
      return undefined;
    default:
      throw badRequest(`json: unsupported type: ${typeof value}`);
  }
}

function adoptList(list: readonly unknown[], depth: number): MutableJson[] {
  const copy: MutableJson[] = [];
  for (const item of list) copy.push(adopt(item, depth + 1) ?? null);
  return copy;
}

function adoptFields(object: object, depth: number): MutableObject {
  if (object instanceof Date) throw badRequest("json: unsupported type: Date; write timestamps as strings");
  const copy: MutableObject = {};
  const fields = object as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(fields)) {
    const adopted = adopt(fields[key], depth + 1);
    if (adopted !== undefined) setOwn(copy, key, adopted);
  }
  return copy;
}

// Pruning: what the schema does not know is not stored. Reported are the paths, as the server names them in
// `unknown field "spec.foo"`.
import { isObject, type MutableObject } from "./json-value.js";
import type { SchemaNode } from "./schema-node.js";

/** The fields every object has, known without being declared. */
export const metaFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** Removes unknown fields in place; returns their paths, sorted. `resource`: the value is a whole object. */
export function prune(value: unknown, node: SchemaNode, resource: boolean): string[] {
  const removed: string[] = [];
  pruneValue(value, node, resource || node.embeddedResource, "", removed);
  return removed.sort();
}

function pruneValue(
  value: unknown,
  node: SchemaNode | undefined,
  resource: boolean,
  path: string,
  removed: string[],
): void {
  if (Array.isArray(value)) pruneItems(value, node, path, removed);
  else if (isObject(value)) {
    if (node === undefined) removeAll(value, path, removed);
    else pruneObject(value, node, resource, path, removed);
  }
}

function pruneObject(
  object: MutableObject,
  node: SchemaNode,
  resource: boolean,
  path: string,
  removed: string[],
): void {
  for (const key of Object.keys(object)) {
    if (resource && metaFields.has(key)) continue;
    const value = object[key];
    const child = node.properties.get(key);
    const others = node.additionalProperties;
    if (child === undefined && others === undefined) {
      if (!node.preserveUnknownFields) remove(object, key, path, removed);
    } else if (typeof value === "object") {
      const next = child ?? (typeof others === "object" ? others : undefined);
      pruneValue(value, next, next?.embeddedResource === true, join(path, key), removed);
    }
  }
}

/** A list that keeps unknown content keeps it in its items too, where no schema says otherwise. */
function pruneItems(items: unknown[], node: SchemaNode | undefined, path: string, removed: string[]): void {
  const preserve = node?.preserveUnknownFields === true;
  if (preserve && node.items === undefined) return;
  const child =
    preserve && node.items !== undefined ? { ...node.items, preserveUnknownFields: true } : node?.items;
  for (const [index, item] of items.entries()) {
    if (typeof item === "object") {
      pruneValue(item, child, child?.embeddedResource === true, `${path}[${index}]`, removed);
    }
  }
}

function removeAll(object: MutableObject, path: string, removed: string[]): void {
  for (const key of Object.keys(object)) remove(object, key, path, removed);
}

function remove(object: MutableObject, key: string, path: string, removed: string[]): void {
  if (object[key] !== undefined) removed.push(join(path, key));
  delete object[key];
}

const join = (path: string, key: string): string => (path === "" ? key : `${path}.${key}`);

// Pruning: what the schema does not know is not stored. Reported are the paths, as the server names them in
// `unknown field "spec.foo"`.
import { isObject, type MutableObject } from "./json-value.js";
import type { SchemaNode } from "./schema-node.js";

/** The fields every object has, known without being declared. */
export const metaFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** Removes unknown fields in place; returns their paths, sorted. `resource`: the value is a whole object. */
export function prune(value: unknown, node: SchemaNode, resource: boolean): string[] {
  const removed: string[] = [];
  pruneValue(value, node, { path: "", resource, preserve: false }, removed);
  return removed.sort();
}

interface Place {
  readonly path: string;
  /** A whole object, whatever the schema says. */
  readonly resource: boolean;
  /** Unknown fields stay, whatever the schema says. */
  readonly preserve: boolean;
}

function pruneValue(value: unknown, node: SchemaNode | undefined, place: Place, removed: string[]): void {
  if (Array.isArray(value)) pruneItems(value, node, place, removed);
  else if (isObject(value)) {
    if (node === undefined) removeAll(value, place.path, removed);
    else pruneObject(value, node, place, removed);
  }
}

function pruneObject(object: MutableObject, node: SchemaNode, place: Place, removed: string[]): void {
  const resource = place.resource || node.embeddedResource;
  for (const key of Object.keys(object)) {
    if (resource && metaFields.has(key)) continue;
    const value = object[key];
    const child = node.properties.get(key);
    const others = node.additionalProperties;
    if (child === undefined && others === undefined) {
      if (!node.preserveUnknownFields && !place.preserve) remove(object, key, place.path, removed);
    } else if (typeof value === "object") {
      const next = child ?? (typeof others === "object" ? others : undefined);
      pruneValue(value, next, { path: join(place.path, key), resource: false, preserve: false }, removed);
    }
  }
}

/** A list that keeps unknown content keeps it in its items too, where no schema says otherwise. */
function pruneItems(items: unknown[], node: SchemaNode | undefined, place: Place, removed: string[]): void {
  const preserve = node?.preserveUnknownFields === true || place.preserve;
  if (preserve && node?.items === undefined) return;
  for (const [index, item] of items.entries()) {
    if (typeof item !== "object") continue;
    const path = `${place.path}[${index}]`;
    pruneValue(item, node?.items, { path, resource: false, preserve }, removed);
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

// Defaulting: a default is filled in where the object that holds the field exists, and the field is absent, or null
// without being nullable. A null that is neither allowed nor defaulted is dropped, as if it had not been written.
import { cloneJson, isObject, type MutableJson, type MutableObject, ownValue, setOwn } from "./json-value.js";
import { childNode, type SchemaNode } from "./schema-node.js";

/** Fills in defaults, in place. */
export function fillInDefaults(value: unknown, node: SchemaNode): void {
  if (node.hasDefaults) fillIn(value, node);
}

/** Drops nulls that are neither allowed nor defaulted, in place. */
export function dropNulls(value: unknown, node: SchemaNode): void {
  if (Array.isArray(value)) {
    const { items } = node;
    if (items !== undefined) for (const item of value) if (typeof item === "object") dropNulls(item, items);
  } else if (isObject(value)) {
    dropNullsOfObject(value, node);
  }
}

function dropNullsOfObject(object: MutableObject, node: SchemaNode): void {
  for (const key in object) {
    const value = object[key];
    if (typeof value !== "object") continue;
    const child = childNode(node, key);
    if (child === undefined) continue;
    if (value !== null) dropNulls(value, child);
    else if (!child.nullable && child.default === undefined) delete object[key];
  }
}

function fillIn(value: unknown, node: SchemaNode): void {
  if (Array.isArray(value)) fillInItems(value, node.items);
  else if (isObject(value)) fillInObject(value, node);
}

function fillInObject(object: MutableObject, node: SchemaNode): void {
  for (const [name, child, value] of node.defaults) {
    const current = ownValue(object, name);
    if (current === undefined || (current === null && !child.nullable))
      setOwn(object, name, cloneJson(value));
  }
  for (const [name, child] of node.defaultedBelow) fillIn(ownValue(object, name), child);
  const others = node.additionalProperties;
  if (typeof others === "object") fillInOthers(object, node, others);
}

function fillInOthers(object: MutableObject, node: SchemaNode, others: SchemaNode): void {
  if (others.default === undefined && !others.hasDefaults) return;
  for (const key of Object.keys(object)) {
    if (node.properties.has(key)) continue;
    if (needsDefault(object[key], others)) setOwn(object, key, cloneJson(others.default));
    if (others.hasDefaults) fillIn(object[key], others);
  }
}

function fillInItems(items: MutableJson[], node: SchemaNode | undefined): void {
  if (node === undefined) return;
  for (const [index, item] of items.entries()) {
    if (needsDefault(item, node)) items[index] = cloneJson(node.default);
    if (node.hasDefaults) fillIn(items[index], node);
  }
}

const needsDefault = (value: MutableJson | undefined, node: SchemaNode): boolean =>
  value === null && !node.nullable && node.default !== undefined;

// The fields in which two versions of an object differ.
import { isObject } from "@kubewright/api";
import type { FieldChange } from "../protocol.js";

/** Bookkeeping of the API server, which changes with every write. */
const ignored = new Set(["metadata.resourceVersion", "metadata.managedFields", "metadata.generation"]);
const most = 50;
const longest = 200;

export function fieldChanges(before: unknown, after: unknown): readonly Omit<FieldChange, "manager">[] {
  const found: Omit<FieldChange, "manager">[] = [];
  const compare = (one: unknown, other: unknown, path: string): void => {
    if (found.length >= most || ignored.has(path)) return;
    if (isObject(one) && isObject(other)) {
      const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
      for (const key of keys) compare(one[key], other[key], path === "" ? key : `${path}.${key}`);
    } else if (Array.isArray(one) && Array.isArray(other)) compareLists(one, other, path);
    else if (JSON.stringify(one) !== JSON.stringify(other))
      found.push({ path, before: shown(one), after: shown(other) });
  };
  /** Items with names are told apart by them, so that one more in front does not change all the others. */
  const compareLists = (one: readonly unknown[], other: readonly unknown[], path: string): void => {
    const field = keyField([...one, ...other]);
    const keyed = (items: readonly unknown[]) =>
      new Map(
        items.map((item, index) => [field && isObject(item) ? `${field}=${item[field]}` : `${index}`, item]),
      );
    const [ones, others] = [keyed(one), keyed(other)];
    for (const key of new Set([...ones.keys(), ...others.keys()]))
      compare(ones.get(key), others.get(key), `${path}[${key}]`);
  };
  compare(before, after, "");
  return found;
}

function keyField(items: readonly unknown[]): string | undefined {
  return ["name", "type", "key", "uid", "containerPort", "port", "ip"].find((field) =>
    items.every((item) => isObject(item) && item[field] !== undefined),
  );
}

function shown(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

// The JSON patch (RFC 6902) that turns one value into another: handlers return objects, an AdmissionResponse needs a patch.
import { isObject } from "@kubewright/api";
import type { JsonPatchOperation } from "@kubewright/client";
import type { JsonRecord } from "../controller/apply/json-record.js";

/** The operations, in an order in which each finds its path. A field that is `undefined` is absent. */
export function jsonDiff(before: unknown, after: unknown): readonly JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  diffValues(before, after, "", operations);
  return operations;
}

function diffValues(before: unknown, after: unknown, path: string, operations: JsonPatchOperation[]): void {
  if (before === after) return;
  if (isObject(before) && isObject(after)) diffFields(before, after, path, operations);
  else if (Array.isArray(before) && Array.isArray(after)) diffItems(before, after, path, operations);
  else operations.push({ op: "replace", path, value: after });
}

function diffFields(
  before: JsonRecord,
  after: JsonRecord,
  path: string,
  operations: JsonPatchOperation[],
): void {
  for (const key of Object.keys(before)) {
    if (before[key] !== undefined && valueIn(after, key) === undefined)
      operations.push({ op: "remove", path: `${path}/${escaped(key)}` });
  }
  for (const key of Object.keys(after)) {
    const value = after[key];
    if (value === undefined) continue;
    const place = `${path}/${escaped(key)}`;
    const old = valueIn(before, key);
    if (old === undefined) operations.push({ op: "add", path: place, value });
    else diffValues(old, value, place, operations);
  }
}

/** Compares item by item: lists in objects are short, and an item that moved is written again. */
function diffItems(
  before: readonly unknown[],
  after: readonly unknown[],
  path: string,
  operations: JsonPatchOperation[],
): void {
  const shared = Math.min(before.length, after.length);
  for (let index = 0; index < shared; index++)
    diffValues(before[index], after[index], `${path}/${index}`, operations);
  for (let index = before.length - 1; index >= shared; index--)
    operations.push({ op: "remove", path: `${path}/${index}` });
  for (const value of after.slice(shared)) operations.push({ op: "add", path: `${path}/-`, value });
}

/** A field of the object's own. */
const valueIn = (holder: JsonRecord, key: string): unknown =>
  Object.hasOwn(holder, key) ? holder[key] : undefined;

/** A key as a JSON pointer writes it. */
const escaped = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");

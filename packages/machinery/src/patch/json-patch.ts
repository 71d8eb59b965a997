// JSON patch (RFC 6902) as the server's library applies it: negative indices count from the end, `replace` creates
// missing keys of objects, `copy` of a missing key makes a null.

import { deepEqual, isObject, ownValue } from "@kubewright/api";
import type { JsonMap } from "../json-map.js";
import { isTooDeep, tooDeep } from "./nesting.js";
import { PatchDocument } from "./patch-document.js";
import { badPatch, jsonType, patchDoesNotApply, patchTooLarge } from "./patch-error.js";

const maxOperations = 10_000;

/**
 * Applies a JSON patch (the decoded body); the document itself comes back when nothing is written to. Throws an
 * ApiError: 400 when it is no patch, 413 when it asks for too much, 422 when it does not apply.
 */
export function applyJsonPatch(document: unknown, operations: unknown): unknown {
  const decoded = decodeOperations(operations);
  if (decoded.length > maxOperations) {
    throw patchTooLarge(
      `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${decoded.length}`,
    );
  }
  const patched = new PatchDocument(document);
  for (const operation of decoded) applyOperation(patched, operation);
  // One patch after the other could nest without end.
  if (isTooDeep(patched.root)) throw patchDoesNotApply(tooDeep);
  return patched.root;
}

/** An operation as sent: `op`, `path` and `from` are texts if they are there at all. */
type Operation = JsonMap;

function decodeOperations(operations: unknown): readonly Operation[] {
  if (operations === null) return [];
  if (!Array.isArray(operations)) {
    throw badPatch(
      `error decoding patch: json: cannot unmarshal ${jsonType(operations)} into Go value of type []handlers.jsonPatchOp`,
    );
  }
  return operations.map(decodeOperation);
}

function decodeOperation(operation: unknown): Operation {
  if (operation === null) return {};
  if (!isObject(operation)) {
    throw badPatch(
      `error decoding patch: json: cannot unmarshal ${jsonType(operation)} into Go value of type handlers.jsonPatchOp`,
    );
  }
  for (const field of ["op", "path", "from"]) {
    const value = ownValue(operation, field) ?? "";
    if (typeof value === "string") continue;
    throw badPatch(
      `error decoding patch: json: cannot unmarshal ${jsonType(value)} into Go struct field jsonPatchOp.${field} of type string`,
    );
  }
  return operation;
}

const operations: ReadonlyMap<string, (document: PatchDocument, operation: Operation) => void> = new Map([
  ["add", (document, operation) => document.add(pathOf(operation, "path"), valueIn(operation))],
  ["remove", (document, operation) => document.remove(pathOf(operation, "path"))],
  ["replace", (document, operation) => document.replace(pathOf(operation, "path"), valueIn(operation))],
  ["move", (document, operation) => document.move(pathOf(operation, "from"), pathOf(operation, "path"))],
  ["copy", (document, operation) => document.copy(pathOf(operation, "from"), pathOf(operation, "path"))],
  ["test", test],
]);

function applyOperation(document: PatchDocument, operation: Operation): void {
  const kind = String(ownValue(operation, "op") ?? "unknown");
  const apply = operations.get(kind);
  if (!apply) throw patchDoesNotApply(`Unexpected kind: ${kind}`);
  apply(document, operation);
}

function pathOf(operation: Operation, field: "path" | "from"): string {
  const path = ownValue(operation, field);
  if (typeof path === "string") return path;
  throw patchDoesNotApply(`operation missing ${field} field: missing value`);
}

/** An operation without a value means null. */
const valueIn = (operation: Operation): unknown => ownValue(operation, "value") ?? null;

/** A missing key equals null. */
function test(document: PatchDocument, operation: Operation): void {
  const path = pathOf(operation, "path");
  const actual = path === "" ? document.root : document.read(path);
  if (!deepEqual(actual ?? null, valueIn(operation))) {
    throw patchDoesNotApply(`testing value ${path} failed: test failed`);
  }
}

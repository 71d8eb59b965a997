// The `type` keyword, with what Kubernetes makes of formats beside it.
import { fieldError, goQuote } from "@kubewright/api";
import type { SchemaNode } from "../schema-node.js";
import type { JsonType } from "./json-type.js";
import type { FieldPaths, ValidationResult } from "./validation-result.js";

/** Checks the type of a value that is not null. */
export function checkType(
  node: SchemaNode,
  actual: JsonType,
  path: string,
  result: ValidationResult,
  fieldPaths: FieldPaths,
): void {
  const { types, format } = node;
  if (types.length === 0 && format === "") return;
  result.matches++;
  const fits = types.includes(actual.type) || (actual.type === "integer" && types.includes("number"));
  const textual = actual.type === "string" || actual.type === "array";
  if (!textual && format !== "" && !fits && actual.format !== format) {
    report(result, fieldPaths, path, format, actual.format);
  } else if (textual && format !== "" && !isNumeric(node)) {
    // A format beside a type other than a number lets any text and any list through; the format check follows.
    result.matches++;
  } else if (fits) {
    result.matches++;
  } else {
    report(result, fieldPaths, path, types.join(","), actual.type);
  }
}

const isNumeric = (node: SchemaNode): boolean =>
  node.types.includes("number") || node.types.includes("integer");

/** Checks a null: valid when nullable, or when the schema has no type. */
export function checkNull(
  node: SchemaNode,
  path: string,
  result: ValidationResult,
  fieldPaths: FieldPaths,
): void {
  if (node.types.length > 0 && !node.nullable) report(result, fieldPaths, path, node.types.join(","), "null");
  else result.matches++;
}

function report(
  result: ValidationResult,
  fieldPaths: FieldPaths,
  path: string,
  expected: string,
  actual: string,
): void {
  const text = `${path} in body must be of type ${expected}: ${goQuote(actual)}`;
  result.add(text, fieldError.typeInvalid(fieldPaths.field(path), actual, text));
}

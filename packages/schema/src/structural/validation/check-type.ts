// The `type` keyword, with what Kubernetes makes of formats beside it.
import { fieldError, goQuote } from "@kubewright/api";
import type { SchemaNode } from "../schema-node.js";
import type { Findings, Places } from "./findings.js";
import type { JsonType } from "./json-type.js";

/** Checks the type of a value that is not null. */
export function checkType(
  node: SchemaNode,
  actual: JsonType,
  path: string,
  findings: Findings,
  places: Places,
): void {
  const { types, format } = node;
  if (types.length === 0 && format === "") return;
  findings.matches++;
  const fits = types.includes(actual.type) || (actual.type === "integer" && types.includes("number"));
  const textual = actual.type === "string" || actual.type === "array";
  if (!textual && format !== "" && !fits && actual.format !== format) {
    report(findings, places, path, format, actual.format);
  } else if (textual && format !== "" && !isNumeric(node)) {
    // A format beside a type other than a number lets any text and any list through; the format check follows.
    findings.matches++;
  } else if (fits) {
    findings.matches++;
  } else {
    report(findings, places, path, types.join(","), actual.type);
  }
}

const isNumeric = (node: SchemaNode): boolean =>
  node.types.includes("number") || node.types.includes("integer");

/** Checks a null: fine when nullable, or when nothing is said of the type. */
export function checkNull(node: SchemaNode, path: string, findings: Findings, places: Places): void {
  if (node.types.length > 0 && !node.nullable) report(findings, places, path, node.types.join(","), "null");
  else findings.matches++;
}

function report(findings: Findings, places: Places, path: string, expected: string, actual: string): void {
  const text = `${path} in body must be of type ${expected}: ${goQuote(actual)}`;
  findings.add(text, fieldError.typeInvalid(places.field(path), actual, text));
}

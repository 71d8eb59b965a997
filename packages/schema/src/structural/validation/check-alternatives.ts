// The logical keywords. Errors inside alternatives are those of the one that got furthest, after a summary.
import { goQuote } from "@kubewright/api";
import type { SchemaNode } from "../schema-node.js";
import type { FieldPaths, ValidationResult } from "./validation-result.js";

type Validates = (alternative: SchemaNode) => ValidationResult;

/** Whether a value must satisfy other schemas beside its own. */
export const hasAlternatives = ({ anyOf, oneOf, allOf, not }: SchemaNode): boolean =>
  anyOf.length > 0 || oneOf.length > 0 || allOf.length > 0 || not !== undefined;

/** Checks that ran for a value, with alternatives or without. */
export const alternativeMatches = 2;

/** Checks anyOf, oneOf, allOf and not */
export function checkAlternatives(
  node: SchemaNode,
  path: string,
  result: ValidationResult,
  fieldPaths: FieldPaths,
  validates: Validates,
): void {
  const summary = (text: string): void => fieldPaths.general(result, `${goQuote(path)} ${text}`);
  const { anyOf, oneOf, allOf, not } = node;
  if (anyOf.length > 0) checkAnyOf(anyOf, result, summary, validates);
  if (oneOf.length > 0) checkOneOf(oneOf, result, summary, validates);
  if (allOf.length > 0) checkAllOf(allOf, result, summary, validates);
  if (not !== undefined && validates(not).valid) summary("must not validate the schema (not)");
}

type Summary = (text: string) => void;

function checkAnyOf(
  anyOf: readonly SchemaNode[],
  result: ValidationResult,
  summary: Summary,
  validates: Validates,
): void {
  let best: ValidationResult | undefined;
  for (const alternative of anyOf) {
    const found = validates(alternative);
    if (found.valid) {
      result.merge(found);
      return;
    }
    if (best === undefined || found.matches > best.matches) best = found;
  }
  summary("must validate at least one schema (anyOf)");
  if (best !== undefined) result.merge(best);
}

function checkOneOf(
  oneOf: readonly SchemaNode[],
  result: ValidationResult,
  summary: Summary,
  validates: Validates,
): void {
  const found = oneOf.map(validates);
  const valid = found.filter((alternative) => alternative.valid);
  const [first] = valid;
  if (valid.length === 1 && first !== undefined) {
    result.merge(first);
    return;
  }
  const how = valid.length === 0 ? "Found none valid" : `Found ${valid.length} valid alternatives`;
  summary(`must validate one and only one schema (oneOf). ${how}`);
  const best = found.reduce((a, b) => (b.matches > a.matches ? b : a));
  if (valid.length === 0) result.merge(best);
}

function checkAllOf(
  allOf: readonly SchemaNode[],
  result: ValidationResult,
  summary: Summary,
  validates: Validates,
): void {
  const found = allOf.map(validates);
  for (const part of found) result.merge(part);
  const valid = found.filter((part) => part.valid).length;
  if (valid === allOf.length) return;
  summary(`must validate all the schemas (allOf)${valid === 0 ? ". None validated" : ""}`);
}

// The logical keywords. Errors inside alternatives are those of the one that got furthest, after a summary.
import { goQuote } from "@kubewright/api";
import type { SchemaNode } from "../schema-node.js";
import type { Findings, Places } from "./findings.js";

type Validates = (alternative: SchemaNode) => Findings;

/** Whether a value must satisfy other schemas beside its own. */
export const hasAlternatives = ({ anyOf, oneOf, allOf, not }: SchemaNode): boolean =>
  anyOf.length > 0 || oneOf.length > 0 || allOf.length > 0 || not !== undefined;

/** Checks that ran for a value, with alternatives or without. */
export const alternativeMatches = 2;

/** Checks anyOf, oneOf, allOf and not */
export function checkAlternatives(
  node: SchemaNode,
  path: string,
  findings: Findings,
  places: Places,
  validates: Validates,
): void {
  const summary = (text: string): void => places.general(findings, `${goQuote(path)} ${text}`);
  const { anyOf, oneOf, allOf, not } = node;
  if (anyOf.length > 0) checkAnyOf(anyOf, findings, summary, validates);
  if (oneOf.length > 0) checkOneOf(oneOf, findings, summary, validates);
  if (allOf.length > 0) checkAllOf(allOf, findings, summary, validates);
  if (not !== undefined && validates(not).valid) summary("must not validate the schema (not)");
}

type Summary = (text: string) => void;

function checkAnyOf(
  anyOf: readonly SchemaNode[],
  findings: Findings,
  summary: Summary,
  validates: Validates,
): void {
  let best: Findings | undefined;
  for (const alternative of anyOf) {
    const found = validates(alternative);
    if (found.valid) {
      findings.merge(found);
      return;
    }
    if (best === undefined || found.matches > best.matches) best = found;
  }
  summary("must validate at least one schema (anyOf)");
  if (best !== undefined) findings.merge(best);
}

function checkOneOf(
  oneOf: readonly SchemaNode[],
  findings: Findings,
  summary: Summary,
  validates: Validates,
): void {
  const found = oneOf.map(validates);
  const valid = found.filter((alternative) => alternative.valid);
  const [first] = valid;
  if (valid.length === 1 && first !== undefined) {
    findings.merge(first);
    return;
  }
  const how = valid.length === 0 ? "Found none valid" : `Found ${valid.length} valid alternatives`;
  summary(`must validate one and only one schema (oneOf). ${how}`);
  const best = found.reduce((a, b) => (b.matches > a.matches ? b : a));
  if (valid.length === 0) findings.merge(best);
}

function checkAllOf(
  allOf: readonly SchemaNode[],
  findings: Findings,
  summary: Summary,
  validates: Validates,
): void {
  const found = allOf.map(validates);
  for (const part of found) findings.merge(part);
  const valid = found.filter((part) => part.valid).length;
  if (valid === allOf.length) return;
  summary(`must validate all the schemas (allOf)${valid === 0 ? ". None validated" : ""}`);
}

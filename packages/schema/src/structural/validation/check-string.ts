// Keywords for strings. Lengths count code points; of length and pattern only the first failure is reported.
import { fieldError, goQuote } from "@kubewright/api";
import { stringFormat } from "../formats/formats.js";
import type { SchemaNode } from "../schema-node.js";
import type { FieldPaths, ValidationResult } from "./validation-result.js";

/** Whether a text has more code points than a limit; most texts are decided by their length alone. */
export function isLongerThan(text: string, limit: number): boolean {
  return text.length > limit && codePoints(text) > limit;
}

/** Whether a text has fewer code points than a limit. */
export function isShorterThan(text: string, limit: number): boolean {
  return text.length < limit || (text.length < 2 * limit && codePoints(text) < limit);
}

function codePoints(text: string): number {
  let count = text.length;
  for (let i = 1; i < text.length; i++) {
    const high = text.charCodeAt(i - 1) & 0xfc00;
    if (high === 0xd800 && (text.charCodeAt(i) & 0xfc00) === 0xdc00) count--;
  }
  return count;
}

/** Checks length, pattern and format. */
export function checkString(
  node: SchemaNode,
  value: string,
  path: string,
  result: ValidationResult,
  fieldPaths: FieldPaths,
): void {
  result.matches++;
  checkLengthAndPattern(node, value, path, result, fieldPaths);
  const format = stringFormat(node.format);
  if (format === undefined) return;
  result.matches++;
  if (format(value)) return;
  const text = `${path} in body must be of type ${node.format}: ${goQuote(value)}`;
  result.add(text, fieldError.typeInvalid(fieldPaths.field(path), value, text));
}

function checkLengthAndPattern(
  node: SchemaNode,
  value: string,
  path: string,
  result: ValidationResult,
  fieldPaths: FieldPaths,
): void {
  const { minLength, maxLength, pattern } = node;
  if (maxLength !== undefined && isLongerThan(value, maxLength)) {
    const text = `${path} in body should be at most ${maxLength} chars long`;
    result.add(text, fieldError.tooLong(fieldPaths.field(path), maxLength));
  } else if (minLength !== undefined && isShorterThan(value, minLength)) {
    fieldPaths.invalid(result, path, value, `should be at least ${minLength} chars long`);
  } else if (pattern?.error !== undefined) {
    fieldPaths.invalid(
      result,
      path,
      value,
      `should match '${pattern.source}, but pattern is invalid: ${pattern.error}'`,
    );
  } else if (pattern !== undefined && !pattern.test(value)) {
    fieldPaths.invalid(result, path, value, `should match '${pattern.source}'`);
  }
}

// Code for the keywords of strings and numbers. Each function returns the conditions under which a value fails, or under which the
// complete check has to decide.
import { deepEqual } from "@kubewright/api";
import { stringFormat } from "../formats/formats.js";
import type { Bound, SchemaNode } from "../schema-node.js";
import { fitsType, isMultiple } from "../validation/check-number.js";
import { isLongerThan, isShorterThan } from "../validation/check-string.js";
import { always, number, type Source, text } from "./source.js";

/** Conditions under which a string `v` fails. */
export function stringFailures(node: SchemaNode, v: string, source: Source): string[] {
  const { minLength, maxLength, pattern } = node;
  const failures: string[] = [];
  if (maxLength !== undefined) {
    failures.push(
      `${v}.length>${number(maxLength)}&&${source.constant(isLongerThan)}(${v},${number(maxLength)})`,
    );
  }
  if (minLength !== undefined && minLength > 0) {
    failures.push(
      `${v}.length<${number(2 * minLength)}&&${source.constant(isShorterThan)}(${v},${number(minLength)})`,
    );
  }
  if (pattern !== undefined) {
    failures.push(pattern.error === undefined ? `!${source.constant(pattern)}.test(${v})` : always);
  }
  const format = stringFormat(node.format);
  if (format !== undefined) failures.push(`!${source.constant(format)}(${v})`);
  return failures;
}

/** Conditions under which a number `v` fails. */
export function numberFailures(node: SchemaNode, v: string, source: Source): string[] {
  const type = node.types.length === 1 ? node.types[0] : "";
  const fits = (value: number): boolean => fitsType(value, type, node.format);
  const failures: string[] = [];
  if (node.format === "int32") failures.push(`${v}<-2147483648||${v}>2147483647`);
  else if (node.format === "float") failures.push(`!${source.constant(isFloat32)}(${v})`);
  if (node.minimum !== undefined) failures.push(boundFailure(node.minimum, v, fits, "<"));
  if (node.maximum !== undefined) failures.push(boundFailure(node.maximum, v, fits, ">"));
  const { multipleOf } = node;
  if (multipleOf !== undefined) failures.push(multipleFailure(multipleOf, v, fits, source));
  return failures;
}

const isFloat32 = (value: number): boolean => fitsType(value, "number", "float");

function boundFailure(bound: Bound, v: string, fits: (value: number) => boolean, below: "<" | ">"): string {
  if (!fits(bound.value)) return always;
  const comparison = `${v}${below}${bound.exclusive ? "=" : ""}${number(bound.value)}`;
  // Integers are compared with the whole part of a bound.
  return Number.isInteger(bound.value) ? comparison : `Number.isInteger(${v})||${comparison}`;
}

function multipleFailure(
  factor: number,
  v: string,
  fits: (value: number) => boolean,
  source: Source,
): string {
  if (!fits(factor) || !Number.isInteger(factor) || factor <= 0) return always;
  return `!${source.constant(isMultiple)}(${v},${number(factor)})`;
}

/** The condition under which `v` is none of the allowed values. */
export function enumFailure(allowed: readonly unknown[], v: string, source: Source): string {
  if (allowed.some((value) => typeof value === "object" && value !== null)) {
    const isAllowed = (value: unknown): boolean => allowed.some((one) => deepEqual(one, value));
    return `!${source.constant(isAllowed)}(${v})`;
  }
  if (allowed.length > 12) return `!${source.constant(new Set<unknown>(allowed))}.has(${v})`;
  return `!(${allowed.map((value) => `${v}===${scalar(value)}`).join("||")})`;
}

function scalar(value: unknown): string {
  if (typeof value === "string") return text(value);
  if (typeof value === "bigint") return `${value}n`;
  return typeof value === "number" ? number(value) : String(value);
}

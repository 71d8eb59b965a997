// Keywords for numbers. Go compares integers as integers, so a bound with a fraction loses it there; and a bound that does
// not fit the type is an error for every value.
import { fieldError, goFloat } from "@kubewright/api";
import type { Bound, SchemaNode } from "../schema-node.js";
import { isInt64 } from "./json-type.js";
import type { FieldPaths, ValidationResult } from "./validation-result.js";

const maxFloat32 = 3.4028234663852886e38;

/** Checks range, bounds and multipleOf. */
export function checkNumber(
  node: SchemaNode,
  value: number | bigint,
  path: string,
  result: ValidationResult,
  fieldPaths: FieldPaths,
): void {
  result.matches += 2;
  const limit = (declared: number, what: string): Limit =>
    limitFor(declared, value, checkRange(node, declared, what, path, result, fieldPaths));
  checkRange(node, value, "Checked", path, result, fieldPaths);
  const { multipleOf, minimum, maximum } = node;
  if (multipleOf !== undefined) {
    checkMultiple(value, limit(multipleOf, "MultipleOf"), path, result, fieldPaths);
  }
  if (minimum !== undefined) {
    const { value: min, text } = limit(minimum.value, "Minimum boundary");
    const says = `should be greater than ${minimum.exclusive ? "" : "or equal to "}${text}`;
    if (isBelow(value, { ...minimum, value: min })) fieldPaths.invalid(result, path, value, says);
  }
  if (maximum !== undefined) {
    const { value: max, text } = limit(maximum.value, "Maximum boundary");
    const says = `should be less than ${maximum.exclusive ? "" : "or equal to "}${text}`;
    if (isAbove(value, { ...maximum, value: max })) fieldPaths.invalid(result, path, value, says);
  }
}

/** A constraint as Go compares and prints it beside a value: an integer beside integers, a float beside floats. */
interface Limit {
  readonly value: number;
  readonly text: string;
}

function limitFor(declared: number, value: number | bigint, inRange: boolean): Limit {
  const whole = Math.trunc(declared);
  if (inRange && isInt64(value) && isInt64(whole)) return { value: whole, text: String(BigInt(whole)) };
  return { value: declared, text: goFloat(declared) };
}

/** Whether a value is below its minimum. */
export const isBelow = (value: number | bigint, { value: min, exclusive }: Bound): boolean =>
  exclusive ? value <= min : value < min;

/** Whether a value is above its maximum. */
const isAbove = (value: number | bigint, { value: max, exclusive }: Bound): boolean =>
  exclusive ? value >= max : value > max;

/** Whether a number fits the type and format, or else an error about `what` it is. */
function checkRange(
  { types, format }: SchemaNode,
  value: number | bigint,
  what: string,
  path: string,
  result: ValidationResult,
  fieldPaths: FieldPaths,
): boolean {
  const type = types.length === 1 ? types[0] : "";
  if (fitsType(value, type, format)) return true;
  const suffix = format === "" ? "(default format)" : `with format ${format}`;
  fieldPaths.general(result, `${what} value must be of type ${type} ${suffix} in ${path}`);
  return false;
}

/** Whether a number can be held by the type without loss. */
export function fitsType(value: number | bigint, type: string | undefined, format: string): boolean {
  if (type === "integer") {
    return isInt64(value) && (format !== "int32" || (value >= -(2 ** 31) && value < 2 ** 31));
  }
  return format !== "float" || Math.abs(Number(value)) <= maxFloat32;
}

function checkMultiple(
  value: number | bigint,
  factor: Limit,
  path: string,
  result: ValidationResult,
  fieldPaths: FieldPaths,
): void {
  if (factor.value <= 0) {
    const text = `factor MultipleOf declared for ${path} must be positive: ${factor.text}`;
    result.add(text, fieldError.invalid(fieldPaths.field(path), factor.value, text));
  } else if (!isMultiple(value, factor.value)) {
    fieldPaths.invalid(result, path, value, `should be a multiple of ${factor.text}`);
  }
}

/** Whether a number is a multiple of a factor, with Go's tolerance for fractions. */
export function isMultiple(value: number | bigint, factor: number): boolean {
  if (typeof value === "bigint" && isInt64(factor)) return factor !== 0 && value % BigInt(factor) === 0n;
  const rounded = Number(value);
  if (isInt64(rounded) && isInt64(factor)) return factor !== 0 && rounded % factor === 0;
  const quotient = factor < 1 ? (1 / factor) * rounded : rounded / factor;
  if (!Number.isFinite(quotient) || Math.abs(quotient) > Number.MAX_SAFE_INTEGER) return false;
  const whole = Math.trunc(quotient);
  if (quotient === whole) return true;
  return whole !== 0 && Math.abs(quotient - whole) / (Math.abs(quotient) + Math.abs(whole)) < 1e-9;
}

// `'%d of %s'.format([1, 'x'])`, with the clauses and the look Kubernetes' version of the string library has.
import { goFloat, goQuote } from "@kubewright/api";
import { isBytes, isDouble, isDuration, isInt, isTimestamp, isUint } from "../guards.js";
import { compareStrings } from "../values/equality.js";
import { CelFailure } from "../values/failure.js";
import { type AnyList, isList, listGet, listSize, listValues } from "../values/list.js";
import { mapGet, mapKeys } from "../values/map.js";
import type { Meter } from "../values/meter.js";
import { TypeValue } from "../values/opaque.js";
import { formatDuration, formatTimestamp } from "../values/temporal.js";
import { isMap, typeNameOf } from "../values/value.js";

const defaultPrecision = 6;
const maxPrecision = 100;
const clause = /%(?:%|(?:\.(\d+))?([\s\S]?))/g;

/** The text with its clauses replaced by the arguments in turn. */
export function formatString(format: string, args: AnyList, meter: Meter): string {
  meter.walk(format);
  let next = 0;
  return format.replace(clause, (whole: string, precision: string | undefined, kind: string | undefined) => {
    if (whole === "%%") return "%";
    if (kind === undefined || kind === "") throw new CelFailure("unexpected end of string");
    if (next >= listSize(args)) throw new CelFailure(`index ${next} out of range`);
    const text = formatClause(
      kind,
      precision === undefined ? defaultPrecision : Number(precision),
      listGet(args, next),
      meter,
    );
    next += 1;
    meter.walk(text);
    return text;
  });
}

function formatClause(kind: string, precision: number, value: unknown, meter: Meter): string {
  switch (kind) {
    case "s":
      return showText(value, meter);
    case "d":
      return integer(value, 10) ?? refuse("decimal clause can only be used on integers", value);
    case "f":
      return fixedPoint(value, precision);
    case "e":
      return scientific(value, precision);
    case "b":
      if (typeof value === "boolean") return value ? "1" : "0";
      return integer(value, 2) ?? refuse("only integers and bools can be formatted as binary", value);
    case "x":
      return hexadecimal(value);
    case "X":
      return hexadecimal(value).toUpperCase();
    case "o":
      return integer(value, 8) ?? refuse("octal clause can only be used on integers", value);
    default:
      throw new CelFailure(`could not parse formatting clause: unrecognized formatting clause "${kind}"`);
  }
}

function refuse(what: string, value: unknown): never {
  throw new CelFailure(`error during formatting: ${what}, was given ${typeNameOf(value)}`);
}

function integer(value: unknown, radix: number): string | undefined {
  if (isInt(value)) return value.toString(radix);
  return isUint(value) ? value.value.toString(radix) : undefined;
}

function hexadecimal(value: unknown): string {
  const number = integer(value, 16);
  if (number !== undefined) return number;
  const bytes = typeof value === "string" ? new TextEncoder().encode(value) : value;
  if (!isBytes(bytes))
    return refuse("only integers, byte buffers, and strings can be formatted as hex", value);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function checkedDouble(value: unknown, what: string, precision: number): number {
  if (precision > maxPrecision) throw new CelFailure("precision is too large");
  if (isDouble(value)) return value.value;
  if (value === "NaN") return Number.NaN;
  if (value === "Infinity") return Number.POSITIVE_INFINITY;
  if (value === "-Infinity") return Number.NEGATIVE_INFINITY;
  return refuse(`${what} clause can only be used on doubles`, value);
}

const special = (value: number): string => (Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "-∞");

/** With thousands separated, as numbers are printed in English. */
function fixedPoint(value: unknown, precision: number): string {
  const number = checkedDouble(value, "fixed-point", precision);
  if (!Number.isFinite(number)) return special(number);
  const [whole = "", fraction] = number.toFixed(precision).split(".");
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function scientific(value: unknown, precision: number): string {
  const number = checkedDouble(value, "scientific", precision);
  if (!Number.isFinite(number)) return special(number);
  const [digits = "", power = "0"] = number.toExponential(precision).split("e");
  const exponent = Number(power);
  const raised = String(Math.abs(exponent))
    .padStart(2, "0")
    .replace(/\d/g, (digit) => superscripts[Number(digit)] ?? "");
  return `${digits}\u00a0×\u00a010${exponent < 0 ? "⁻" : ""}${raised}`;
}

/** A value as `%s` shows it. */
function showText(value: unknown, meter: Meter): string {
  if (typeof value === "string") return value;
  if (value === null) return "null";
  if (isDouble(value)) return goFloat(value.value);
  if (isTimestamp(value)) return formatTimestamp(value);
  if (isDuration(value)) return formatDuration(value);
  if (isBytes(value)) return new TextDecoder().decode(value);
  if (value instanceof TypeValue) return value.name;
  if (typeof value === "boolean") return String(value);
  return integer(value, 10) ?? showCollection(value, meter);
}

function showCollection(value: unknown, meter: Meter): string {
  if (isList(value))
    return `[${listValues(value, meter)
      .map((item) => showLiteral(item, meter))
      .join(", ")}]`;
  if (!isMap(value)) {
    return refuse(
      "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
      value,
    );
  }
  const keys = mapKeys(value);
  meter.work(keys.length);
  const entries = keys.map(
    (key) => [showLiteral(key, meter), showLiteral(mapGet(value, key), meter)] as const,
  );
  entries.sort(([a], [b]) => compareStrings(a, b));
  return `{${entries.map(([key, shown]) => `${key}:${shown}`).join(", ")}}`;
}

/** A value inside a list or map, written so that it could stand in an expression. */
function showLiteral(value: unknown, meter: Meter): string {
  if (typeof value === "string") return goQuote(value);
  if (isBytes(value)) return `b${goQuote(new TextDecoder().decode(value))}`;
  if (isDouble(value))
    return Number.isFinite(value.value) ? value.value.toFixed(defaultPrecision) : `"${special(value.value)}"`;
  if (isTimestamp(value)) return `timestamp("${formatTimestamp(value)}")`;
  if (isDuration(value)) return `duration("${formatDuration(value)}")`;
  return showText(value, meter);
}

// Scalars, and the types that look like scalars in JSON but decode themselves in Go.
import {
  canonicalQuantity,
  canonicalTime,
  formatMicroTime,
  parseMicroTime,
  type ScalarInfo,
} from "@kubewright/api";
import { isIntegerLiteral } from "../json/number-literals.js";
import type { MutableJson } from "../mutable-json.js";
import { goKind } from "./go-type.js";
import type { NormalizeContext } from "./normalize-context.js";
import type { Normalizer } from "./normalizer.js";

/** The normalizer of a scalar. */
export function scalarNormalizer(typeInfo: ScalarInfo): Normalizer {
  switch (typeInfo.type) {
    case "boolean":
      return plainNormalizer(typeInfo, "boolean", false);
    case "number":
      return numberNormalizer(typeInfo);
    case "integer":
      return integerNormalizer(typeInfo);
    case "int-or-string":
      return intOrStringNormalizer;
    case "string":
      return stringNormalizer(typeInfo);
  }
}

function stringNormalizer(typeInfo: ScalarInfo): Normalizer {
  switch (typeInfo.format) {
    case "date-time":
      return timeNormalizer(canonicalTime);
    case "micro-time":
      return timeNormalizer((text) => formatMicroTime(parseMicroTime(text)));
    case "quantity":
      return quantityNormalizer;
    case "byte":
      return bytesNormalizer(typeInfo);
    default:
      return plainNormalizer(typeInfo, "string", "");
  }
}

function plainNormalizer(
  typeInfo: ScalarInfo,
  type: "boolean" | "number" | "string",
  zero: MutableJson,
): Normalizer {
  return {
    normalize(value, context) {
      if (typeof value === type) return value;
      context.mismatch(value, typeInfo);
      return zero;
    },
    zero: () => zero,
    isOmitted: (value) => value === zero,
  };
}

/** A float: integers of 64 bits lose what a double cannot hold, as they do in Go. */
function numberNormalizer(typeInfo: ScalarInfo): Normalizer {
  const plain = plainNormalizer(typeInfo, "number", 0);
  return {
    ...plain,
    normalize: (value, context, holder) =>
      typeof value === "bigint" ? Number(value) : plain.normalize(value, context, holder),
  };
}

function integerNormalizer(typeInfo: ScalarInfo): Normalizer {
  const limit = typeInfo.format === "int32" ? 2 ** 31 : 2 ** 63;
  return {
    normalize(value, context, holder) {
      if (typeof value !== "number" && typeof value !== "bigint") context.mismatch(value, typeInfo);
      else {
        const literal = context.literals === undefined ? undefined : context.literalOf(holder);
        if (isInteger(value, literal) && value < limit && value >= -limit) return value;
        // Go's conversion keeps the lower bits of what is too large.
        if (context.isMerged && isInteger(value, undefined)) return lowerBits(value, typeInfo);
        context.mismatch(value, typeInfo, `number ${literal ?? value}`);
      }
      return 0;
    },
    zero: () => 0,
    isOmitted: (value) => value === 0,
  };
}

function lowerBits(value: number | bigint, { format }: ScalarInfo): number | bigint {
  const bits = BigInt.asIntN(format === "int32" ? 32 : 64, BigInt(value));
  return Number.isSafeInteger(Number(bits)) ? Number(bits) : bits;
}

/** `1.0` is no integer in the eyes of Go, whatever its value. */
function isInteger(value: number | bigint, literal: string | undefined): boolean {
  if (typeof value === "bigint") return true;
  return literal === undefined ? Number.isInteger(value) : isIntegerLiteral(literal);
}

const intOrStringNormalizer: Normalizer = {
  normalize(value, context, holder) {
    if (typeof value === "string") return value;
    const literal = context.literals === undefined ? undefined : context.literalOf(holder);
    if (typeof value !== "number" && typeof value !== "bigint") {
      context.failType(goKind(value), "int32");
    } else if (!isInteger(value, literal) || value >= 2 ** 31 || value < -(2 ** 31)) {
      context.failType(`number ${literal ?? value}`, "int32");
    } else return value;
    return 0;
  },
  zero: () => 0,
  isOmitted: () => false,
};

const quantityNormalizer: Normalizer = {
  normalize(value, context, holder) {
    const isNumber = typeof value === "number" || typeof value === "bigint";
    const text = isNumber ? (context.literalOf(holder) ?? String(value)) : value;
    // A value that is neither number nor string fails like text that is no quantity.
    const trimmed = typeof text === "string" ? text.trim() : "?";
    return attempt(() => canonicalQuantity(trimmed), context) ?? "0";
  },
  zero: () => "0",
  isOmitted: () => false,
};

/** Go takes the first moment of the year 1 for no time at all. */
const zeroTime = "0001-01-01T00:00:00";

function timeNormalizer(canonical: (text: string) => string): Normalizer {
  return {
    normalize(value, context) {
      if (typeof value !== "string") {
        context.failType(goKind(value), "string");
        return null;
      }
      const text = attempt(() => canonical(value), context);
      return text === undefined || text.startsWith(zeroTime) ? null : text;
    },
    zero: () => null,
    isOmitted: () => false,
  };
}

/** Types that decode themselves say in their own words what is wrong. */
function attempt<T>(decode: () => T, context: NormalizeContext): T | undefined {
  try {
    return decode();
  } catch (error) {
    context.fail(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

function bytesNormalizer(typeInfo: ScalarInfo): Normalizer {
  return {
    normalize(value, context) {
      if (typeof value === "string") return normalizeBase64(value, context);
      if (Array.isArray(value) && value.every(isByte)) return Buffer.from(value).toString("base64");
      context.mismatch(value, typeInfo);
      return "";
    },
    zero: () => null,
    zeroInMap: () => "",
    isOmitted: (value) => value === "" || value === null,
  };
}

/** A list of numbers is a byte string to Go, too. */
const isByte = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 255;

function normalizeBase64(text: string, context: NormalizeContext): string {
  // Go skips line breaks inside.
  const bare = /[\r\n]/.test(text) ? text.replace(/[\r\n]/g, "") : text;
  const canonical = Buffer.from(bare, "base64").toString("base64");
  if (canonical === bare) return canonical;
  const wrong = firstWrongByte(bare);
  if (wrong === undefined) return canonical;
  const problem = `illegal base64 data at input byte ${wrong}`;
  context.complain(context.isMerged ? `error decoding from json: ${problem}` : problem);
  return "";
}

/** Where Go's decoder would stop; undefined when only unused bits differ from the canonical form. */
function firstWrongByte(text: string): number | undefined {
  const body = /^[A-Za-z0-9+/]*/.exec(text)?.[0].length ?? 0;
  const rest = text.slice(body);
  const padding = (4 - (body % 4)) % 4;
  if (padding === 3) return rest === "" ? body - 1 : body;
  if (rest === "=".repeat(padding)) return undefined;
  if (rest.startsWith("=")) return padding === 0 ? body : body + Math.min(padding, rest.length);
  return rest === "" ? body - (body % 4) : body;
}

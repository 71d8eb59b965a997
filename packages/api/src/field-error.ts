// Builds field errors with the wording Kubernetes gives them, so that every validator says the same.
import type { FieldError, FieldErrorReason } from "./errors.js";
import { goFloat, goJson, goQuote, isInt64 } from "./go-text.js";

function make(field: string, reason: FieldErrorReason, ...texts: string[]): FieldError {
  return { field, reason, message: texts.filter((text) => text !== "").join(": ") };
}

/** Many errors may show one long list: it is put into words when, and if, an error is read. */
function showing(
  field: string,
  reason: FieldErrorReason,
  what: string,
  value: unknown,
  detail: string,
): FieldError {
  if (typeof value !== "object" || value === null) return make(field, reason, what, show(value), detail);
  let text: string | undefined;
  return {
    field,
    reason,
    get message() {
      text ??= make(field, reason, what, show(value), detail).message;
      return text;
    },
  };
}

/** A value as messages show it: strings quoted, fractions as Go prints them, everything else as JSON. */
function show(value: unknown): string {
  if (typeof value === "string") return goQuote(value);
  if (typeof value !== "number" || isInt64(value)) return goJson(value);
  return goFloat(value);
}

/**
 * Makers of field errors.
 *
 * @example
 * fieldError.invalid("spec.replicas", -1, "must be greater than or equal to 0");
 */
export const fieldError = {
  /** The value is malformed or out of bounds. */
  invalid: (field: string, value: unknown, detail: string): FieldError =>
    showing(field, "FieldValueInvalid", "Invalid value", value, detail),

  /** The value is of the wrong type. */
  typeInvalid: (field: string, value: unknown, detail: string): FieldError =>
    showing(field, "FieldValueTypeInvalid", "Invalid value", value, detail),

  /** There must be a value. */
  required: (field: string, detail = ""): FieldError =>
    make(field, "FieldValueRequired", "Required value", detail),

  /** There may be no value, or not this one now. */
  forbidden: (field: string, detail: string): FieldError =>
    make(field, "FieldValueForbidden", "Forbidden", detail),

  /** The value is none of those that are allowed. */
  notSupported: (field: string, value: unknown, supported: readonly string[]): FieldError => {
    const list = supported.length === 0 ? "" : `supported values: ${supported.map(goQuote).join(", ")}`;
    return make(field, "FieldValueNotSupported", "Unsupported value", show(value), list);
  },

  /** The value occurs twice where it must be unique. */
  duplicate: (field: string, value: unknown): FieldError =>
    make(field, "FieldValueDuplicate", "Duplicate value", show(value)),

  /** The object that the value refers to does not exist. */
  notFound: (field: string, value: unknown): FieldError =>
    make(field, "FieldValueNotFound", "Not found", show(value)),

  /** The text is longer than `limit` bytes. */
  tooLong: (field: string, limit: number): FieldError => {
    const detail = limit < 0 ? "value is too long" : `may not be more than ${counted(limit, "byte")}`;
    return make(field, "FieldValueTooLong", "Too long", detail);
  },

  /** There are more than `limit` items. */
  tooMany: (field: string, count: number, limit: number): FieldError =>
    make(
      field,
      "FieldValueTooMany",
      "Too many",
      String(count),
      limit < 0 ? "has too many items" : `must have at most ${counted(limit, "item")}`,
    ),

  /** Something went wrong that is not the value's fault. */
  internal: (field: string, detail: string): FieldError =>
    make(field, "InternalError", "Internal error", detail),
};

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

/** One line for a list of errors, as Kubernetes joins them: each once, in brackets when there are several. */
export function joinFieldErrors(errors: readonly FieldError[]): string {
  const lines = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  return lines.length === 1 ? String(lines[0]) : `[${lines.join(", ")}]`;
}

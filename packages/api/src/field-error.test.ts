import { describe, expect, it } from "vitest";
import type { FieldError } from "./errors.js";
import { fieldError, joinFieldErrors } from "./field-error.js";

describe("fieldError", () => {
  it.each<[FieldError, string, string]>([
    [fieldError.invalid("f", -1, "too small"), "FieldValueInvalid", "Invalid value: -1: too small"],
    [fieldError.invalid("f", 1000000, "no"), "FieldValueInvalid", "Invalid value: 1000000: no"],
    [fieldError.invalid("f", 1000000.5, "no"), "FieldValueInvalid", "Invalid value: 1.0000005e+06: no"],
    [fieldError.invalid("f", 'a"b', "no"), "FieldValueInvalid", 'Invalid value: "a\\"b": no'],
    [fieldError.invalid("f", { a: [true] }, "no"), "FieldValueInvalid", 'Invalid value: {"a":[true]}: no'],
    [fieldError.typeInvalid("f", null, "no"), "FieldValueTypeInvalid", "Invalid value: null: no"],
    [fieldError.required("f"), "FieldValueRequired", "Required value"],
    [fieldError.required("f", "name it"), "FieldValueRequired", "Required value: name it"],
    [fieldError.forbidden("f", "not here"), "FieldValueForbidden", "Forbidden: not here"],
    [
      fieldError.notSupported("f", "x", ["red", "green"]),
      "FieldValueNotSupported",
      'Unsupported value: "x": supported values: "red", "green"',
    ],
    [fieldError.notSupported("f", ["x"], []), "FieldValueNotSupported", 'Unsupported value: ["x"]'],
    [fieldError.duplicate("f", { k: "a" }), "FieldValueDuplicate", 'Duplicate value: {"k":"a"}'],
    [fieldError.notFound("f", "v"), "FieldValueNotFound", 'Not found: "v"'],
    [fieldError.tooLong("f", 5), "FieldValueTooLong", "Too long: may not be more than 5 bytes"],
    [fieldError.tooMany("f", 4, 3), "FieldValueTooMany", "Too many: 4: must have at most 3 items"],
    [fieldError.internal("f", "oops"), "InternalError", "Internal error: oops"],
  ])("%j", (error, reason, message) => {
    expect(error).toEqual({ field: "f", reason, message });
  });
});

describe("joinFieldErrors", () => {
  const required = fieldError.required("spec.a");
  const forbidden = fieldError.forbidden("spec.b", "no");
  it.each([
    [[required], "spec.a: Required value"],
    [[required, required], "spec.a: Required value"],
    [[required, forbidden], "[spec.a: Required value, spec.b: Forbidden: no]"],
  ])("%j", (errors, expected) => {
    expect(joinFieldErrors(errors)).toBe(expected);
  });
});

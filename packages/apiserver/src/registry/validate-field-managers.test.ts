import { describe, expect, it } from "vitest";
import { validateFieldManager, validateManagedFields } from "./validate-field-managers.js";

describe("field manager validation", () => {
  it.each([
    ["kubectl", []],
    ["a name with spaces", []],
    ["Grüße", []],
    [
      "a\u0007\u00a0b",
      ["invalid character U+0007 (at position 1)", "invalid character U+00A0 (at position 2)"],
    ],
    ["é\n", ["invalid character U+000A (at position 2)"]],
    ["x".repeat(129), ["Too long: may not be more than 128 bytes"]],
    ["é".repeat(65), ["Too long: may not be more than 128 bytes"]],
  ])("%j", (manager, texts) => {
    const errors = validateFieldManager(manager, "fieldManager");
    expect(errors.map(({ message }) => message.replace(/^Invalid value: ".*": /, ""))).toEqual(texts);
  });
});

describe("managedFields validation", () => {
  it.each([
    [{ manager: "a", operation: "Update", fieldsType: "FieldsV1" }, []],
    [{ manager: "a", operation: "Steal" }, ["metadata.managedFields[0].operation"]],
    [{ manager: "a", operation: "Apply", fieldsType: "FieldsV2" }, ["metadata.managedFields[0].fieldsType"]],
    [{ manager: "\u0001", operation: "Apply" }, ["metadata.managedFields[0].manager"]],
    [{ operation: "Apply", subresource: "x".repeat(257) }, ["metadata.managedFields[0].subresource"]],
  ])("%j", (entry, fields) => {
    expect(validateManagedFields([entry]).map(({ field }) => field)).toEqual(fields);
  });
});

import { describe, expect, it } from "vitest";
import { validateAnnotations, validateLabels, validateLabelValue, validateQualifiedName } from "./labels.js";

const shape =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start " +
  "and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const valueText =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start " +
  "and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation " +
  "is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

describe("validateQualifiedName", () => {
  it.each([
    "simple",
    "now-with-dashes",
    "1-starts-with-num",
    "1234",
    "simple/simple",
    "now-with-dashes/simple",
    "1.2.3.4/5678",
    "Uppercase_Is_OK_123",
    "example.com/Uppercase_Is_OK_123",
    "requests.storage-foo",
    "a".repeat(63),
    `${"a".repeat(253)}/${"b".repeat(63)}`,
  ])("takes %j", (name) => {
    expect(validateQualifiedName(name)).toEqual([]);
  });

  it.each([
    ["", ["name part must be non-empty", `name part ${shape}`]],
    ["cantendwithadash-", [`name part ${shape}`]],
    ["nospecialchars%^=@", [`name part ${shape}`]],
    ["a/", ["name part must be non-empty", `name part ${shape}`]],
    ["/a", ["prefix part must be non-empty"]],
    ["CAPS.com/a", [`prefix part ${subdomainText}`]],
    ["a".repeat(64), ["name part must be no more than 63 bytes"]],
    [`${"a".repeat(254)}/abc`, ["prefix part must be no more than 253 bytes"]],
    [
      "a//b",
      [
        `a valid label key ${shape} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
      ],
    ],
  ])("refuses %j", (name, texts) => {
    expect(validateQualifiedName(name)).toEqual(texts);
  });
});

describe("validateLabelValue", () => {
  it.each(["", "simple", "with.dots", "end-with-num-1", "1234", "a".repeat(63)])("takes %j", (value) => {
    expect(validateLabelValue(value)).toEqual([]);
  });

  it.each([
    ["a".repeat(64), ["must be no more than 63 bytes"]],
    ["-bad-", [valueText]],
    ["a b", [valueText]],
    ["é".repeat(32), ["must be no more than 63 bytes", valueText]],
  ])("refuses %j", (value, texts) => {
    expect(validateLabelValue(value)).toEqual(texts);
  });
});

describe("labels of an object", () => {
  it("are checked key and value", () => {
    expect(validateLabels({ app: "web", "b@d": "fine", tier: "-bad-" }, "metadata.labels")).toEqual([
      {
        field: "metadata.labels",
        reason: "FieldValueInvalid",
        message: `Invalid value: "b@d": name part ${shape}`,
      },
      {
        field: "metadata.labels",
        reason: "FieldValueInvalid",
        message: `Invalid value: "-bad-": ${valueText}`,
      },
    ]);
    expect(validateLabels(undefined, "metadata.labels")).toEqual([]);
  });
});

describe("annotations of an object", () => {
  it("may have upper case keys and any value", () => {
    expect(validateAnnotations({ "Example.COM/Key": "{\n}" }, "metadata.annotations")).toEqual([]);
    expect(validateAnnotations(undefined, "metadata.annotations")).toEqual([]);
  });

  it("show the key as it was written", () => {
    expect(validateAnnotations({ "Bad Key": "" }, "metadata.annotations")).toEqual([
      {
        field: "metadata.annotations",
        reason: "FieldValueInvalid",
        message: `Invalid value: "Bad Key": name part ${shape}`,
      },
    ]);
  });

  it("are limited to 256 KiB in all", () => {
    const limit = 256 * 1024;
    expect(validateAnnotations({ a: "x".repeat(limit - 1) }, "f")).toEqual([]);
    expect(validateAnnotations({ a: "x".repeat(limit - 2), b: "" }, "f")).toEqual([]);
    expect(validateAnnotations({ a: "x".repeat(limit) }, "f")).toEqual([
      { field: "f", reason: "FieldValueTooLong", message: "Too long: may not be more than 262144 bytes" },
    ]);
  });
});

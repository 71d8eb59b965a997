import type { FieldError, JSONSchemaProps } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { compileSchema } from "./compiled-schema.js";

const spec = (schema: JSONSchemaProps): JSONSchemaProps => ({ type: "object", properties: { spec: schema } });
const inSpec = (a: JSONSchemaProps, value: unknown): FieldError[] =>
  compileSchema(spec({ type: "object", properties: { a } })).validate({ spec: { a: value } });
const text = ({ field, message }: FieldError): string => `${field}: ${message}`;

describe("schema validation reports the errors of kube-apiserver", () => {
  const string: JSONSchemaProps = { type: "string" };
  const integer: JSONSchemaProps = { type: "integer" };
  const intOrString: JSONSchemaProps = { "x-kubernetes-int-or-string": true };
  const cases: readonly [what: string, a: JSONSchemaProps, value: unknown, errors: readonly string[]][] = [
    [
      "type",
      integer,
      "x",
      ['spec.a: Invalid value: "string": spec.a in body must be of type integer: "string"'],
    ],
    [
      "type of a list",
      string,
      [],
      ['spec.a: Invalid value: "array": spec.a in body must be of type string: "array"'],
    ],
    ["integers are numbers", { type: "number" }, 5, []],
    [
      "fractions are not integers",
      integer,
      1.5,
      [
        'spec.a: Invalid value: "number": spec.a in body must be of type integer: "number"',
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.a',
      ],
    ],
    ["null", string, null, ['spec.a: Invalid value: "null": spec.a in body must be of type string: "null"']],
    ["nullable", { type: "string", nullable: true }, null, []],
    [
      "NaN",
      { type: "number" },
      Number.NaN,
      ['spec.a: Invalid value: "null": spec.a in body must be of type number: "null"'],
    ],
    [
      "minimum",
      { ...integer, minimum: 1 },
      0,
      ["spec.a: Invalid value: 0: spec.a in body should be greater than or equal to 1"],
    ],
    [
      "maximum",
      { ...integer, maximum: 1 },
      2,
      ["spec.a: Invalid value: 2: spec.a in body should be less than or equal to 1"],
    ],
    [
      "exclusive minimum",
      { type: "number", minimum: 0, exclusiveMinimum: true },
      0,
      ["spec.a: Invalid value: 0: spec.a in body should be greater than 0"],
    ],
    [
      "exclusive maximum of a fraction",
      { type: "number", maximum: 1_000_000, exclusiveMaximum: true },
      1_000_000.5,
      ["spec.a: Invalid value: 1.0000005e+06: spec.a in body should be less than 1e+06"],
    ],
    [
      "multipleOf",
      { ...integer, multipleOf: 5 },
      7,
      ["spec.a: Invalid value: 7: spec.a in body should be a multiple of 5"],
    ],
    ["multipleOf a fraction", { type: "number", multipleOf: 0.1 }, 0.3, []],
    [
      "int32",
      { ...integer, format: "int32" },
      3_000_000_000,
      ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.a'],
    ],
    [
      "a bound beyond the format is wrong for every value",
      { ...integer, format: "int32", maximum: 4_294_967_295 },
      1,
      [
        '<nil>: Invalid value: "": Maximum boundary value must be of type integer with format int32 in spec.a',
      ],
    ],
    ["integers are compared with the whole part of a bound", { type: "number", minimum: 0.5 }, 0, []],
    [
      "minLength",
      { ...string, minLength: 2 },
      "a",
      ['spec.a: Invalid value: "a": spec.a in body should be at least 2 chars long'],
    ],
    ["lengths count code points", { ...string, minLength: 2, maxLength: 2 }, "😀😀", []],
    ["maxLength", { ...string, maxLength: 2 }, "abc", ["spec.a: Too long: may not be more than 2 bytes"]],
    [
      "pattern",
      { ...string, pattern: "^[a-z]+$" },
      "A",
      [`spec.a: Invalid value: "A": spec.a in body should match '^[a-z]+$'`],
    ],
    ["a pattern may match anywhere", { ...string, pattern: "b" }, "abc", []],
    [
      "$ is the end of the text, not of a line",
      { ...string, pattern: "^a$" },
      "a\n",
      [`spec.a: Invalid value: "a\\n": spec.a in body should match '^a$'`],
    ],
    [
      "enum",
      { ...string, enum: ["a", "b"] },
      "c",
      ['spec.a: Unsupported value: "c": supported values: "a", "b"'],
    ],
    [
      "enum of numbers",
      { ...integer, enum: [1, 3] },
      2,
      ['spec.a: Unsupported value: 2: supported values: "1", "3"'],
    ],
    [
      "format",
      { ...string, format: "date" },
      "2020-13-01",
      ['spec.a: Invalid value: "2020-13-01": spec.a in body must be of type date: "2020-13-01"'],
    ],
    [
      "a format is named for values of another type",
      { ...string, format: "date" },
      5,
      ['spec.a: Invalid value: "int64": spec.a in body must be of type date: "int64"'],
    ],
    ["an unknown format is ignored", { ...string, format: "fancy" }, "x", []],
    [
      "minItems",
      { type: "array", items: string, minItems: 1 },
      [],
      ["spec.a: Invalid value: 0: spec.a in body should have at least 1 items"],
    ],
    [
      "maxItems",
      { type: "array", items: string, maxItems: 1 },
      ["a", "b"],
      ["spec.a: Too many: 2: must have at most 1 item"],
    ],
    [
      "items",
      { type: "array", items: integer },
      [1, "x"],
      ['spec.a[1]: Invalid value: "string": spec.a[1] in body must be of type integer: "string"'],
    ],
    [
      "properties",
      { type: "object", properties: { b: integer }, required: ["b", "c"] },
      { b: "x" },
      [
        'spec.a.b: Invalid value: "string": spec.a.b in body must be of type integer: "string"',
        "spec.a.c: Required value",
      ],
    ],
    [
      "additionalProperties",
      { type: "object", additionalProperties: integer },
      { x: "y" },
      ['spec.a.x: Invalid value: "string": spec.a.x in body must be of type integer: "string"'],
    ],
    [
      "additionalProperties: false",
      { type: "object", additionalProperties: false },
      { x: 1 },
      ['spec.a: Invalid value: "x": spec.a.x in body is a forbidden property'],
    ],
    [
      "maxProperties",
      { type: "object", additionalProperties: integer, maxProperties: 1 },
      { x: 1, y: 2 },
      ["spec.a: Too many: 2: must have at most 1 item"],
    ],
    [
      "minProperties",
      { type: "object", additionalProperties: integer, minProperties: 1 },
      {},
      ["spec.a: Invalid value: 0: spec.a in body should have at least 1 properties"],
    ],
    ["int-or-string", intOrString, "50%", []],
    ["int-or-string, integer", intOrString, 5, []],
    [
      "int-or-string, neither",
      intOrString,
      true,
      ['spec.a: Invalid value: "boolean": spec.a in body must be of type integer,string: "boolean"'],
    ],
    [
      "int-or-string with anyOf",
      { ...intOrString, anyOf: [{ type: "integer" }, { type: "string" }] },
      1.5,
      [
        'spec.a: Invalid value: "number": spec.a in body must be of type integer,string: "number"',
        '<nil>: Invalid value: "": "spec.a" must validate at least one schema (anyOf)',
        'spec.a: Invalid value: "number": spec.a in body must be of type integer: "number"',
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.a',
      ],
    ],
    [
      "anyOf reports the alternative that got furthest",
      {
        type: "object",
        properties: { b: integer, c: integer },
        anyOf: [{ required: ["c"] }, { required: ["b"], properties: { b: { minimum: 5 } } }],
      },
      { b: 1 },
      [
        '<nil>: Invalid value: "": "spec.a" must validate at least one schema (anyOf)',
        "spec.a.b: Invalid value: 1: spec.a.b in body should be greater than or equal to 5",
      ],
    ],
    [
      "oneOf, none",
      {
        type: "object",
        properties: { b: integer, c: integer },
        oneOf: [{ required: ["b"] }, { required: ["c"] }],
      },
      {},
      [
        '<nil>: Invalid value: "": "spec.a" must validate one and only one schema (oneOf). Found none valid',
        "spec.a.b: Required value",
      ],
    ],
    [
      "oneOf, several",
      {
        type: "object",
        properties: { b: integer, c: integer },
        oneOf: [{ required: ["b"] }, { required: ["c"] }],
      },
      { b: 1, c: 2 },
      [
        '<nil>: Invalid value: "": "spec.a" must validate one and only one schema (oneOf). Found 2 valid alternatives',
      ],
    ],
    [
      "allOf",
      { ...integer, allOf: [{ minimum: 5 }, { maximum: 9 }] },
      1,
      [
        "spec.a: Invalid value: 1: spec.a in body should be greater than or equal to 5",
        '<nil>: Invalid value: "": "spec.a" must validate all the schemas (allOf)',
      ],
    ],
    [
      "not",
      { ...string, not: { enum: ["x"] } },
      "x",
      ['<nil>: Invalid value: "": "spec.a" must not validate the schema (not)'],
    ],
    [
      "sets",
      { type: "array", items: string, "x-kubernetes-list-type": "set" },
      ["a", "b", "a", "a"],
      ['spec.a[2]: Duplicate value: "a"'],
    ],
    [
      "map lists",
      {
        type: "array",
        items: { type: "object", properties: { p: integer, n: string } },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["p", "n"],
      },
      [{ p: 1, n: "a" }, { p: 1 }, { n: "a", p: 1 }],
      ['spec.a[2]: Duplicate value: {"n":"a","p":1}'],
    ],
    [
      "embedded objects",
      {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
      },
      {},
      ["spec.a.apiVersion: Required value", "spec.a.kind: Required value"],
    ],
    [
      "names in embedded objects",
      {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
      },
      { apiVersion: "a/b/c", kind: "Not a kind", metadata: { name: "a/b", labels: { "": "x" } } },
      [
        'spec.a.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
        "spec.a.kind: Invalid value: \"Not a kind\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        "spec.a.metadata.name: Invalid value: \"a/b\": may not contain '/'",
        'spec.a.metadata.labels: Invalid value: "": name part must be non-empty',
        "spec.a.metadata.labels: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      ],
    ],
  ];

  it.each(cases)("%s", (_what, a, value, errors) => {
    expect(inSpec(a, value).map(text)).toEqual(errors);
  });

  it("with their cause types", () => {
    const reasons = (a: JSONSchemaProps, value: unknown): string[] =>
      inSpec(a, value).map(({ reason }) => reason);
    expect(reasons(integer, "x")).toEqual(["FieldValueTypeInvalid"]);
    expect(reasons({ ...string, maxLength: 1 }, "ab")).toEqual(["FieldValueTooLong"]);
    expect(reasons({ ...string, enum: ["a"] }, "b")).toEqual(["FieldValueNotSupported"]);
    expect(reasons({ type: "array", items: string, maxItems: 0 }, ["a"])).toEqual(["FieldValueTooMany"]);
  });

  it("with full paths for a part of an object, and paths from the part's root on request", () => {
    const status = compileSchema(
      { type: "object", properties: { a: integer }, required: ["b"] },
      { resource: false },
    );
    expect(status.validate({ a: "x" }, { path: "status" }).map(text)).toEqual([
      'status.a: Invalid value: "string": a in body must be of type integer: "string"',
      "status.b: Required value",
    ]);
    expect(status.validate([], { path: "status" }).map(text)).toEqual([
      'status: Invalid value: "array":  in body must be of type object: "array"',
    ]);
  });
});

describe("schema validation ratchets updates", () => {
  const schema = compileSchema(
    spec({
      type: "object",
      properties: {
        a: { type: "string", maxLength: 3 },
        o: {
          type: "object",
          properties: { x: { type: "integer", minimum: 5 }, y: { type: "integer" } },
          required: ["y"],
        },
        l: {
          type: "array",
          items: {
            type: "object",
            properties: { k: { type: "string" }, v: { type: "integer", maximum: 1 } },
            required: ["k"],
          },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k"],
        },
        atomic: { type: "array", items: { type: "integer", maximum: 1 } },
        set: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
        map: { type: "object", additionalProperties: { type: "integer", maximum: 1 } },
        any: { type: "string", anyOf: [{ pattern: "^x" }, { pattern: "^y" }] },
        free: { type: "string" },
      },
    }),
  );
  const update = (old: object, value: object): string[] =>
    schema.validate({ spec: value }, { old: { spec: old } }).map(({ field }) => field);

  const cases: readonly [what: string, old: object, value: object, fields: readonly string[]][] = [
    ["lets an unchanged bad value through", { a: "toolong" }, { a: "toolong", free: "x" }, []],
    ["refuses another bad value", { a: "toolong" }, { a: "longer still" }, ["spec.a"]],
    ["refuses a change back to a bad value", { a: "ok" }, { a: "toolong" }, ["spec.a"]],
    ["looks into a changed object", { o: { x: 1, y: 1 } }, { o: { x: 1, y: 2 } }, []],
    [
      "refuses a bad value beside an unchanged one",
      { o: { x: 1, y: 1 } },
      { o: { x: 2, y: 1 } },
      ["spec.o.x"],
    ],
    [
      "lets a missing field through when the object is unchanged",
      { o: { x: 5 } },
      { o: { x: 5 }, free: "x" },
      [],
    ],
    ["refuses removing a required field", { o: { x: 5, y: 1 } }, { o: { x: 5 } }, ["spec.o.y"]],
    [
      "correlates items of a map list by key",
      { l: [{ k: "x", v: 5 }, { k: "y" }] },
      { l: [{ k: "z" }, { k: "x", v: 5 }] },
      [],
    ],
    ["refuses a changed item", { l: [{ k: "x", v: 5 }] }, { l: [{ k: "x", v: 6 }] }, ["spec.l[0].v"]],
    ["takes other lists as a whole", { atomic: [5] }, { atomic: [5, 1] }, ["spec.atomic[0]"]],
    ["lets an unchanged list through", { atomic: [5] }, { atomic: [5], free: "x" }, []],
    ["looks into maps", { map: { a: 5 } }, { map: { a: 5, b: 1 } }, []],
    ["lets an unchanged value with alternatives through", { any: "z" }, { any: "z", free: "x" }, []],
    ["checks duplicates when there were none before", { set: ["a"] }, { set: ["a", "a"] }, ["spec.set[1]"]],
    ["lets duplicates through when there were some", { set: ["a", "a"] }, { set: ["a", "a", "b", "b"] }, []],
  ];

  it.each(cases)("%s", (_what, old, value, fields) => {
    expect(update(old, value)).toEqual(fields);
  });
});

describe("schema validation of hostile input", () => {
  const any: JSONSchemaProps = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const schema = compileSchema(
    spec({
      type: "object",
      properties: {
        any,
        set: {
          type: "array",
          items: { ...any, "x-kubernetes-map-type": "atomic" },
          "x-kubernetes-list-type": "set",
        },
        a: { type: "integer" },
      },
    }),
  );
  const deep = (levels: number): object => {
    let value: object = {};
    for (let i = 0; i < levels; i++) value = { a: value };
    return value;
  };

  it("that contains itself gets an error, not a hang", () => {
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = cyclic;
    expect(schema.validate({ spec: { a: "x", any: cyclic } }).map(text)).toEqual([
      '<nil>: Invalid value: "": must not be nested deeper than 1000 levels',
    ]);
    expect(schema.validate({ spec: { set: [cyclic, cyclic] } }).map(text)).toEqual([
      '<nil>: Invalid value: "": must not be nested deeper than 1000 levels',
    ]);
  });

  it("that is nested very deeply gets an error where it has to be walked", () => {
    const value = { spec: { any: deep(100_000), a: "x" } };
    expect(schema.prune(value)).toEqual([]);
    schema.applyDefaults(value);
    expect(schema.validate(value).map(text)).toEqual([
      '<nil>: Invalid value: "": must not be nested deeper than 1000 levels',
    ]);
  });

  it("of 3 MB with a million mistakes is answered in time, with the first of them", () => {
    const list = compileSchema(
      spec({ type: "object", properties: { l: { type: "array", items: { type: "integer" } } } }),
    );
    const value = { spec: { l: Array.from({ length: 1_000_000 }, () => "") } };
    const started = performance.now();
    const errors = list.validate(value);
    expect(performance.now() - started).toBeLessThan(5000);
    expect(errors).toHaveLength(1001);
    expect(errors.at(-1)?.message).toBe("Internal error: there are more errors; these are the first");
  });

  it("cannot make a pattern run long", () => {
    const pattern = compileSchema(
      spec({ type: "object", properties: { p: { type: "string", pattern: "^(a+)+$" } } }),
    );
    const started = performance.now();
    expect(pattern.validate({ spec: { p: `${"a".repeat(100_000)}b` } })).toHaveLength(1);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  it("cannot smuggle code through names, patterns or enums of a schema", () => {
    const evil = '"];globalThis.broken=true;//\u2028';
    const schema = compileSchema({
      type: "object",
      properties: { [evil]: { type: "string", enum: [evil, "a"], maxLength: 100 } },
      required: [evil],
    });
    expect(schema.isClean({ [evil]: evil })).toBe(true);
    expect(schema.isClean({ [evil]: "b" })).toBe(false);
    expect(Reflect.get(globalThis, "broken")).toBeUndefined();
  });

  it("is judged by its own fields only", () => {
    const schema = compileSchema({
      type: "object",
      properties: { toString: { type: "string" } },
      required: ["constructor"],
    });
    expect(schema.validate({}).map(text)).toEqual(["constructor: Required value"]);
    expect(schema.isClean(JSON.parse('{"__proto__": {}}'))).toBe(false);
  });

  it("in a schema nested beyond reason is refused", () => {
    let nested: JSONSchemaProps = { type: "string" };
    for (let i = 0; i < 600; i++) nested = { type: "object", properties: { a: nested } };
    expect(() => compileSchema(nested)).toThrow("a schema must not be nested deeper than 500 levels");
  });
});

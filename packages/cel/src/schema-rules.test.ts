import type { JSONSchemaProps, ValidationRule } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { createBudget } from "./budget.js";
import { compileSchemaRules } from "./schema-rules.js";

type Rule = string | ValidationRule;

/** A schema with rules on it. */
const ruled = (schema: JSONSchemaProps, ...rules: readonly Rule[]): JSONSchemaProps => ({
  ...schema,
  "x-kubernetes-validations": rules.map((rule) => (typeof rule === "string" ? { rule } : rule)),
});
const object = (
  properties: Record<string, JSONSchemaProps>,
  more: JSONSchemaProps = {},
): JSONSchemaProps => ({
  type: "object",
  properties,
  ...more,
});
const text: JSONSchemaProps = { type: "string", maxLength: 50 };
const integer: JSONSchemaProps = { type: "integer" };
const list = (items: JSONSchemaProps, more: JSONSchemaProps = {}): JSONSchemaProps => ({
  type: "array",
  maxItems: 10,
  items,
  ...more,
});

const path = "spec.versions[0].schema.openAPIV3Schema";
const compile = (schema: JSONSchemaProps) => compileSchemaRules(schema, { path });
const show = (errors: readonly { field: string; message: string }[]) =>
  errors.map(({ field, message }) => `${field}: ${message}`);

/** The errors of a value of `spec` under a schema of `spec`. */
function validate(
  spec: JSONSchemaProps,
  self: unknown,
  old?: unknown,
  budget = createBudget(),
): readonly string[] {
  const rules = compile(object({ spec }));
  expect(show(rules.errors)).toEqual([]);
  const wrap = (value: unknown) => (value === undefined ? undefined : { spec: value });
  return show(rules.validate({ self: wrap(self), old: wrap(old), budget }));
}

describe("x-kubernetes-validations: values typed by their schema", () => {
  const schema = object({
    plain: text,
    "my-field": integer,
    "a.b/c": integer,
    namespace: text,
    a__b: integer,
    1: integer,
    size: { "x-kubernetes-int-or-string": true },
    ratio: { type: "number" },
    since: { type: "string", format: "date-time" },
    day: { type: "string", format: "date" },
    wait: { type: "string", format: "duration" },
    data: { type: "string", format: "byte", maxLength: 50 },
    on: { type: "boolean" },
    maybe: { ...text, nullable: true },
    nulls: list({ ...text, nullable: true }),
    ratios: list({ type: "number" }),
    times: list({ type: "string", format: "date-time" }),
    tags: list(text, { "x-kubernetes-list-type": "set" }),
    ports: list(object({ name: text, port: integer }, { required: ["name"] }), {
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
    }),
    labels: { type: "object", maxProperties: 10, additionalProperties: text },
    free: { "x-kubernetes-preserve-unknown-fields": true },
    open: object({ known: text }, { "x-kubernetes-preserve-unknown-fields": true }),
    embedded: object({}, { "x-kubernetes-embedded-resource": true }),
  });
  const value = {
    plain: "x",
    "my-field": 1,
    "a.b/c": 2,
    namespace: "n",
    a__b: 3,
    size: "50%",
    ratio: 2,
    since: "2024-01-01T00:00:00.5Z",
    day: "2024-01-02",
    wait: "1h30m",
    data: "aGk=",
    on: true,
    maybe: null,
    nulls: ["a", null],
    ratios: [1, 2.5],
    times: ["2024-01-01T00:00:00Z"],
    tags: ["b", "a"],
    ports: [
      { name: "x", port: 1 },
      { name: "y", port: 2 },
    ],
    labels: { "my-key": "v", constructor: "c" },
    free: { any: 1 },
    open: { known: "k", unknown: 1 },
    embedded: { apiVersion: "v1", kind: "Pod", metadata: { name: "p", labels: { a: "b" } } },
  };

  it.each([
    "self.plain == 'x' && self.my__dash__field == 1 && self.a__dot__b__slash__c == 2 && self.__namespace__ == 'n' && self.a__underscores__b == 3",
    "self.namespace == 'n' && has(self.namespace) && dyn(self).namespace == 'n' && dyn(self).__namespace__ == 'n' && self == self",
    "type(self.size) == string && self.size.endsWith('%')",
    "self.ratio == 2.0 && type(self.ratio) == double",
    "self.since > timestamp('2024-01-01T00:00:00Z') && self.since.getMilliseconds() == 500",
    "self.day.getDate() == 2 && self.wait == duration('90m') && self.data == b'hi' && self.on",
    "!has(self.maybe) && !has(self.embedded.metadata.generateName)",
    "dyn(self.nulls[1]) == null && self.nulls[0] == 'a'",
    "self.ratios.sum() == 3.5 && self.ratios.all(x, type(x) == double) && self.times[0].getFullYear() == 2024",
    "self.tags == ['a', 'b'] && self.tags + ['a', 'c'] == ['b', 'a', 'c'] && (self.tags + ['c']).size() == 3",
    "self.ports == self.ports.filter(p, p.name == 'y') + self.ports.filter(p, p.name == 'x') || true",
    "(self.ports + self.ports.filter(p, p.name == 'x')).size() == 2",
    "self.ports.exists(p, p.name == 'x' && p.port == 1)",
    "self.labels['my-key'] == 'v' && 'constructor' in self.labels && !('toString' in self.labels)",
    "self.labels.all(k, v, v.size() == 1)",
    "self.open.known == 'k' && self.embedded.kind == 'Pod' && self.embedded.metadata.name == 'p'",
    "self == self && dyn(self).plain == 'x' && dyn(self).my__dash__field == 1 && !has(dyn(self).maybe)",
    "dyn(self.open).known == 'k' && !has(dyn(self.open).unknown)",
    "self.?maybe.orValue('none') == 'none' && self.?plain.value() == 'x' && self.labels[?'nope'].orValue('-') == '-'",
  ])("%s", (rule) => expect(validate(ruled(schema, { rule, message: "failed" }), value)).toEqual([]));

  it.each([
    ["self.unknown == 1", "undefined field 'unknown'"],
    ["self.free.any == 1", "undefined field 'free'"],
    ["self.open.unknown == 1", "undefined field 'unknown'"],
    ["self.my_field == 1", "undefined field 'my_field'"],
    ["self.a__b == 3", "undefined field 'a__b'"],
    ["self.plain + 1 == 2", "found no matching overload for '_+_' applied to '(string, int)'"],
    ["self.plain == null", "found no matching overload for '_==_' applied to '(string, null)'"],
    ["self.embedded.metadata.labels == {}", "undefined field 'labels'"],
    ["self.all(k, true)", "cannot be range of a comprehension"],
    ["math.greatest(1, 2) == 2", "undeclared reference to 'math'"],
  ])("%s is refused: %s", (rule, problem) => {
    const [error] = compile(object({ spec: ruled(schema, rule) })).errors;
    expect(error?.field).toBe(`${path}.properties[spec].x-kubernetes-validations[0].rule`);
    expect(error?.message).toContain(`compilation failed: ERROR: <input>:1:`);
    expect(error?.message).toContain(problem);
  });

  it("sees name, kind and version of a whole object, and no more of its metadata", () => {
    const rules = compile(
      ruled(object({}), "self.metadata.name == 'x' && self.kind == 'K' && self.apiVersion == 'g/v1'"),
    );
    const self = { apiVersion: "g/v1", kind: "K", metadata: { name: "x", labels: {} } };
    expect(rules.errors).toEqual([]);
    expect(rules.validate({ self, budget: createBudget() })).toEqual([]);
    expect(compile(ruled(object({}), "has(self.metadata.labels)")).errors[0]?.message).toContain(
      "undefined field 'labels'",
    );
  });

  it("takes integers beyond 2^53 as they are", () => {
    expect(
      validate(object({ n: ruled(integer, "self + 1 > self && self == 9007199254740992") }), { n: 2 ** 53 }),
    ).toEqual([]);
  });

  it.each([
    [
      object({ n: ruled(integer, "self > 1") }),
      { n: "x" },
      'spec.n: Invalid value: "integer": invalid data, expected int, got string evaluating rule: self > 1',
    ],
    [
      object({ t: ruled({ type: "string", format: "date-time" }, "self > timestamp(0)") }),
      { t: "x" },
      'spec.t: Invalid value: "string": Invalid date-time formatted string x evaluating rule: self > timestamp(0)',
    ],
  ])("reports data that does not match its schema", (schema, value, error) => {
    expect(validate(schema, value)).toEqual([error]);
  });
});

describe("x-kubernetes-validations: messages and paths", () => {
  it.each([
    [{ rule: "self > 5" }, "spec.n: Invalid value: 1: failed rule: self > 5"],
    [{ rule: "self > 5", message: " too small " }, "spec.n: Invalid value: 1: too small"],
    [{ rule: "self > 5", messageExpression: "'got %d'.format([self])" }, "spec.n: Invalid value: 1: got 1"],
    [{ rule: "self > 5", message: "small", messageExpression: "'a\\nb'" }, "spec.n: Invalid value: 1: small"],
    [{ rule: "self > 5", message: "small", messageExpression: "' '" }, "spec.n: Invalid value: 1: small"],
    [
      { rule: "self > 5", message: "small", messageExpression: "'%d'.format([1 / (self - 1)])" },
      "spec.n: Invalid value: 1: small",
    ],
    [{ rule: "self > 5", message: "no", reason: "FieldValueForbidden" }, "spec.n: Forbidden: no"],
    [{ rule: "self > 5", message: "no", reason: "FieldValueRequired" }, "spec.n: Required value: no"],
    [{ rule: "self > 5", message: "no", reason: "FieldValueDuplicate" }, "spec.n: Duplicate value: 1"],
    [
      { rule: "1 / (self - 1) > 5" },
      'spec.n: Invalid value: "integer": division by zero evaluating rule: 1 / (self - 1) > 5',
    ],
    [
      { rule: "dyn(self).startsWith('x')", message: "m" },
      `spec.n: Invalid value: "integer": 'no such overload: startsWith(int, string)': call arguments did not match a supported operator, function or macro signature for rule: m`,
    ],
  ] satisfies [ValidationRule, string][])("%j: %s", (rule, error) => {
    expect(validate(object({ n: ruled(integer, rule) }), { n: 1 })).toEqual([error]);
  });

  it("omit the values of objects and lists, and name the fieldPath of the rule", () => {
    const rules: ValidationRule[] = [
      { rule: "self.a != 'x'", message: "no x", fieldPath: ".a" },
      { rule: "self.a != 'x'", message: "no x", fieldPath: "['m']['k']" },
    ];
    const schema = ruled(object({ a: text, m: { type: "object", additionalProperties: text } }), ...rules);
    expect(validate(schema, { a: "x" })).toEqual([
      "spec.a: Invalid value: no x",
      "spec.m[k]: Invalid value: no x",
    ]);
  });

  it("name items and keys of lists and maps", () => {
    const schema = object({
      items: list(object({ n: ruled(integer, "self > 0") })),
      map: { type: "object", maxProperties: 5, additionalProperties: ruled(text, "self != ''") },
    });
    expect(validate(schema, { items: [{ n: 1 }, { n: 0 }], map: { "a.b": "" } })).toEqual([
      "spec.items[1].n: Invalid value: 0: failed rule: self > 0",
      "spec.map[a.b]: Invalid value: \"\": failed rule: self != ''",
    ]);
  });

  it("report rules below allOf", () => {
    const schema = object({ n: { ...integer, allOf: [ruled({}, "self > 1")] } });
    expect(validate(schema, { n: 1 })).toEqual(["spec.n: Invalid value: 1: failed rule: self > 1"]);
  });

  it("report nothing for null and absent values", () => {
    expect(validate(object({ n: ruled({ ...integer, nullable: true }, "false") }), { n: null })).toEqual([]);
    expect(validate(object({ n: ruled(integer, "false") }), {})).toEqual([]);
  });
});

describe("x-kubernetes-validations: transition rules", () => {
  const once = object({ n: ruled(integer, "self >= oldSelf") });
  it("compare with the old value where there is one", () => {
    expect(validate(once, { n: 1 })).toEqual([]);
    expect(validate(once, { n: 1 }, { n: 2 })).toEqual([
      "spec.n: Invalid value: 1: failed rule: self >= oldSelf",
    ]);
    expect(validate(once, { n: 3 }, { n: 2 })).toEqual([]);
    expect(validate(once, { n: 1 }, {})).toEqual([]);
    expect(validate(once, { n: 1 }, { n: null })).toEqual([]);
  });

  it("run without an old value when optionalOldSelf is set", () => {
    const rule = { rule: "oldSelf.hasValue() ? oldSelf.value() <= self : self == 1", optionalOldSelf: true };
    const schema = object({ n: ruled(integer, rule) });
    expect(validate(schema, { n: 1 })).toEqual([]);
    expect(validate(schema, { n: 2 })).toHaveLength(1);
    expect(validate(schema, { n: 2 }, { n: 1 })).toEqual([]);
    expect(validate(schema, { n: 1 }, { n: 2 })).toHaveLength(1);
  });

  it("find the old element of a map list by its keys", () => {
    const schema = object({
      l: list(
        ruled(object({ k: text, v: integer }, { required: ["k"] }), {
          rule: "self.v >= oldSelf.v",
          message: "shrank",
        }),
        {
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k"],
        },
      ),
    });
    const old = {
      l: [
        { k: "a", v: 5 },
        { k: "b", v: 1 },
      ],
    };
    expect(
      validate(
        schema,
        {
          l: [
            { k: "b", v: 1 },
            { k: "a", v: 4 },
            { k: "c", v: 0 },
          ],
        },
        old,
      ),
    ).toEqual(["spec.l[1]: Invalid value: shrank"]);
  });

  it.each([
    ["a list", list(ruled(integer, "self >= oldSelf")), "properties[spec].items", "properties[spec]"],
    [
      "a set",
      list(ruled(text, "self == oldSelf"), { "x-kubernetes-list-type": "set" }),
      "properties[spec].items",
      "properties[spec]",
    ],
  ])("are refused where old values cannot be correlated: %s", (_what, schema, at, within) => {
    const [error] = compile(object({ spec: schema })).errors;
    expect(error?.field).toBe(`${path}.${at}.x-kubernetes-validations[0].rule`);
    expect(error?.message).toContain(
      `oldSelf cannot be used on the uncorrelatable portion of the schema within ${path}.${within}`,
    );
  });

  it("see old values below an atomic map", () => {
    const spec = object({ n: ruled(integer, "self >= oldSelf") }, { "x-kubernetes-map-type": "atomic" });
    const rules = compile(object({ spec }));
    expect(rules.errors).toEqual([]);
    const change = { self: { spec: { n: 1 } }, old: { spec: { n: 2 } }, budget: createBudget() };
    expect(rules.validate(change)).toHaveLength(1);
  });

  it("must use oldSelf where optionalOldSelf is set", () => {
    const rules = compile(object({ spec: ruled(integer, { rule: "self > 1", optionalOldSelf: true }) }));
    expect(show(rules.errors)).toEqual([
      `${path}.properties[spec].x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`,
    ]);
  });
});

describe("x-kubernetes-validations: ratcheting of updates", () => {
  const item = ruled(object({ k: text, v: integer }, { required: ["k"] }), {
    rule: "self.v > 5",
    message: "low",
  });
  const keyed = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] };
  const schema = object({
    o: ruled(object({ c: integer, d: integer }), { rule: "self.c > 5", message: "low" }),
    atomic: list(item),
    keyed: list(item, keyed),
    n: integer,
  });
  const bad = {
    o: { c: 1, d: 1 },
    atomic: [{ k: "a", v: 1 }],
    keyed: [
      { k: "a", v: 1 },
      { k: "b", v: 1 },
    ],
    n: 1,
  };

  it("accepts invalid values that stay unchanged", () => {
    expect(validate(schema, { ...bad, n: 2 }, bad)).toEqual([]);
    expect(validate(schema, { ...bad, keyed: [...bad.keyed].reverse() }, bad)).toEqual([]);
  });

  it("validates values that changed", () => {
    expect(validate(schema, { ...bad, o: { c: 1, d: 2 } }, bad)).toEqual(["spec.o: Invalid value: low"]);
    expect(
      validate(
        schema,
        {
          ...bad,
          keyed: [
            { k: "a", v: 2 },
            { k: "b", v: 1 },
          ],
        },
        bad,
      ),
    ).toEqual(["spec.keyed[0]: Invalid value: low"]);
  });

  it("validates an atomic list as a whole when one item changed", () => {
    const atomic = [...bad.atomic, { k: "b", v: 9 }];
    expect(validate(schema, { ...bad, atomic }, bad)).toEqual(["spec.atomic[0]: Invalid value: low"]);
  });

  it("runs transition rules on unchanged values too", () => {
    const transition = object({ n: ruled(integer, "self > oldSelf") });
    expect(validate(transition, { n: 1 }, { n: 1 })).toHaveLength(1);
  });

  it("can be disabled, so that every value is validated", () => {
    const rules = compile(object({ spec: schema }));
    const input = { self: { spec: bad }, old: { spec: bad }, budget: createBudget(), ratchet: false };
    expect(rules.validate(input)).toHaveLength(4);
  });
});

describe("x-kubernetes-validations: cost limits", () => {
  const at = `${path}.properties[spec].x-kubernetes-validations[0].rule`;
  const advice =
    "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)";

  it("refuse a rule whose estimated cost is too high", () => {
    const spec = ruled(
      { type: "array", items: { type: "array", items: text } },
      "self.all(x, x.all(y, y != 'abc'))",
    );
    expect(show(compile(object({ spec })).errors)).toEqual([
      `${at}: Forbidden: estimated rule cost exceeds budget by factor of more than 100x ${advice}`,
      `${at}: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema`,
      `${path}: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x ${advice}`,
    ]);
  });

  it.each([
    [1900, "1.444950x"],
    [4000, "6.4x"],
  ])("name the factor by which a rule over %d elements exceeds the limit", (maxItems, factor) => {
    const spec = ruled({ type: "array", maxItems, items: integer }, "self.all(x, self.all(y, x != 3))");
    expect(show(compile(object({ spec })).errors)[0]).toBe(
      `${at}: Forbidden: estimated rule cost exceeds budget by factor of ${factor} ${advice}`,
    );
  });

  it("multiply the cost of a rule below lists by the size of the lists", () => {
    const inner = ruled(text, "self.matches('^[a-z]+$')");
    expect(compile(object({ spec: list(inner) })).errors).toEqual([]);
    const [error] = compile(
      object({ spec: { type: "array", items: ruled({ type: "string" }, "self.matches('^[a-z]+$')") } }),
    ).errors;
    expect(error?.message).toContain("estimated rule cost exceeds budget");
  });

  it("add up the rules of a schema", () => {
    const heavy = ruled(
      { type: "array", maxItems: 1500, items: integer },
      "self.all(x, self.all(y, x != 3))",
    );
    const properties = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`p${index}`, heavy]));
    const errors = show(compile(object(properties)).errors);
    expect(errors).toHaveLength(5);
    expect(errors[4]).toContain("total for entire OpenAPIv3 schema exceeds budget by factor of");
  });

  it("end an evaluation that costs too much, and skip the remaining rules", () => {
    const numbers = ruled(
      { type: "array", maxItems: 250, items: integer },
      "self.all(x, self.all(y, self.all(z, x + y + z >= 0)))",
      "false",
    );
    const rules = compileSchemaRules(object({ spec: numbers, zzz: ruled(integer, "false") }), { path });
    const self = { spec: Array.from({ length: 250 }, (_, index) => index), zzz: 1 };
    const start = performance.now();
    expect(show(rules.validate({ self, budget: createBudget() }))).toEqual([
      `spec: Invalid value: "array": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: self.all(x, self.all(y, self.all(z, x + y + z >= 0)))`,
    ]);
    expect(performance.now() - start).toBeLessThan(1000);
  });

  it("end when the rules of an object together cost too much", () => {
    const schema = object({ l: list(ruled(integer, "[1, 2, 3].all(x, x > self)")) });
    expect(validate(schema, { l: [0, 0, 0, 0] }, undefined, createBudget(60))).toEqual([
      'spec.l[2]: Invalid value: "integer": validation failed due to running out of cost budget, no further validation rules will be run',
    ]);
  });
});

describe("x-kubernetes-validations: the definition of a rule", () => {
  it.each([
    [{ rule: " " }, "rule: Required value: rule is not specified"],
    [{ rule: "true", message: " " }, 'message: Invalid value: " ": must be non-empty if specified'],
    [{ rule: "true", message: "a\nb" }, 'message: Invalid value: "a\\nb": must not contain line breaks'],
    [
      { rule: "true\n&& true" },
      "message: Required value: message must be specified if rule contains line breaks",
    ],
    [
      { rule: "true", messageExpression: " " },
      "messageExpression: Required value: messageExpression must be non-empty if specified",
    ],
    [{ rule: "true", fieldPath: ".nope" }, 'fieldPath: Invalid value: ".nope": must be a valid path'],
    [{ rule: "true", fieldPath: "a" }, 'fieldPath: Invalid value: "a": must be a valid path'],
    [
      { rule: "true", reason: "Nope" as "FieldValueInvalid" },
      'reason: Unsupported value: "Nope": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
    ],
  ] satisfies [ValidationRule, string][])("%j: %s", (rule, error) => {
    const { errors } = compile(object({ spec: ruled(object({ a: text }), rule) }));
    expect(show(errors)).toEqual([`${path}.properties[spec].x-kubernetes-validations[0].${error}`]);
  });

  it.each([
    [{ rule: "self.a" }, "rule", "cel expression must evaluate to a bool"],
    [
      { rule: "true", messageExpression: "1" },
      "messageExpression",
      "messageExpression must evaluate to a string",
    ],
    [
      { rule: "true", messageExpression: "nope" },
      "messageExpression",
      "messageExpression compilation failed: ERROR: <input>:1:1: undeclared reference to 'nope'",
    ],
    [{ rule: "self.a.find('(') == ''" }, "rule", "program instantiation failed: error parsing regexp"],
  ] satisfies [ValidationRule, string, string][])("%j: %s", (rule, field, problem) => {
    const [error] = compile(object({ spec: ruled(object({ a: text }), rule) })).errors;
    expect(error?.field).toBe(`${path}.properties[spec].x-kubernetes-validations[0].${field}`);
    expect(error?.message).toContain(problem);
  });

  it("is refused where the schema has no type", () => {
    const spec = ruled({ "x-kubernetes-preserve-unknown-fields": true }, "true");
    expect(compile(object({ spec })).errors[0]?.reason).toBe("InternalError");
  });

  it("reports no errors for a schema without rules", () => {
    const rules = compile(object({ spec: object({ a: text }) }));
    expect(rules.isEmpty).toBe(true);
    expect(rules.validate({ self: {}, budget: createBudget() })).toEqual([]);
  });
});

import type { JSONSchemaProps } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { compileExpression } from "./compile-expression.js";
import { celTypeOf } from "./schema-type.js";
import { costOf } from "./testing/evaluate.js";

const estimate = (source: string, schema: JSONSchemaProps) =>
  compileExpression(source, { variables: { self: celTypeOf(schema)! } }).cost;

const limit = 10_000_000;

/** A schema of one value by the short name used below. */
function schemaOf(kind: string): JSONSchemaProps {
  switch (kind) {
    case "int-or-string":
      return { "x-kubernetes-int-or-string": true };
    case "duration":
    case "date":
    case "date-time":
      return { type: "string", format: kind };
    case "object":
      return {
        type: "object",
        properties: { required: { type: "string" }, optional: { type: "string" } },
        required: ["required"],
      };
    case "numbers":
      return { type: "array", items: { type: "number" } };
    case "number map":
      return { type: "object", additionalProperties: { type: "number" } };
    default:
      return { type: kind };
  }
}

const array = (kind: string, max?: number): JSONSchemaProps => ({
  type: "array",
  items: schemaOf(kind),
  maxItems: max,
});
const map = (kind: string, max?: number): JSONSchemaProps => ({
  type: "object",
  additionalProperties: schemaOf(kind),
  maxProperties: max,
});
const string = (_kind: string, max?: number): JSONSchemaProps => ({ type: "string", maxLength: max });
const bytes = (_kind: string, max?: number): JSONSchemaProps => ({
  type: "string",
  format: "byte",
  maxLength: max,
});

// The numbers are those Kubernetes has: without any limit in the schema, and with one.
describe("CEL cost estimate of a rule", () => {
  it.each([
    [array, "number", "self.all(x, true)", 4_718_591, 10, 32],
    [array, "string", "self.all(x, true)", 3_145_727, 20, 62],
    [array, "boolean", "self.all(x, true)", 1_887_437, 5, 17],
    [array, "numbers", "self.all(x, true)", 3_145_727, 100, 302],
    [array, "object", "self.all(x, true)", 555_128, 50, 152],
    [array, "int-or-string", "self.all(x, true)", 4_718_591, 10, 32],
    [array, "duration", "self.all(x, true)", 2_359_295, 5, 17],
    [array, "date", "self.all(x, true)", 725_936, 15, 47],
    [array, "date-time", "self.all(x, true)", 428_963, 25, 77],
    [map, "number", "self.all(x, true)", 1_348_169, 10, 32],
    [map, "string", "self.all(x, true)", 1_179_647, 3, 11],
    [map, "boolean", "self.all(x, true)", 943_718, 100, 302],
    [map, "int-or-string", "self.all(x, true)", 1_348_169, 15, 47],
    [map, "object", "self.all(x, true)", 428_963, 20, 62],
    [map, "number map", "self.all(x, true)", 1_179_647, 10, 32],
    [map, "numbers", "self.all(x, true)", 1_179_647, 25, 77],
    [map, "duration", "self.all(x, true)", 1_048_577, 5, 17],
    [string, "", "self.contains('test')", 314_574, 10, 5],
    [string, "", "self.startsWith('test')", 2, 15, 2],
    [string, "", "self.endsWith('test')", 2, 30, 2],
    [string, "", "size(self + 'hello') > size('hello')", 314_578, 4, 7],
    [array, "number", "self[1] == 0.0", 2, 5000, 2],
    [array, "string", "self[1] == self[1]", 314_577, 8, 314_577],
    [array, "number", "self.all(x, self.all(y, true))", undefined, 10, 352],
    [array, "number", "self.all(x, self.all(y, self.all(z, true)))", undefined, 10, 3552],
    [string, "", 'self.matches("x")', 314_574, 50, 22],
    [string, "", '"".matches("(((((((((())))))))))[0-9]")', 7, 10, 7],
    [string, "", 'self.matches("")', 1, 100, 1],
    [map, "string", "self.all(x, x.contains(self[x]))", undefined, undefined, undefined],
    [array, "number", "self[3] == 0.0", 2, 0, 2],
    [map, "number", 'self["x"] == 0.0', 2, 0, 2],
    [string, "", 'self == "x"', 2, 0, 1],
    [bytes, "", 'self == b"x"', 2, 0, 1],
    [array, "number", "self.all(x, x == 0.0)", 6_291_454, 3 * 1024 * 2048, 25_165_826],
    [array, "int-or-string", "self[0] == 5", 3, 10, 3],
    [array, "boolean", "self[0] == false", 2, 25, 2],
    [array, "object", "self[0] == null", 2, 422, 2],
    [array, "numbers", "self[0][0] == -1.0", 3, 51, 3],
    [array, "number map", "self.all(x, x.y == 25.2)", 6_291_452, 12, 74],
    [array, "number map", "self[0].x > 2.0", 4, 3000, 4],
    [array, "duration", "self[0].getHours() == 2", 4, 525, 4],
    [array, "date", "self[2].getDayOfMonth() == 13", 4, 42, 4],
  ] as const)("%o of %s: %s", (schema, kind, rule, unbounded, max, bounded) => {
    if (unbounded !== undefined) expect(estimate(rule, schema(kind)).max).toBe(unbounded);
    else expect(estimate(rule, schema(kind)).max).toBeGreaterThan(limit / 10);
    if (max !== undefined) expect(estimate(rule, schema(kind, max)).max).toBe(bounded);
  });
});

// The costs that Kubernetes gives calls with literals: minimum and maximum estimate, and actual cost.
describe("CEL cost estimate of calls with literals", () => {
  it.each([
    ["[1, 2, 3, 4, 5].sum()", 15, 15, 15],
    ["[uint(1), uint(2), uint(3), uint(4), uint(5)].sum()", 20, 20, 20],
    ["[1.0, 2.0].isSorted()", 12, 12, 12],
    ["[1, 2, 3, 4, 5].indexOf(3)", 15, 15, 15],
    ["'01234567890123456789012345678901234567890123456789'.indexOf('123')", 5, 5, 5],
    ["url('https://kubernetes.io/').getScheme()", 4, 4, 4],
    ["ip('192.168.0.1')", 2, 2, 2],
    ["ip('2001:db8:3333:4444:5555:6666:7777:8888').family()", 5, 5, 5],
    ["ip.isCanonical('2001:db8:3333:4444:5555:6666:7777:8888')", 8, 8, 8],
    ["cidr('192.168.0.0/16').masked()", 3, 3, 3],
    ["cidr('192.168.0.0/16').containsCIDR(cidr('192.0.0.0/30'))", 7, 11, 7],
    ["cidr('192.168.0.0/16').containsCIDR('192.0.0.0/30')", 7, 11, 7],
    ["cidr('192.168.0.0/16').containsIP(ip('192.0.0.1'))", 4, 7, 4],
    ["cidr('192.168.0.0/16').containsIP('192.169.0.1')", 5, 8, 5],
    ["cidr('2001:db8::/32').containsIP('2001:db8:3333:4444:5555:6666:7777:8888')", 7, 10, 7],
    ["'ABCDEFGHIJ abcdefghij'.lowerAscii()", 3, 3, 3],
    ["'ABCDEFGHIJ abcdefghij'.lowerAscii() == 'abcdefghij ABCDEFGHIJ'.lowerAscii()", 7, 9, 9],
    ["strings.quote('ABCDEFGHIJ abcdefghij')", 3, 3, 3],
    ["strings.quote('ABCDEFGHIJ abcdefghij') == strings.quote('ABCDEFGHIJ abcdefghij')", 7, 11, 9],
    ["'abc 123 def 123'.replace('123', '456')", 3, 3, 3],
    ["'abc 123 def 123'.replace('', 'x')", 3, 3, 3],
    ["'abc 123 def 123'.split(' ')", 3, 3, 3],
    ["'abc 123 def 123'.split(' ', 1)", 3, 3, 3],
    ["'abc 123 def 123'.substring(5, 8)", 2, 2, 2],
    ["'  abc 123 def 123  '.trim()", 2, 2, 2],
    ["'abc 123 def 123'.find('123')", 2, 2, 2],
    ["'abc 123 def 123'.findAll('123', 1)", 2, 2, 2],
    ['quantity("12Mi")', 1, 1, 1],
    ['quantity("200M") == quantity("200M")', 3, 3, 3],
    ['quantity("50M").isLessThan(quantity("50Mi"))', 3, 3, 3],
    ['quantity("50k").add(20).sub(quantity("100k")).sub(-50000).asInteger() > 0', 7, 7, 7],
    ['quantity("50.703k").asApproximateFloat() > 0.0', 3, 3, 3],
    ["sets.contains([1, 2, 3, 4], [2, 3])", 29, 29, 29],
    ["sets.contains([[1], [2, 3]], [[2, 3]])", 53, 53, 53],
    ["sets.equivalent([1], [1, 1])", 25, 25, 25],
    ["!sets.equivalent([2, 1], [1])", 26, 26, 26],
    ["!sets.intersects([1], [])", 22, 22, 22],
  ])("%s: %d to %d, %d when run", (source, min, max, run) => {
    expect(compileExpression(source, { variables: {} }).cost).toEqual({ min, max });
    expect(costOf(source)).toBe(run);
  });

  it("is unbounded for a value without maxLength, maxItems or maxProperties", () => {
    const unbounded = { type: "integer" };
    expect(estimate("'value ' + string(self)", unbounded).max).toBeGreaterThan(1e18);
    expect(estimate("'value %d'.format([self])", unbounded).max).toBeLessThan(20);
  });
});

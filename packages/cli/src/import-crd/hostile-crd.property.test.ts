// CRDs written by somebody who wants their text to become code. Whatever a definition holds, the module made of it defines the same
// kind and runs nothing else, or the import refuses it.

import { ValidationError } from "@kubewright/api";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { UsageError } from "../command.js";
import { checkedCrd } from "./checked-crd.js";
import { definitionSource } from "./definition-source.js";
import { comparable } from "./testing/crd-essence.js";
import { loadDefinition } from "./testing/load-definition.js";

const canary = "kubewrightCanary";
const attack = `(globalThis.${canary}=1)`;
afterEach(() => {
  expect(canary in globalThis).toBe(false);
});

const nasty = [
  attack,
  `5),${attack},z.int().max(5`,
  `";${attack};"`,
  `'+${attack}+'`,
  `\${${attack}}`,
  `\`${attack}\``,
  `*/${attack}/*`,
  `\n${attack}\n`,
  `\r${attack}`,
  `\u2028${attack}\u2029`,
  `\\u0022;${attack}`,
  `"}}));${attack}//`,
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "</script>",
  "\ud800",
  "\u0000",
  "10",
  "9",
  "",
];
const hostileText = fc.oneof(fc.constantFrom(...nasty), fc.string({ unit: "binary", maxLength: 12 }));
const hostileName = fc.oneof(
  fc.constantFrom(...nasty.filter((text) => text !== "")),
  fc.string({ minLength: 1, maxLength: 8 }),
);
const number = fc.oneof(
  fc.integer({ min: -1000, max: 1000 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    hostileText,
    number,
    fc.boolean(),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(hostileName, tie("value"), { maxKeys: 3 }),
  ),
})).value;

const about = { description: hostileName, title: hostileName, example: json, nullable: fc.constant(true) };
const optional: { requiredKeys: ["type"] } = { requiredKeys: ["type"] };
const patterns = [
  "^a/b$",
  "[/]*/",
  "\\\\/",
  "\\/",
  "a\u2028b",
  "*/".replace("*", "\\*"),
  "[`]",
  "^\\$\\{1\\}$",
  "(a)//",
  "\n",
];
const schema = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.record(
      {
        ...about,
        type: fc.constant("string"),
        enum: fc.uniqueArray(hostileText, { minLength: 1, maxLength: 4 }),
      },
      optional,
    ),
    fc.record(
      {
        ...about,
        type: fc.constant("string"),
        minLength: fc.nat(9),
        maxLength: fc.integer({ min: 9, max: 99 }),
        pattern: fc.constantFrom(...patterns),
      },
      optional,
    ),
    fc.record(
      {
        ...about,
        type: fc.constant("integer"),
        minimum: fc.integer({ min: -9, max: 0 }),
        maximum: fc.integer({ min: 1, max: 9 }),
        exclusiveMinimum: fc.constant(true),
      },
      { requiredKeys: ["type", "minimum"] },
    ),
    fc.record(
      { ...about, type: fc.constant("number"), multipleOf: fc.double({ min: 0.001, max: 9, noNaN: true }) },
      optional,
    ),
    fc.record({ ...about, type: fc.constant("boolean") }, optional),
    fc.record(
      {
        ...about,
        type: fc.constant("array"),
        items: tie("any"),
        minItems: fc.nat(3),
        maxItems: fc.integer({ min: 3, max: 9 }),
      },
      { requiredKeys: ["type", "items"] },
    ),
    fc.record(
      {
        ...about,
        type: fc.constant("object"),
        properties: fc.dictionary(hostileName, tie("any"), { minKeys: 1, maxKeys: 4 }),
      },
      { requiredKeys: ["type", "properties"] },
    ),
    fc.record(
      { ...about, type: fc.constant("object"), additionalProperties: tie("any") },
      { requiredKeys: ["type", "additionalProperties"] },
    ),
  ),
})).any;

const crdOf = (openAPIV3Schema: object, more: object = {}) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.shop.example.com" },
  spec: {
    group: "shop.example.com",
    names: { kind: "Widget", plural: "widgets", singular: "widget", listKind: "WidgetList" },
    scope: "Namespaced",
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema }, ...more }],
  },
});

const definition = fc
  .record({ spec: schema, description: hostileName, column: hostileName })
  .map(({ spec, description, column }) =>
    crdOf(
      { type: "object", description, properties: { spec } },
      { additionalPrinterColumns: [{ name: column, type: "string", jsonPath: ".spec" }] },
    ),
  );

/** The same text for the same values, with own keys such as `__proto__`, in whatever order they are. */
function canonical(value: unknown): string {
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? "-0" : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const members = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`);
  return `{${members.sort().join()}}`;
}

/** What the module made of a definition defines. */
function imported(crd: unknown, from: string): string {
  const checked = checkedCrd(crd);
  const { source } = definitionSource(checked, from);
  return canonical(comparable(loadDefinition(source, checked.crd.spec.names.kind)));
}

const given = (crd: unknown): string => canonical(comparable(checkedCrd(crd).crd));

test("import crd: the module means exactly what the CRD says, whatever its texts and names hold", () => {
  fc.assert(
    fc.property(definition, hostileText, (crd, from) => {
      expect(imported(crd, from)).toBe(given(crd));
    }),
    { numRuns: 200 },
  );
});

/** Every place in a value, as the keys that lead there. */
function placesIn(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, field]) => placesIn(field, [...path, key]))];
}

function replaced(value: unknown, [key, ...rest]: readonly string[], other: unknown): unknown {
  if (key === undefined) return other;
  if (Array.isArray(value))
    return value.map((item, index) => (String(index) === key ? replaced(item, rest, other) : item));
  return Object.fromEntries(
    Object.entries(value ?? {}).map(([name, field]) => [
      name,
      name === key ? replaced(field, rest, other) : field,
    ]),
  );
}

test("import crd: a value of another type in any place is refused or stays data; it never runs", () => {
  let refused = 0;
  fc.assert(
    fc.property(definition, json, fc.nat(), (crd, other, at) => {
      const places = placesIn(crd);
      const hostile = replaced(crd, places[at % places.length] ?? [], other);
      try {
        imported(hostile, "a file");
      } catch (error) {
        if (!(error instanceof UsageError || error instanceof ValidationError)) throw error;
        refused += 1;
      }
    }),
    { numRuns: 200 },
  );
  expect(refused).toBeGreaterThan(0);
});

test("import crd: an enum of strings with an object that has no text stays data", () => {
  const spec = { type: "object", properties: { a: { type: "string", enum: ["b", { toString: 0 }] } } };
  const crd = crdOf({ type: "object", properties: { spec } });
  expect(imported(crd, "a file")).toBe(given(crd));
});

const numeric = [
  "maximum",
  "minimum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
];
const wrong: readonly (readonly [keyword: string, value: unknown, message: string])[] = [
  ...numeric.map((keyword) => [keyword, `${attack},5`, `.${keyword}: a `] as const),
  ...[Number.NaN, Number.POSITIVE_INFINITY, [5], { valueOf: 5 }].map(
    (value) => ["maximum", value, ".maximum: a finite number is needed"] as const,
  ),
  ["enum", "text", ".enum: a list is needed"],
  ["enum", [new Date(0)], ".enum[0]: a plain object is needed"],
  ["required", "a", ".required: a list is needed"],
  ["properties", ["a"], ".properties: an object is needed"],
  ["pattern", 5, ".pattern: a string is needed"],
  ["nullable", "true", ".nullable: true or false is needed"],
  ["x-kubernetes-validations", [{ message: "x" }], "rule is missing"],
];

test.each(wrong)("import crd: %s = %j is refused", (keyword, value, message) => {
  const spec = { type: "integer", [keyword]: value };
  const version = {
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
  };
  const crd = {
    spec: {
      group: "a.example.com",
      names: { kind: "Widget", plural: "widgets" },
      scope: "Cluster",
      versions: [version],
    },
  };
  expect(() => checkedCrd(crd)).toThrow(message);
});

test("import crd: names of fields that Kubernetes does not have become a comment of one line", () => {
  const version = {
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: "object", [`\n${attack}//`]: 1, [`\u2028${attack}`]: 2 } },
  };
  const crd = {
    spec: {
      group: "a.example.com",
      names: { kind: "Widget", plural: "widgets" },
      scope: "Cluster",
      versions: [version],
    },
  };
  const { source, losses } = definitionSource(checkedCrd(crd), `a\u2028${attack}`);
  expect(losses).toHaveLength(2);
  expect(
    source.split(/[\n\r\u2028\u2029]/).filter((line) => line.includes(canary) && !line.startsWith("// ")),
  ).toEqual([]);
  loadDefinition(source, "Widget");
});

// A custom kind whose objects can be long in every way a schema knows, and objects that are.

const text = { type: "string" };
const item = { type: "object", properties: { name: text, port: { type: "integer" } } };
const list = (items: object, more: object = {}): object => ({ type: "array", items, ...more });

/** What the objects of the kind are made of. */
export const longSchema = {
  type: "object",
  properties: {
    size: { type: "integer", minimum: 0 },
    items: list(item),
    keyed: list(
      { ...item, required: ["name"] },
      { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
    ),
    set: list(text, { "x-kubernetes-list-type": "set" }),
    filled: list({ type: "object", properties: { a: { type: "integer", default: 1 } } }),
    map: {
      type: "object",
      additionalProperties: { type: "object", properties: { a: { type: "integer", default: 1 } } },
    },
    either: list({
      type: "object",
      properties: { a: text, b: text },
      oneOf: [{ required: ["a"] }, { required: ["b"] }],
    }),
    whole: list({
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
    }),
    ruled: list(
      {
        type: "object",
        properties: { a: { type: "integer" } },
        "x-kubernetes-validations": [{ rule: "self.a >= 0" }],
      },
      { maxItems: 30_000 },
    ),
    numbers: list({ type: "integer" }, { maxItems: 500 }),
    patterns: list({ type: "string", maxLength: 40 }, { maxItems: 500 }),
  },
  "x-kubernetes-validations": [
    { rule: "!has(self.numbers) || self.numbers.all(a, self.numbers.all(b, a / (b - b) > 0 || true))" },
    { rule: "!has(self.patterns) || self.patterns.all(p, !'text'.matches(p))" },
  ],
};

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: Math.round(count) }, (_, index) => make(index));
const wrongAtLast = <T>(count: number, make: (index: number) => T, wrong: unknown): unknown[] => [
  ...many(count - 1, make),
  wrong,
];

/** Ways to be long, by name; each is given how long, from 0 to 1. */
export const longContents: Readonly<Record<string, (size: number) => object>> = {
  items: (size) => ({ items: many(40_000 * size, (index) => ({ name: `n${index}`, port: index })) }),
  "items with unknown fields": (size) => ({
    items: many(40_000 * size, (index) => ({ name: `n${index}`, prt: index })),
  }),
  "items with nulls": (size) => ({ items: many(60_000 * size, () => ({ name: null })) }),
  "items, the last wrong": (size) => ({
    items: wrongAtLast(40_000 * size, (index) => ({ name: `n${index}` }), { port: "x" }),
  }),
  "a set": (size) => ({ set: many(90_000 * size, (index) => `n${index}`) }),
  "a set with a duplicate": (size) => ({ set: wrongAtLast(90_000 * size, (index) => `n${index}`, "n0") }),
  "keyed items": (size) => ({ keyed: many(30_000 * size, (index) => ({ name: `n${index}` })) }),
  "keyed items with a duplicate": (size) => ({
    keyed: wrongAtLast(30_000 * size, (index) => ({ name: `n${index}` }), { name: "n0" }),
  }),
  defaults: (size) => ({ filled: many(60_000 * size, () => ({})) }),
  "defaults in a map": (size) => ({
    map: Object.fromEntries(many(40_000 * size, (index) => [`k${index}`, {}])),
  }),
  alternatives: (size) => ({ either: many(60_000 * size, () => ({ a: "x" })) }),
  "whole objects": (size) => ({
    whole: many(10_000 * size, (index) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: `n${index}`, labels: { a: "b" }, other: 1 },
    })),
  }),
  "items with rules": (size) => ({ ruled: many(30_000 * size, (index) => ({ a: index })) }),
  "failures in rules": (size) => ({ numbers: many(500 * size, (index) => index) }),
  "patterns in rules": (size) => ({
    patterns: many(500 * size, (index) => `(a|b|[c-e]){400}x${index}`),
  }),
};

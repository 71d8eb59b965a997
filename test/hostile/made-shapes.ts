// Schemas made up by chance that a server takes, each with a way to make values that fit it.
import type { Random } from "./random.js";

/** A schema and what fits it. */
export interface Shape {
  readonly schema: object;
  make(random: Random): unknown;
}

/** How many objects are in one another. */
const deepest = 3;

const words = ["a", "bee", "cee-1", "delta", "e".repeat(12)];
const names = ["amount", "name", "list", "kind", "port", "free", "zone", "when"];

const text = (more: object, values: readonly string[]): Shape => ({
  schema: { type: "string", maxLength: 40, ...more },
  make: (random) => random.pick(values),
});

const scalars: readonly ((random: Random) => Shape)[] = [
  () => text({}, words),
  () => text({ pattern: "^[a-z][a-z0-9-]*$" }, words),
  () => text({ enum: words }, words),
  () => text({ default: "bee" }, words),
  () => text({ format: "date-time" }, ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5+01:00"]),
  () => text({ format: "duration" }, ["1h", "1m30s"]),
  () => text({ format: "byte" }, ["YQ==", "YWI="]),
  () => text({ "x-kubernetes-validations": [{ rule: "self.startsWith('a') || self.size() > 1" }] }, words),
  (random) => {
    const least = random.below(5);
    return {
      schema: { type: "integer", minimum: least, maximum: least + 1_000, default: least + 1 },
      make: (each) => least + each.below(1_000),
    };
  },
  () => ({ schema: { type: "number" }, make: (random) => random.next() * 10 }),
  () => ({ schema: { type: "boolean", default: true }, make: (random) => random.chance(0.5) }),
  () => ({
    schema: { "x-kubernetes-int-or-string": true },
    make: (random) => (random.chance(0.5) ? random.below(100) : "50%"),
  }),
];

/** An object with fields, `levels` of them one in another. */
export function madeShape(random: Random, levels = deepest): Shape {
  const count = 2 + random.below(5);
  const fields = names
    .slice(0, count)
    .map((name): readonly [string, Shape] => [name, anyShape(random, levels)]);
  const required = names.slice(0, random.below(Math.min(3, count)));
  const rules = fields
    .filter(() => random.chance(0.3))
    .map(([name, { schema }]) => ruleOf(name, schema, levels === deepest));
  return {
    schema: {
      type: "object",
      properties: Object.fromEntries(fields.map(([name, { schema }]) => [name, schema])),
      ...(required.length > 0 ? { required } : {}),
      ...(rules.length > 0 ? { "x-kubernetes-validations": rules } : {}),
    },
    make: (each) =>
      Object.fromEntries(
        fields
          .filter(([name]) => required.includes(name) || each.chance(0.8))
          .map(([name, { make }]) => [name, make(each)]),
      ),
  };
}

const anyShape = (random: Random, levels: number): Shape =>
  levels === 0 || random.chance(0.4)
    ? random.pick(scalars)(random)
    : random.pick(holders)(random, levels - 1);

const holders: readonly ((random: Random, levels: number) => Shape)[] = [
  madeShape,
  madeShape,
  (random, levels) => {
    const { schema, make } = anyShape(random, levels);
    return {
      schema: { type: "object", maxProperties: 6, additionalProperties: schema },
      make: (each) => Object.fromEntries(each.times(each.below(4), (index) => [`k${index}`, make(each)])),
    };
  },
  (random, levels) => {
    const { schema, make } = anyShape(random, levels);
    return {
      schema: { type: "array", maxItems: 6, items: schema },
      make: (each) => each.times(each.below(4), () => make(each)),
    };
  },
  () => ({
    schema: { type: "array", maxItems: 6, "x-kubernetes-list-type": "set", items: text({}, words).schema },
    make: (each) => words.slice(0, each.below(4)),
  }),
  (random, levels) => keyed(madeShape(random, levels)),
  () => ({
    schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    make: (each) => ({ a: each.below(10), b: [{ c: null }] }),
  }),
  (random, levels) => {
    const { schema, make } = madeShape(random, levels);
    return { schema: { ...schema, nullable: true }, make: (each) => (each.chance(0.2) ? null : make(each)) };
  },
];

/** A list of objects told apart by a key. */
function keyed({ schema, make }: Shape): Shape {
  const items = schema as { readonly properties: object; readonly required?: readonly string[] };
  const properties = { ...items.properties, id: { type: "string", maxLength: 20 } };
  return {
    schema: {
      type: "array",
      maxItems: 6,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["id"],
      items: { ...items, properties, required: [...(items.required ?? []), "id"] },
    },
    make: (each) => words.slice(0, each.below(4)).map((id) => ({ ...(make(each) as object), id })),
  };
}

/** Something that is so of all values, or of a change. */
function ruleOf(name: string, schema: object, isOutermost: boolean): object {
  const { type, format } = schema as { readonly type?: string; readonly format?: string };
  const field = `self.${name}`;
  // Texts with a format may be something else to a rule.
  switch (format ?? type) {
    case "string":
      return { rule: `!has(${field}) || ${field}.size() < 40`, message: "too long" };
    case "integer":
      // What is in a list has no past.
      return {
        rule: isOutermost
          ? `!has(${field}) || !has(oldSelf.${name}) || ${field} + 900 >= oldSelf.${name}`
          : `!has(${field}) || ${field} < 10000`,
      };
    case "array":
      return {
        rule: `!has(${field}) || ${field}.size() < 6`,
        messageExpression: `${field}.size() > 20 ? 'far too many' : 'too many'`,
      };
    default:
      return { rule: `!has(${field}) || true` };
  }
}

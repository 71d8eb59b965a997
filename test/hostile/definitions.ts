// Definitions of custom kinds with schemas and rules made up by chance.
import { madeShape } from "./made-shapes.js";
import type { Random } from "./random.js";
import { expression, longExpression } from "./texts.js";
import { fields, key, text, value } from "./values.js";

const types = ["object", "object", "array", "string", "integer", "number", "boolean"];
const formats = ["date-time", "byte", "int32", "int64", "duration", "uuid", "ipv4", "x"];
const patterns = [
  "^[a-z]+$",
  "(a+)+$",
  "(",
  "\\p{L}+",
  "^(?:a|aa)*$",
  "[[:alpha:]]{1,1000}",
  "a{1001}",
  "(?=x)",
];

/** A structural schema, right or nearly. */
export function schema(random: Random, levels = 3): unknown {
  if (random.chance(0.02)) return value(random);
  const type = levels > 0 ? random.pick(types) : random.pick(types.slice(3));
  const entries: [string, unknown][] = [
    ["type", type],
    ...random.times(random.below(3), () => keyword(random, type)),
  ];
  if (type === "object" && levels > 0) {
    if (random.chance(0.8)) entries.push(["properties", properties(random, levels)]);
    else entries.push(["additionalProperties", random.chance(0.8) ? schema(random, levels - 1) : true]);
  }
  if (type === "array") entries.push(["items", schema(random, Math.max(0, levels - 1))]);
  if (random.chance(0.2))
    entries.push(["x-kubernetes-validations", random.times(1 + random.below(3), () => rule(random))]);
  return fields(entries);
}

const properties = (random: Random, levels: number): object =>
  fields(random.times(1 + random.below(4), () => [name(random), schema(random, levels - 1)]));

const name = (random: Random): string =>
  random.chance(0.8) ? random.pick(["size", "name", "list", "free", "spec", "status"]) : key(random);

const rule = (random: Random): object => ({
  rule: expression(random),
  ...(random.chance(0.3) ? { message: text(random) } : {}),
  ...(random.chance(0.2) ? { messageExpression: expression(random, 2) } : {}),
  ...(random.chance(0.1) ? { fieldPath: text(random), reason: "FieldValueInvalid" } : {}),
  ...(random.chance(0.1) ? { optionalOldSelf: true } : {}),
});

function keyword(random: Random, type: string): [string, unknown] {
  switch (random.below(16)) {
    case 0:
      return ["default", value(random, 2)];
    case 1:
      return ["enum", random.times(random.below(4), () => value(random, 1))];
    case 2:
      return ["pattern", random.pick(patterns)];
    case 3:
      return ["format", random.pick(formats)];
    case 4:
      return [random.pick(["minimum", "maximum", "multipleOf"]), random.pick([0, 1, -1, 0.1, 1e308])];
    case 5:
      return [
        random.pick(["maxLength", "minLength", "maxItems", "minItems", "maxProperties"]),
        random.pick([0, 1, 5, -1, 2 ** 53]),
      ];
    case 6:
      return ["required", random.times(random.below(3), () => name(random))];
    case 7:
      return ["nullable", random.chance(0.8)];
    case 8:
      return ["x-kubernetes-list-type", random.pick(["map", "set", "atomic", "x"])];
    case 9:
      return ["x-kubernetes-list-map-keys", random.times(1 + random.below(2), () => name(random))];
    case 10:
      return ["x-kubernetes-preserve-unknown-fields", true];
    case 11:
      return ["x-kubernetes-int-or-string", true];
    case 12:
      return [
        random.pick(["allOf", "anyOf", "oneOf"]),
        random.times(random.below(3), () => schema(random, 0)),
      ];
    case 13:
      return ["not", schema(random, 0)];
    case 14:
      return ["x-kubernetes-embedded-resource", type === "object"];
    default:
      return ["uniqueItems", random.chance(0.5)];
  }
}

/** Kinds that come and go: few, so that objects of them meet the definitions. */
export const customKinds = ["Alpha", "Beta", "Gamma"];

/** Some are right, so that there are objects. */
const specOf = (random: Random): unknown =>
  random.chance(0.4) ? madeShape(random, 2).schema : schema(random);

/** A definition of one of them. */
export function definition(random: Random): { readonly name: string; readonly object: unknown } {
  const kind = random.pick(customKinds);
  const plural = `${kind.toLowerCase()}s`;
  const group = "fuzz.example.com";
  const versions = random.times(random.chance(0.8) ? 1 : 2, (index) => ({
    name: `v${index + 1}`,
    served: true,
    storage: index === 0,
    schema: {
      openAPIV3Schema: { type: "object", properties: { spec: specOf(random), status: schema(random, 2) } },
    },
    ...(random.chance(0.4) ? { subresources: { status: {} } } : {}),
    ...(random.chance(0.2)
      ? {
          additionalPrinterColumns: [
            {
              name: "A",
              type: "string",
              jsonPath: random.pick([".spec.name", ".spec.list[*].a", text(random)]),
            },
          ],
        }
      : {}),
    ...(random.chance(0.2)
      ? { selectableFields: [{ jsonPath: random.pick([".spec.name", text(random)]) }] }
      : {}),
  }));
  const names = { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` };
  const spec = { group, scope: random.pick(["Namespaced", "Cluster"]), names, versions };
  const metadata = { name: `${plural}.${group}` };
  return {
    name: metadata.name,
    object: { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata, spec },
  };
}

/** A definition with a great many of something, or with something deep. */
export function longDefinition(random: Random): unknown {
  const count = random.pick([100, 1_000, 10_000]);
  const many = <T>(make: (index: number) => T, most = count): T[] =>
    Array.from({ length: Math.min(count, most) }, (_, index) => make(index));
  const nested = (depth: number): object => {
    let inner: object = { type: "string" };
    for (let level = 0; level < depth; level++) inner = { type: "object", properties: { a: inner } };
    return inner;
  };
  const size = { size: { type: "integer" }, name: { type: "string" } };
  const ways: readonly (() => object)[] = [
    () => ({ type: "string", enum: many((index) => `value-${index}`) }),
    () => ({
      type: "object",
      properties: Object.fromEntries(many((index) => [`p${index}`, { type: "string" }])),
    }),
    () => ({
      type: "object",
      properties: size,
      oneOf: many((index) => ({ properties: { size: { minimum: index } } })),
    }),
    () => ({ type: "object", properties: size, anyOf: many((index) => ({ required: [`p${index}`] })) }),
    () => ({ type: "object", properties: size, required: many((index) => `p${index}`) }),
    () => ({
      type: "object",
      properties: size,
      "x-kubernetes-validations": many((index) => ({ rule: `self.size != ${index}` }), 1_000),
    }),
    () => ({
      type: "object",
      properties: size,
      "x-kubernetes-validations": many(() => ({ rule: longExpression(random) }), 10),
    }),
    () => nested(Math.min(count, 2_000)),
    () => ({
      type: "object",
      properties: Object.fromEntries(
        many((index) => [`p${index}`, { type: "string", pattern: `^[a-z]+x${index}$` }], 3_000),
      ),
    }),
    () => ({
      type: "string",
      pattern: `^${random.pick(["(a+)+", "(a|b)*", "[a-z]{1,900}", "(?i)é", "(x{1,30}){1,30}"]).repeat(Math.min(count, 300))}$`,
    }),
    () => ({
      type: "array",
      items: { type: "object", properties: size },
      default: many((index) => ({ size: index })),
    }),
    () => ({
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": many((index) => `p${index}`),
      items: {
        type: "object",
        required: many((index) => `p${index}`),
        properties: Object.fromEntries(many((index) => [`p${index}`, { type: "string" }])),
      },
    }),
    () => {
      let inner: object = { type: "object" };
      for (let level = 0; level < Math.min(count, 300); level++)
        inner = { type: "object", allOf: [inner, { not: inner }].slice(0, level % 50 === 0 ? 2 : 1) };
      return inner;
    },
  ];
  const { object } = definition(random);
  const spec = random.pick(ways)();
  const made = structuredClone(object) as {
    spec: { versions: { schema: object; additionalPrinterColumns?: object[] }[] };
  };
  const columns = random.chance(0.2)
    ? many((index) => ({
        name: `c${index}`,
        type: "string",
        jsonPath: random.pick([`.spec.p${index}`, "..a"]),
      }))
    : [];
  for (const version of made.spec.versions) {
    version.schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
    if (columns.length > 0) version.additionalPrinterColumns = columns;
  }
  return made;
}

/** Where definitions are. */
export const customPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** An object of one of them. */
export function customObject(random: Random): { readonly path: string; readonly object: unknown } {
  const kind = random.pick(customKinds);
  const spec = random.chance(0.2)
    ? value(random)
    : fields(random.times(random.below(5), () => [name(random), value(random)]));
  const scope = random.chance(0.7) ? "namespaces/default/" : "";
  return {
    path: `/apis/fuzz.example.com/v1/${scope}${kind.toLowerCase()}s`,
    object: { apiVersion: "fuzz.example.com/v1", kind, metadata: { name: "sample" }, spec },
  };
}

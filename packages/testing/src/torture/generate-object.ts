// Objects made up from the schema of their kind: valid ones, at the bounds of what is valid, from a random source. What the schema cannot say
// (rules, webhooks) the server decides, so a generated object may still be refused.
import type { JSONSchemaProps, KubeObject } from "@kubewright/api";
import { isObject } from "@kubewright/api";
import type { CustomKind } from "@kubewright/runtime";

type Random = () => number;

/** Part of every object, and not of its meaning. */
const notGenerated = new Set(["apiVersion", "kind", "metadata", "status"]);

/** An object like `base` in which a few fields are different; now and then one of which nothing is the same but its name. */
export function generateObject(kind: CustomKind, base: KubeObject, random: Random): KubeObject {
  const version = kind.crd().spec.versions.find(({ name }) => name === kind.version);
  const schema = version?.schema?.openAPIV3Schema ?? {};
  const properties = Object.entries(schema.properties ?? {}).filter(([name]) => !notGenerated.has(name));
  const isNew = random() < 0.25;
  const changed = properties.map(([name, inner]) => {
    const before = (base as Readonly<Record<string, unknown>>)[name];
    let value = isNew || before === undefined ? generateValue(inner, name, random) : before;
    if (!isNew)
      for (let count = 1 + below(3, random); count > 0; count--) value = vary(value, inner, name, random);
    return [name, value] as const;
  });
  return { ...base, ...Object.fromEntries(changed.filter(([, value]) => value !== undefined)) };
}

/** The same value with one thing changed somewhere inside. */
function vary(value: unknown, schema: JSONSchemaProps, name: string, random: Random, depth = 0): unknown {
  const { properties, items } = schema;
  const isWhole = depth > 0 && random() < 0.2;
  if (isObject(value) && properties && !isWhole) return varyObject(value, schema, random, depth);
  if (Array.isArray(value) && isSchema(items) && value.length > 0 && !isWhole) {
    const index = below(value.length, random);
    return value.with(index, vary(value[index], items, name, random, depth + 1));
  }
  return generateValue(schema, name, random, depth);
}

function varyObject(
  value: Readonly<Record<string, unknown>>,
  { properties = {}, required = [] }: JSONSchemaProps,
  random: Random,
  depth: number,
): unknown {
  const field = pick(Object.keys(properties), random);
  const inner = field === undefined ? undefined : properties[field];
  if (field === undefined || !inner) return value;
  const { [field]: before, ...others } = value;
  const mayGo = !required.includes(field) && before !== undefined;
  if (mayGo && random() < 0.3) return others;
  const after =
    before === undefined
      ? generateValue(inner, field, random, depth + 1)
      : vary(before, inner, field, random, depth + 1);
  return { ...others, [field]: after };
}

/** A value that a schema allows. */
export function generateValue(schema: JSONSchemaProps, name: string, random: Random, depth = 0): unknown {
  if (schema.enum && schema.enum.length > 0) return pick(schema.enum, random);
  if (schema.default !== undefined && random() < 0.3) return schema.default;
  if (schema["x-kubernetes-int-or-string"]) return pick([0, 1, 2, "0%", "25%", "100%"], random);
  switch (schema.type) {
    case "integer":
    case "number":
      return pick(numbersOf(schema, name), random);
    case "boolean":
      return random() < 0.5;
    case "array":
      return generateList(schema, name, random, depth);
    case "string":
      return pick(textsOf(schema, name), random);
    default:
      return generateFields(schema, random, depth);
  }
}

/** The deeper, the fewer optional fields: templates of pods have no end. */
function generateFields(
  { properties = {}, required = [], additionalProperties }: JSONSchemaProps,
  random: Random,
  depth: number,
): object {
  const names = Object.keys(properties).filter(
    (name) => required.includes(name) || random() < 0.5 / (depth + 1) ** 2,
  );
  const fields = names.flatMap((name) => {
    const inner = properties[name];
    return inner && depth < 8 ? [[name, generateValue(inner, name, random, depth + 1)] as const] : [];
  });
  const more = isSchema(additionalProperties) ? additionalProperties : undefined;
  const keys = more && depth < 8 ? ["a", "b"].slice(0, below(3, random)) : [];
  return Object.fromEntries([
    ...fields,
    ...keys.map((key) => [key, generateValue(more ?? {}, key, random, depth + 1)] as const),
  ]);
}

function generateList(
  { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY }: JSONSchemaProps,
  name: string,
  random: Random,
  depth: number,
): readonly unknown[] {
  if (!isSchema(items)) return [];
  const length = Math.min(minItems + below(depth < 3 ? 3 : 2, random), maxItems);
  return Array.from({ length }, () => generateValue(items, name.replace(/s$/, ""), random, depth + 1));
}

/** How many there are of something: the largest number would fill the cluster, and the machine. */
const isCount = (name: string): boolean =>
  /replicas|size|count|parallelism|completions|limit|members/i.test(name);

/** The bounds, what is next to them, and what people write. */
function numbersOf(schema: JSONSchemaProps, name: string): readonly number[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const least = (minimum ?? Number.NEGATIVE_INFINITY) + (exclusiveMinimum ? 1 : 0);
  const most = (maximum ?? Number.POSITIVE_INFINITY) - (exclusiveMaximum ? 1 : 0);
  const largest = isCount(name) ? Math.max(5, least + 1) : most;
  const usual = /port$/i.test(name) ? [80, 8080, 443] : [0, 1, 2, 3];
  const candidates = [...usual, least, least + 1, most - 1, most]
    .filter((value) => Number.isFinite(value) && value >= least && value <= most && value <= largest)
    .map((value) => (multipleOf ? value - (value % multipleOf) : value));
  return candidates.length > 0 ? candidates : [minimum ?? 1];
}

const texts = [
  ...["example", "a", "example.com", "Example Text", "1", "25%", "10m", "1h", "1Gi", "500m", "0", ""],
  ...["https://example.com", "/example", "0 * * * *", "* * * * *", "Europe/Berlin", "v1", "1.0.0", "3.5.21"],
];
const likely: readonly (readonly [RegExp, readonly string[]])[] = [
  [/image$/i, ["nginx:1.27", "busybox"]],
  [/schedule|cron/i, ["0 * * * *", "30 4 1 * *"]],
  [/host(name)?$/i, ["example.com", "*.example.com"]],
  [/path$/i, ["/", "/healthz"]],
];

/** Texts that match the pattern and have the length, the shortest and the longest among them. */
function textsOf(schema: JSONSchemaProps, name: string): readonly string[] {
  const { format, pattern, minLength = 0, maxLength = 1_000 } = schema;
  if (format === "date-time") return ["2026-01-01T00:00:00Z", "2030-12-31T23:59:59Z"];
  if (format === "date") return ["2026-01-01", "2028-02-29"];
  if (format === "duration") return ["0s", "10m", "24h"];
  if (format === "byte") return ["", "ZXhhbXBsZQ=="];
  const named = likely.find(([like]) => like.test(name))?.[1] ?? [];
  const lengths = ["a".repeat(Math.max(minLength, 1)), "a".repeat(Math.min(maxLength, 63))];
  const matches = matcherOf(pattern);
  const fitting = [...named, ...named, ...lengths, ...texts].filter(
    (text) => text.length >= minLength && text.length <= maxLength && matches(text),
  );
  return fitting.length > 0 ? fitting : ["example"];
}

/** Patterns are RE2's; one that JavaScript does not know is left to the server. */
function matcherOf(pattern: string | undefined): (text: string) => boolean {
  if (pattern === undefined) return () => true;
  try {
    const expression = new RegExp(pattern);
    return (text) => expression.test(text);
  } catch {
    return () => true;
  }
}

const below = (limit: number, random: Random): number => Math.floor(random() * limit);

function pick<T>(values: readonly T[], random: Random): T | undefined {
  return values[below(values.length, random)];
}

const isSchema = (value: unknown): value is JSONSchemaProps => typeof value === "object" && value !== null;

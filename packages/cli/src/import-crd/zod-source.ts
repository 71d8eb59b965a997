// A structural schema as the zod and `kube` expression that makes it. What has no expression of its own is laid over with
// `kube.keywords`, so that nothing is lost.
import type { ValidationRule } from "@kubewright/api";
import { isListMapItem, isSchema, pickKeywords, type Schema } from "./schema-shape.js";
import { listText, literal, objectText } from "./source-text.js";

/** Deeper than any schema that Kubernetes accepts. */
const maxDepth = 100;

/** Keywords that say something about the field rather than about its values. */
const aroundValue = [
  "description",
  "title",
  "example",
  "default",
  "nullable",
  "x-kubernetes-validations",
] as const;

/** The expression for a field; `optional` where it may be left out. */
export function zodSource(schema: Schema, optional = false, depth = 0): string {
  if (depth > maxDepth) throw new Error("the schema is nested too deeply");
  const [about, value] = pickKeywords(schema, aroundValue);
  const { expression, used } = valueSource(value, depth);
  const rest = Object.entries(value).filter(([key]) => !used.has(key));
  return [
    expression,
    rest.length > 0 ? `.check(kube.keywords(${literal(Object.fromEntries(rest))}))` : "",
    ...(about["x-kubernetes-validations"] ?? []).map((rule) => `.check(${ruleSource(rule)})`),
    about.nullable ? ".nullable()" : "",
    about.default !== undefined ? defaultSource(about.default) : optional ? ".optional()" : "",
    about.title !== undefined || about.example !== undefined
      ? `.meta(${literal({ title: about.title, example: about.example })})`
      : "",
    about.description ? `.describe(${JSON.stringify(about.description)})` : "",
  ].join("");
}

/** A call of `rule`. */
export function ruleSource({ rule, ...options }: ValidationRule): string {
  const { message, ...more } = options;
  if (Object.keys(more).length > 0) return `rule(${JSON.stringify(rule)}, ${literal(options)})`;
  return `rule(${[rule, message]
    .filter((text) => text !== undefined)
    .map((text) => JSON.stringify(text))
    .join(", ")})`;
}

/** Objects are defaulted as a user would write them, so that defaults inside them follow. */
const defaultSource = (value: unknown): string =>
  `.${typeof value === "object" && value !== null ? "prefault" : "default"}(${literal(value)})`;

interface ValueSource {
  readonly expression: string;
  /** The keywords the expression stands for. */
  readonly used: ReadonlySet<string>;
}

function valueSource(schema: Schema, depth: number): ValueSource {
  if (schema["x-kubernetes-int-or-string"]) return intOrString;
  switch (schema.type) {
    case "string":
      return stringSource(schema);
    case "integer":
    case "number":
      return numberSource(schema);
    case "boolean":
      return { expression: "z.boolean()", used: new Set(["type"]) };
    case "array":
      return arraySource(schema, depth);
    case "object":
      return objectSource(schema, depth);
    default:
      return { expression: "z.unknown()", used: new Set(["x-kubernetes-preserve-unknown-fields"]) };
  }
}

const intOrString: ValueSource = {
  expression: "kube.intOrString()",
  used: new Set(["x-kubernetes-int-or-string", "type"]),
};

const stringFormats: Readonly<Record<string, string>> = {
  "date-time": "kube.time()",
  byte: "kube.bytes()",
  duration: "kube.duration()",
  email: "z.email()",
  hostname: "z.hostname()",
  ipv4: "z.ipv4()",
  ipv6: "z.ipv6()",
  uri: "z.url()",
};

function stringSource(schema: Schema): ValueSource {
  const used = new Set(["type"]);
  const values = schema.enum;
  if (values && isTextEnum(values))
    return { expression: `z.enum(${literal(values)})`, used: used.add("enum") };
  const format = Object.hasOwn(stringFormats, schema.format ?? "")
    ? stringFormats[schema.format ?? ""]
    : undefined;
  let expression = format ?? "z.string()";
  if (format) used.add("format");
  for (const [keyword, method] of [
    ["minLength", "min"],
    ["maxLength", "max"],
  ] as const) {
    if (schema[keyword] === undefined) continue;
    expression += `.${method}(${schema[keyword]})`;
    used.add(keyword);
  }
  const pattern = schema.pattern === undefined ? undefined : patternSource(schema.pattern);
  if (pattern !== undefined) {
    expression += `.regex(${pattern})`;
    used.add("pattern");
  }
  return { expression, used };
}

const isTextEnum = (values: readonly unknown[]): boolean =>
  values.length > 0 &&
  values.every((value) => typeof value === "string") &&
  new Set(values).size === values.length;

/** A regular expression literal whose text is the pattern's; undefined where JavaScript would not read it so. */
function patternSource(pattern: string): string | undefined {
  if (pattern === "" || /\\[pPux1-9k/]|\(\?<?[=!]/.test(pattern) || pattern.includes("\n")) return undefined;
  try {
    const { source } = new RegExp(pattern);
    return source.replaceAll("\\/", "/") === pattern ? `/${source}/` : undefined;
  } catch {
    return undefined;
  }
}

const numberFormats: Readonly<Record<string, string>> = {
  float: "z.float32()",
  double: "z.float64()",
};

function numberSource(schema: Schema): ValueSource {
  const used = new Set(["type"]);
  const values = schema.enum;
  const isInteger = schema.type === "integer";
  if (values && values.length > 0 && values.every((value) => typeof value === "number")) {
    const isWhole = values.every(Number.isInteger);
    if (isWhole === isInteger) return { expression: `z.literal(${literal(values)})`, used: used.add("enum") };
  }
  const format = isInteger ? wholeFormat(schema) : numberFormats[schema.format ?? ""];
  let expression = format ?? (isInteger ? "z.int()" : "z.number()");
  if (format) used.add("format");
  const { minimum, maximum, multipleOf } = schema;
  if (minimum !== undefined) expression += `.${schema.exclusiveMinimum ? "gt" : "min"}(${minimum})`;
  if (maximum !== undefined) expression += `.${schema.exclusiveMaximum ? "lt" : "max"}(${maximum})`;
  if (multipleOf !== undefined) expression += `.multipleOf(${multipleOf})`;
  for (const keyword of ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"])
    used.add(keyword);
  return { expression, used };
}

/** `z.int32()` has the bounds of its format, which a definition that names the format alone has not. */
const wholeFormat = ({ format, minimum, maximum }: Schema): string | undefined =>
  format === "int32" && minimum !== undefined && maximum !== undefined ? "z.int32()" : undefined;

function arraySource(schema: Schema, depth: number): ValueSource {
  const items = isSchema(schema.items) ? schema.items : undefined;
  const used = new Set(["type", "items", "minItems", "maxItems"]);
  const item = items ? zodSource(items, false, depth + 1) : "z.unknown()";
  const sizes = [
    schema.minItems === undefined ? "" : `.min(${schema.minItems})`,
    schema.maxItems === undefined ? "" : `.max(${schema.maxItems})`,
  ].join("");
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const type = schema["x-kubernetes-list-type"];
  if (type === "map" && keys.length > 0 && items && isListMapItem(items, keys)) {
    used.add("x-kubernetes-list-type").add("x-kubernetes-list-map-keys");
    return {
      expression: `kube.listMap(${item}, ${listText(keys.map((key) => JSON.stringify(key)))})${sizes}`,
      used,
    };
  }
  if (type === "set" || type === "atomic") {
    used.add("x-kubernetes-list-type");
    return { expression: `kube.list${type === "set" ? "Set" : "Atomic"}(${item})${sizes}`, used };
  }
  return { expression: `z.array(${item})${sizes}`, used };
}

function objectSource(schema: Schema, depth: number): ValueSource {
  const { properties, additionalProperties } = schema;
  const used = new Set(["type", "x-kubernetes-preserve-unknown-fields"]);
  if (isSchema(additionalProperties) && !properties && !schema["x-kubernetes-preserve-unknown-fields"]) {
    const value = zodSource(additionalProperties, false, depth + 1);
    return { expression: `z.record(z.string(), ${value})`, used: used.add("additionalProperties") };
  }
  if (additionalProperties === true && !properties)
    return { expression: "z.record(z.string(), z.unknown())", used: new Set(["type"]) };
  if (
    schema["x-kubernetes-embedded-resource"] &&
    schema["x-kubernetes-preserve-unknown-fields"] &&
    !properties
  )
    return { expression: "kube.embeddedResource()", used: used.add("x-kubernetes-embedded-resource") };
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(properties ?? {}).map(
    ([name, field]) => [name, zodSource(field, !required.has(name), depth + 1)] as const,
  );
  used.add("properties");
  // What is required and has a default is not, as zod has it; the definition may say so all the same.
  const isPlain = (name: string) =>
    Object.hasOwn(properties ?? {}, name) && properties?.[name]?.default === undefined;
  if ([...required].every(isPlain)) used.add("required");
  const loose = schema["x-kubernetes-preserve-unknown-fields"] ? "looseObject" : "object";
  return { expression: `z.${loose}(${objectText(fields)})`, used };
}

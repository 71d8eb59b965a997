// A structural schema as the zod and `kube` expression that makes it. What has no expression of its own is laid over with
// `kube.keywords`, so that nothing is lost.
import { deepEqual, type ValidationRule } from "@kubewright/api";
import { recogniseBuiltIn } from "./built-in-types.js";
import { type Code, code, identifier, join, object, regex } from "./code.js";
import { inner, type Place } from "./place.js";
import { isListMapItem, isSchema, pickKeywords, type Schema } from "./schema-shape.js";

/** Keywords that say something about the field rather than about its values. */
const aroundValue = [
  "description",
  "title",
  "example",
  "default",
  "nullable",
  "x-kubernetes-validations",
] as const;

/** The expression for the field at a place; `optional` where it may be left out. */
export function zodSource(schema: Schema, place: Place, optional = false): Code {
  const [about, value] = pickKeywords(schema, aroundValue);
  const { expression, used } = valueSource(about.nullable ? withoutEnum(value) : value, place);
  const rest = Object.entries(value).filter(([key]) => !used.has(key));
  const { title, example, description } = about;
  return join([
    expression,
    ...(about.nullable ? [code`.nullable()`] : []),
    ...(rest.length > 0 ? [code`.check(kube.keywords(${Object.fromEntries(rest)}))`] : []),
    ...(about["x-kubernetes-validations"] ?? []).map((rule) => code`.check(${ruleSource(rule)})`),
    ...(about.default !== undefined ? [defaultSource(about.default)] : optional ? [code`.optional()`] : []),
    ...(title !== undefined || example !== undefined ? [code`.meta(${{ title, example }})`] : []),
    ...(description ? [code`.describe(${description})`] : []),
  ]);
}

/** `z.enum(…).nullable()` has null among its values, which a definition may leave out although the field is nullable. */
const withoutEnum = ({ enum: _values, ...schema }: Schema): Schema => schema;

/** A call of `rule`. */
export function ruleSource({ rule, ...options }: ValidationRule): Code {
  const { message, ...more } = options;
  if (Object.keys(more).length > 0) return code`rule(${rule}, ${options})`;
  return message === undefined ? code`rule(${rule})` : code`rule(${rule}, ${message})`;
}

/** Objects are defaulted as a user would write them, so that defaults inside them follow. */
const defaultSource = (value: unknown): Code =>
  typeof value === "object" && value !== null ? code`.prefault(${value})` : code`.default(${value})`;

interface ValueSource {
  readonly expression: Code;
  /** The keywords the expression stands for. */
  readonly used: ReadonlySet<string>;
}

function valueSource(schema: Schema, place: Place): ValueSource {
  if (schema["x-kubernetes-int-or-string"]) return intOrStringSource(schema);
  switch (schema.type) {
    case "string":
      return stringSource(schema);
    case "integer":
    case "number":
      return numberSource(schema);
    case "boolean":
      return { expression: code`z.boolean()`, used: new Set(["type"]) };
    case "array":
      return arraySource(schema, place);
    case "object":
      return builtInSource(schema, place) ?? objectSource(schema, place);
    default:
      return { expression: code`z.unknown()`, used: new Set(["x-kubernetes-preserve-unknown-fields"]) };
  }
}

function intOrStringSource({ anyOf, pattern }: Schema): ValueSource {
  const used = new Set(["x-kubernetes-int-or-string", "type"]);
  // Go tooling spells out what the keyword means anyway.
  if (deepEqual(anyOf, [{ type: "integer" }, { type: "string" }])) used.add("anyOf");
  if (pattern !== quantityPattern) return { expression: code`kube.intOrString()`, used };
  return { expression: code`kube.quantity()`, used: used.add("pattern") };
}

/** The pattern of amounts such as `500m`, as Go tooling writes it. */
const quantityPattern =
  "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$";

/** A built-in type, which is referred to; undefined where the schema is no built-in type's. */
function builtInSource(schema: Schema, place: Place): ValueSource | undefined {
  const found = recogniseBuiltIn(schema, place.field);
  if (found.state === "near") place.findings.near(place, found);
  if (found.state !== "same") return undefined;
  place.findings.same(place, found);
  return { expression: code`kube.${identifier(found.type)}`, used: new Set(Object.keys(schema)) };
}

const stringFormats: Readonly<Record<string, Code>> = {
  "date-time": code`kube.time()`,
  byte: code`kube.bytes()`,
  duration: code`kube.duration()`,
  email: code`z.email()`,
  hostname: code`z.hostname()`,
  ipv4: code`z.ipv4()`,
  ipv6: code`z.ipv6()`,
  uri: code`z.url()`,
};

function stringSource(schema: Schema): ValueSource {
  const used = new Set(["type"]);
  const values = schema.enum;
  if (values && isTextEnum(values)) return { expression: code`z.enum(${values})`, used: used.add("enum") };
  const format = Object.hasOwn(stringFormats, schema.format ?? "")
    ? stringFormats[schema.format ?? ""]
    : undefined;
  let expression = format ?? code`z.string()`;
  if (format) used.add("format");
  for (const [keyword, method] of [
    ["minLength", "min"],
    ["maxLength", "max"],
  ] as const) {
    if (schema[keyword] === undefined) continue;
    expression = code`${expression}.${identifier(method)}(${schema[keyword]})`;
    used.add(keyword);
  }
  const pattern = schema.pattern === undefined ? undefined : patternSource(schema.pattern);
  if (pattern !== undefined) {
    expression = code`${expression}.regex(${pattern})`;
    used.add("pattern");
  }
  return { expression, used };
}

/** zod keeps the values of an enum as keys of an object, which has an order of its own for numbers and no place for `__proto__`. */
function isTextEnum(values: readonly unknown[]): boolean {
  if (values.length === 0 || !values.every((value) => typeof value === "string" && value !== "__proto__"))
    return false;
  const keys = Object.keys(Object.fromEntries(values.map((value) => [value, value])));
  return keys.length === values.length && keys.every((key, index) => key === values[index]);
}

/** A regular expression literal whose text is the pattern's; undefined where JavaScript would not read it so. */
function patternSource(pattern: string): Code | undefined {
  if (pattern === "" || /\\[pPux1-9k/]|\(\?<?[=!]/.test(pattern) || pattern.includes("\n")) return undefined;
  try {
    const expression = new RegExp(pattern);
    return expression.source.replaceAll("\\/", "/") === pattern ? regex(expression) : undefined;
  } catch {
    return undefined;
  }
}

const numberFormats: Readonly<Record<string, Code>> = {
  float: code`z.float32()`,
  double: code`z.float64()`,
};

function numberSource(schema: Schema): ValueSource {
  const used = new Set(["type"]);
  const values = schema.enum;
  const isInteger = schema.type === "integer";
  if (values && values.length > 0 && values.every((value) => typeof value === "number")) {
    const isWhole = values.every(Number.isInteger);
    if (isWhole === isInteger) return { expression: code`z.literal(${values})`, used: used.add("enum") };
  }
  const format = isInteger ? wholeFormat(schema) : numberFormats[schema.format ?? ""];
  let expression = format ?? (isInteger ? code`z.int()` : code`z.number()`);
  if (format) used.add("format");
  const { minimum, maximum, multipleOf } = schema;
  const least = schema.exclusiveMinimum ? code`gt` : code`min`;
  const most = schema.exclusiveMaximum ? code`lt` : code`max`;
  if (minimum !== undefined) expression = code`${expression}.${least}(${minimum})`;
  if (maximum !== undefined) expression = code`${expression}.${most}(${maximum})`;
  if (multipleOf !== undefined) expression = code`${expression}.multipleOf(${multipleOf})`;
  for (const keyword of ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"])
    used.add(keyword);
  return { expression, used };
}

/** `z.int32()` has the bounds of its format, which a definition that names the format alone has not. */
const wholeFormat = ({ format, minimum, maximum }: Schema): Code | undefined =>
  format === "int32" && minimum !== undefined && maximum !== undefined ? code`z.int32()` : undefined;

function arraySource(schema: Schema, place: Place): ValueSource {
  const items = isSchema(schema.items) ? schema.items : undefined;
  const used = new Set(["type", "items", "minItems", "maxItems"]);
  const item = items ? zodSource(items, inner(place, "[]", place.field)) : code`z.unknown()`;
  const sizes = join([
    ...(schema.minItems === undefined ? [] : [code`.min(${schema.minItems})`]),
    ...(schema.maxItems === undefined ? [] : [code`.max(${schema.maxItems})`]),
  ]);
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const type = schema["x-kubernetes-list-type"];
  if (type === "map" && keys.length > 0 && items && isListMapItem(items, keys)) {
    used.add("x-kubernetes-list-type").add("x-kubernetes-list-map-keys");
    return { expression: code`kube.listMap(${item}, ${keys})${sizes}`, used };
  }
  if (type === "set" || type === "atomic") {
    used.add("x-kubernetes-list-type");
    const name = type === "set" ? code`listSet` : code`listAtomic`;
    return { expression: code`kube.${name}(${item})${sizes}`, used };
  }
  return { expression: code`z.array(${item})${sizes}`, used };
}

function objectSource(schema: Schema, place: Place): ValueSource {
  const { properties, additionalProperties } = schema;
  const used = new Set(["type", "x-kubernetes-preserve-unknown-fields"]);
  if (isSchema(additionalProperties) && !properties && !schema["x-kubernetes-preserve-unknown-fields"]) {
    const value = zodSource(additionalProperties, inner(place, "*", place.field));
    return { expression: code`z.record(z.string(), ${value})`, used: used.add("additionalProperties") };
  }
  if (additionalProperties === true && !properties)
    return { expression: code`z.record(z.string(), z.unknown())`, used: new Set(["type"]) };
  if (
    schema["x-kubernetes-embedded-resource"] &&
    schema["x-kubernetes-preserve-unknown-fields"] &&
    !properties
  )
    return { expression: code`kube.embeddedResource()`, used: used.add("x-kubernetes-embedded-resource") };
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(properties ?? {}).map(
    ([name, field]) => [name, zodSource(field, inner(place, name), !required.has(name))] as const,
  );
  used.add("properties");
  // What is required and has a default is not, as zod has it; the definition may say so all the same.
  const isPlain = (name: string) =>
    Object.hasOwn(properties ?? {}, name) && properties?.[name]?.default === undefined;
  if ([...required].every(isPlain)) used.add("required");
  const loose = schema["x-kubernetes-preserve-unknown-fields"] ? code`looseObject` : code`object`;
  return { expression: code`z.${loose}(${object(fields)})`, used };
}

// Values that could stand in a field, and what its schema says about it, in words.
import type { JSONSchemaProps } from "@kubewright/api";

/** Texts that fit the patterns people write, the likeliest first. */
const texts = [
  "example",
  "example.com",
  "25%",
  "1",
  "10m",
  "1Gi",
  "https://example.com",
  "0 * * * *",
  "v1",
  "1.0.0",
  "E",
  "/example",
];

const byName: readonly (readonly [RegExp, string])[] = [
  [/image$/i, "nginx:1.27"],
  [/host(name)?$/i, "example.com"],
  [/(url|uri)$/i, "https://example.com"],
  [/path$/i, "/"],
  [/schedule|cron/i, "0 * * * *"],
  [/storage|memory|size$/i, "1Gi"],
];

/** A value for a field; another one at each attempt. */
export function exampleOf(schema: JSONSchemaProps, name: string, attempt: number): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.enum && schema.enum.length > 0) return schema.enum[Math.min(attempt, schema.enum.length - 1)];
  if (schema["x-kubernetes-int-or-string"]) return attempt % 2 === 0 ? 1 : "25%";
  switch (schema.type) {
    case "integer":
    case "number":
      return numberFor(schema, name);
    case "boolean":
      return attempt % 2 === 1;
    case "array":
      return [];
    case "string":
      return textFor(schema, name, attempt);
    default:
      return {};
  }
}

function numberFor(
  { minimum, maximum, multipleOf, exclusiveMinimum }: JSONSchemaProps,
  name: string,
): number {
  const preferred = /port$/i.test(name) ? 8080 : Math.max(1, multipleOf ?? 1);
  const least = (minimum ?? Number.NEGATIVE_INFINITY) + (exclusiveMinimum ? 1 : 0);
  return Math.min(Math.max(preferred, least), maximum ?? Number.POSITIVE_INFINITY);
}

function textFor({ format, minLength = 0 }: JSONSchemaProps, name: string, attempt: number): string {
  if (format === "date-time") return "2026-01-01T00:00:00Z";
  if (format === "date") return "2026-01-01";
  if (format === "duration") return "10m";
  if (format === "byte") return "ZXhhbXBsZQ==";
  const likely = byName.find(([pattern]) => pattern.test(name))?.[1];
  const candidates = likely === undefined ? texts : [likely, ...texts];
  return (candidates[attempt] ?? "example").padEnd(minLength, "x");
}

/** The description, the type, its bounds and its default. */
export function explained(schema: JSONSchemaProps): string {
  const { description = "" } = schema;
  const facts = [typeOf(schema), bounds(schema), fallback(schema)].filter((text) => text !== "").join(", ");
  const first = description.trim().replace(/([^.!?…])$/, "$1.");
  return [first, facts === "" ? "" : `${facts[0]?.toUpperCase()}${facts.slice(1)}.`]
    .filter(Boolean)
    .join(" ");
}

const words: Readonly<Record<string, string>> = {
  string: "text",
  integer: "whole number",
  number: "number",
  boolean: "true or false",
  array: "list",
};

function typeOf({ type = "", enum: choices, format, items, ...rest }: JSONSchemaProps): string {
  if (choices) return `one of ${choices.map(String).join(", ")}`;
  if (rest["x-kubernetes-int-or-string"]) return "number or text";
  if (type === "array" && items && "type" in items && items.type === "string") return "list of texts";
  if (type === "string" && format) return `text (${format})`;
  return words[type] ?? "";
}

function bounds({ minimum, maximum, minLength, maxLength, minItems, pattern }: JSONSchemaProps): string {
  const small = maximum !== undefined && maximum < 2 ** 31 - 1 ? maximum : undefined;
  const parts = [
    minimum !== undefined && small !== undefined ? `${minimum} to ${small}` : "",
    minimum !== undefined && small === undefined ? `at least ${minimum}` : "",
    minimum === undefined && small !== undefined ? `at most ${small}` : "",
    minLength ? `at least ${counted(minLength)}` : "",
    maxLength ? `at most ${counted(maxLength)}` : "",
    minItems ? `at least ${minItems}` : "",
    pattern ? `like ${pattern}` : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

const counted = (length: number): string => `${length} character${length === 1 ? "" : "s"}`;

function fallback({ default: value }: JSONSchemaProps): string {
  return value === undefined ? "" : `default ${JSON.stringify(value)}`;
}

// Whether preparing a schema takes so long that others should have their turn meanwhile. Most are small: their forms are made when they
// are first needed, in less time than it takes to wait.
import type { JSONSchemaProps } from "@kubewright/api";

/** Schemas of so many parts take a few milliseconds. */
const mostParts = 1_000;

/** So many characters of rules and patterns take as long as a part. */
const textPerPart = 20;

/** Stops looking as soon as it knows. */
export function isLargeSchema(schema: JSONSchemaProps): boolean {
  const pending: JSONSchemaProps[] = [schema];
  let parts = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    parts += 1 + ownParts(next);
    if (parts + pending.length > mostParts) return true;
    for (const child of below(next)) {
      pending.push(child);
      if (parts + pending.length > mostParts) return true;
    }
  }
  return false;
}

function ownParts(schema: JSONSchemaProps): number {
  const rules = schema["x-kubernetes-validations"] ?? [];
  let text = schema.pattern?.length ?? 0;
  for (const { rule, messageExpression } of rules) text += rule.length + (messageExpression?.length ?? 0);
  // Counted repetitions are written out.
  const repeats = schema.pattern?.includes("{") ? mostParts / 10 : 0;
  return (schema.enum?.length ?? 0) + (schema.required?.length ?? 0) + text / textPerPart + repeats;
}

function* below(schema: JSONSchemaProps): Generator<JSONSchemaProps> {
  const { properties, items, additionalProperties, allOf, anyOf, oneOf, not } = schema;
  for (const name in properties) {
    const property = properties[name];
    if (property !== undefined) yield property;
  }
  if (isSchema(items)) yield items;
  if (isSchema(additionalProperties)) yield additionalProperties;
  if (not !== undefined) yield not;
  for (const alternatives of [allOf, anyOf, oneOf]) if (alternatives !== undefined) yield* alternatives;
}

const isSchema = (value: unknown): value is JSONSchemaProps =>
  typeof value === "object" && value !== null && !Array.isArray(value);

// An object of a kind in which every field of the schema is set, to something other than its default: a field that a conversion loses is
// missed afterwards, where a default would have come back unnoticed.
import type { JSONSchemaProps, KubeObject } from "@kubewright/api";

/** A version of a kind, as `defineResource` makes it. */
export interface VersionSchema {
  readonly apiVersion: string;
  readonly kind: string;
  readonly schema: JSONSchemaProps;
}

/** Strings need not match patterns, formats or rules: stored objects may be older than those. */
export function distinctObject({ apiVersion, kind, schema }: VersionSchema): KubeObject {
  const fields = Object.entries(schema.properties ?? {})
    .filter(([name]) => !["apiVersion", "kind", "metadata"].includes(name))
    .map(([name, field]) => [name, distinctValue(field)]);
  return { apiVersion, kind, metadata: { name: "sample" }, ...Object.fromEntries(fields) };
}

function distinctValue(schema: JSONSchemaProps): unknown {
  const { enum: choices, default: standard } = schema;
  if (choices) return choices.findLast((choice) => choice !== standard) ?? standard;
  if (schema["x-kubernetes-int-or-string"]) return standard === 8081 ? 8082 : 8081;
  switch (schema.type) {
    case "object":
      return distinctFields(schema);
    case "array":
      return [distinctValue(itemsOf(schema))];
    case "boolean":
      return standard !== true;
    case "integer":
    case "number":
      return distinctNumber(schema);
    case "string":
      return distinctText(schema);
    default:
      return { sample: "text" };
  }
}

function distinctFields({ properties, additionalProperties }: JSONSchemaProps): unknown {
  const fields = Object.entries(properties ?? {}).map(([name, field]) => [name, distinctValue(field)]);
  const values = typeof additionalProperties === "object" ? additionalProperties : undefined;
  return Object.fromEntries(values ? [...fields, ["sample", distinctValue(values)]] : fields);
}

/** Structural schemas have one schema for all items. */
const itemsOf = ({ items }: JSONSchemaProps): JSONSchemaProps =>
  items === undefined || Array.isArray(items) ? {} : (items as JSONSchemaProps);

/** Within the bounds, as far as there is room beside the default. */
function distinctNumber({ default: standard, minimum, maximum }: JSONSchemaProps): number {
  const start = typeof standard === "number" ? standard : (minimum ?? 0);
  return maximum !== undefined && start + 1 > maximum ? start - 1 : start + 1;
}

function distinctText({ default: standard, format, maxLength = 64 }: JSONSchemaProps): string {
  if (format === "date-time") return "2001-02-03T04:05:06Z";
  if (format === "date") return "2001-02-03";
  if (format === "byte") return "c2FtcGxl";
  const text = typeof standard === "string" ? `${standard}-sample` : "sample";
  return text.slice(-Math.max(1, maxLength));
}

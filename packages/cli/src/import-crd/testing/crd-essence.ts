// When two CustomResourceDefinitions accept, default and keep the same objects, though they say so differently.
import type { CustomResourceDefinition } from "@kubewright/api";

const impliedAt = (key: string, value: unknown, within: Record<string, unknown>): boolean =>
  (key === "anyOf" && within["x-kubernetes-int-or-string"] === true) ||
  (key === "format" && (value === "int64" || value === "int32")) ||
  (within["type"] === "integer" && value === (key === "minimum" ? -2147483648 : 2147483647));

/** Without what says nothing more: number formats, their bounds, `anyOf` of int-or-string, and required fields that have a default. */
function essence(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(essence);
  if (typeof value !== "object" || value === null) return value;
  const record = value as Record<string, unknown>;
  const properties = (record["properties"] ?? {}) as Record<string, { default?: unknown }>;
  return Object.fromEntries(
    Object.entries(record)
      .filter(([key, field]) => !impliedAt(key, field, record))
      .map(([key, field]) => {
        if (key !== "required" || !Array.isArray(field)) return [key, essence(field)] as const;
        return [key, field.filter((name: string) => properties[name]?.default === undefined).sort()] as const;
      })
      .filter(([key, field]) => key !== "required" || (Array.isArray(field) && field.length > 0)),
  );
}

/** The definition as it is compared: fields every object has are the server's, the order of versions says nothing. */
export function comparable({ spec }: CustomResourceDefinition) {
  const { conversion, versions, ...rest } = spec;
  const bare = versions.map((version) => {
    const { apiVersion, kind, metadata, ...properties } = version.schema?.openAPIV3Schema?.properties ?? {};
    const root = { ...version.schema?.openAPIV3Schema, properties };
    return { ...version, schema: { openAPIV3Schema: root } };
  });
  return essence({
    ...rest,
    ...(conversion?.strategy === "Webhook" ? { conversion } : {}),
    versions: bare.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  });
}

// The schemas of one group version, as its OpenAPI documents hold them.
import { type GroupVersion, stringifyJson } from "@kubewright/api";
import { type OpenApiSchema, openApiSchema, openApiSchemas } from "@kubewright/api/type-info";
import type { GroupVersionKinds } from "../registry/registry.js";
import type { ResourceKind } from "../registry/resource-kind.js";
import { customSchema, type Json, typeFields } from "./custom-schema.js";
import type { Descriptions } from "./descriptions.js";

type Schemas = Record<string, unknown>;

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const prefix = "#/components/schemas/";

/** `Widget` of `example.com/v1` is `com.example.v1.Widget`. */
export function schemaName({ group, version }: GroupVersion, kind: string): string {
  return [...group.split(".").reverse(), version, kind].join(".");
}

/** The schemas of built-in kinds, and of custom kinds by their CRDs, with the types they refer to. */
export function componentSchemas(entry: GroupVersionKinds, words: Descriptions): Schemas {
  const kinds = [...entry.kinds.values()];
  const schemas: Schemas = {};
  if (kinds.some((kind) => !kind.custom)) Object.assign(schemas, nativeSchemas(entry, words));
  const custom = kinds.filter((kind) => kind.custom);
  if (custom.length === 0) return schemas;
  Object.assign(schemas, sharedSchemas(custom, words));
  for (const kind of custom) {
    Object.assign(schemas, customSchemas(kind, customSchema(openApiOf(kind), words.object), words));
  }
  return schemas;
}

export function nativeSchemas({ group, version }: GroupVersion, words: Descriptions): Schemas {
  const schemas = Object.entries(openApiSchemas(group, version) ?? {});
  return Object.fromEntries(schemas.map(([name, schema]) => [name, words.describe(name, schema)]));
}

/** Types of the API machinery that custom kinds refer to. */
export function sharedSchemas(kinds: readonly ResourceKind[], words: Descriptions): Schemas {
  const schemas: Schemas = {};
  for (const name of ["ObjectMeta", "ListMeta", "Status", "DeleteOptions", "Patch"])
    addWithReferences(schemas, `${meta}.${name}`, words);
  if (kinds.some(({ subresources }) => subresources.has("scale")))
    addWithReferences(schemas, "io.k8s.api.autoscaling.v1.Scale", words);
  return schemas;
}

export const openApiOf = ({ openApi }: ResourceKind) => openApi ?? { type: "object" };

/** A kind and its list, by name; `schema` is that of the kind. */
export function customSchemas(
  kind: ResourceKind,
  schema: Json,
  words: Descriptions,
  references = prefix,
): Schemas {
  const { group, version } = kind;
  const name = schemaName(kind, kind.kind);
  const fields = kind.strategy.selectableFields ?? [];
  const selectable =
    fields.length === 0
      ? {}
      : { "x-kubernetes-selectable-fields": fields.map((fieldPath) => ({ fieldPath })) };
  const refer = (type: string) => {
    const $ref = `${references}${type}`;
    return references === prefix ? { allOf: [{ $ref }] } : { $ref };
  };
  return {
    [name]: {
      ...schema,
      "x-kubernetes-group-version-kind": [{ group, kind: kind.kind, version }],
      ...selectable,
    },
    [schemaName(kind, kind.listKind)]: {
      description: `${kind.listKind} is a list of ${kind.kind}`,
      type: "object",
      required: ["items"],
      properties: {
        ...typeFields(words.object),
        items: { type: "array", description: words.object.items, items: { $ref: `${references}${name}` } },
        metadata: { description: words.object.listMetadata, ...refer(`${meta}.ListMeta`) },
      },
      "x-kubernetes-group-version-kind": [{ group, kind: kind.listKind, version }],
      ...selectable,
    },
  };
}

function addWithReferences(schemas: Schemas, name: string, words: Descriptions): void {
  if (name in schemas) return;
  const schema = openApiSchema(name);
  if (!schema) return;
  schemas[name] = words.describe(name, schema);
  for (const reference of referencesIn(schema)) addWithReferences(schemas, reference, words);
}

function referencesIn(schema: OpenApiSchema): string[] {
  return [...stringifyJson(schema).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(
    (match) => match[1] ?? "",
  );
}

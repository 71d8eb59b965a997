// The schemas of one group version, as its OpenAPI document holds them.
import type { GroupVersion } from "@kubewright/api";
import { type OpenApiSchema, openApiSchema, openApiSchemas } from "@kubewright/api/facts";
import type { ResourceKind } from "../registry/resource-kind.js";

type Schemas = Record<string, unknown>;

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const prefix = "#/components/schemas/";

/** `Widget` of `example.com/v1` is `com.example.v1.Widget`. */
export function schemaName({ group, version }: GroupVersion, kind: string): string {
  return [...group.split(".").reverse(), version, kind].join(".");
}

/** Built-in groups publish their own; custom groups what their definitions say, with the metadata types they lean on. */
export function componentSchemas(gv: GroupVersion, kinds: readonly ResourceKind[]): Schemas {
  const schemas: Schemas = {};
  const native = kinds.some((kind) => !kind.custom);
  if (native) Object.assign(schemas, openApiSchemas(gv.group, gv.version));
  const custom = kinds.filter((kind) => kind.custom);
  if (custom.length === 0) return schemas;
  for (const name of ["ObjectMeta", "ListMeta", "Status", "DeleteOptions", "Patch"])
    addWithReferences(schemas, `${meta}.${name}`);
  for (const kind of custom) addCustom(schemas, kind);
  return schemas;
}

function addWithReferences(schemas: Schemas, name: string): void {
  if (name in schemas) return;
  const schema = openApiSchema(name);
  if (!schema) return;
  schemas[name] = schema;
  for (const reference of referencesIn(schema)) addWithReferences(schemas, reference);
}

function referencesIn(schema: OpenApiSchema): string[] {
  return [...JSON.stringify(schema).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(
    (match) => match[1] ?? "",
  );
}

function addCustom(schemas: Schemas, kind: ResourceKind): void {
  const { group, version } = kind;
  const name = schemaName(kind, kind.kind);
  const declared = kind.openApi ?? { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  schemas[name] = {
    ...declared,
    properties: {
      ...typeFields,
      metadata: { allOf: [{ $ref: `${prefix}${meta}.ObjectMeta` }] },
      ...withoutTypeFields(declared.properties),
    },
    "x-kubernetes-group-version-kind": [{ group, kind: kind.kind, version }],
  };
  schemas[schemaName(kind, kind.listKind)] = {
    description: `${kind.listKind} is a list of ${kind.kind}`,
    type: "object",
    required: ["items"],
    properties: {
      ...typeFields,
      items: { type: "array", items: { allOf: [{ $ref: `${prefix}${name}` }] } },
      metadata: { allOf: [{ $ref: `${prefix}${meta}.ListMeta` }] },
    },
    "x-kubernetes-group-version-kind": [{ group, kind: kind.listKind, version }],
  };
}

const typeFields = {
  apiVersion: { type: "string", description: "The version of the schema this object is written in." },
  kind: { type: "string", description: "The kind of object this is." },
};

function withoutTypeFields(properties: Readonly<Record<string, unknown>> | undefined): Schemas {
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...rest } = properties ?? {};
  return rest;
}

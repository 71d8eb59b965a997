// The schemas of built-in types as the server publishes them, read from the generated table line by line.
import { documentTable, packageTable, placeTable, schemaTable } from "../generated/schema-table.js";
import { apiVersionOf, type GroupVersion, type GroupVersionKind } from "../resource.js";
import { lazy } from "./lazy.js";

/** A schema as Kubernetes writes it into its OpenAPI v3 documents. */
export interface OpenApiSchema {
  readonly $ref?: string;
  readonly additionalProperties?: OpenApiSchema;
  readonly allOf?: readonly OpenApiSchema[];
  readonly default?: unknown;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly items?: OpenApiSchema;
  readonly oneOf?: readonly OpenApiSchema[];
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly required?: readonly string[];
  readonly type?: "array" | "boolean" | "integer" | "number" | "object" | "string";
  readonly "x-kubernetes-group-version-kind"?: readonly GroupVersionKind[];
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-list-type"?: "atomic" | "map" | "set";
  readonly "x-kubernetes-map-type"?: "atomic" | "granular";
  readonly "x-kubernetes-patch-merge-key"?: string;
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-unions"?: readonly object[];
}

const metaPackage = "io.k8s.apimachinery.pkg.apis.meta.v1";
const refPrefix = "#/components/schemas/";

const parse = (text: string): OpenApiSchema =>
  JSON.parse(text.replaceAll('"$ref":"#', `"$ref":"${refPrefix}io.k8s.`));

const places = lazy(() => placeTable.split("\n").map((text) => lazy(() => parse(text))));
const schemas = lazy(
  () => new Map(lines(schemaTable).map(([name, fields, rest]) => [name, lazy(() => decode(fields, rest))])),
);
const packages = lazy(() => new Map(lines(packageTable).map(([apiVersion, name]) => [apiVersion, name])));
const documents = lazy(() => new Map(lines(documentTable).map(([apiVersion, names]) => [apiVersion, names])));

function lines(table: string): [string, string, string][] {
  return table.split("\n").map((line) => {
    const [first = "", second = "", third = ""] = line.split("\t");
    return [first, second, third];
  });
}

function decode(fields: string, rest: string): OpenApiSchema {
  const schema = parse(rest);
  if (fields === "") return schema;
  const properties = fields.split(",").map((field): [string, OpenApiSchema] => {
    const colon = field.lastIndexOf(":");
    const place = places()[Number(field.slice(colon + 1))];
    return [field.slice(0, colon), place === undefined ? {} : place()];
  });
  return { properties: Object.fromEntries(properties), ...schema };
}

/** One schema by its name, such as `io.k8s.api.core.v1.Container`. Shared: not to be changed. */
export function openApiSchema(name: string): OpenApiSchema | undefined {
  return schemas().get(name)?.();
}

/** The names of all built-in schemas. */
export function openApiSchemaNames(): readonly string[] {
  return [...schemas().keys()];
}

/** The name a place refers to, directly or through the `allOf` that lets a default stand beside it. */
export function referenceOf(place: OpenApiSchema): string | undefined {
  const ref = place.$ref ?? place.allOf?.[0]?.$ref;
  return ref?.slice(refPrefix.length);
}

/** The package of the types of a group version: `io.k8s.api.apps.v1` for `apps/v1`. */
export function packageOf(groupVersion: GroupVersion): string | undefined {
  return packages().get(apiVersionOf(groupVersion));
}

/** The schema of a built-in kind. `DeleteOptions` and `WatchEvent` belong to every group version. */
export function schemaNameOf(gvk: GroupVersionKind): string | undefined {
  const own = packageOf(gvk);
  if (own === undefined) return undefined;
  if (openApiSchema(`${own}.${gvk.kind}`)?.["x-kubernetes-group-version-kind"]) return `${own}.${gvk.kind}`;
  const meta = `${metaPackage}.${gvk.kind}`;
  return kindsOf(meta, gvk)?.some(
    (kind) => kind.group === gvk.group && kind.version === gvk.version && kind.kind === gvk.kind,
  )
    ? meta
    : undefined;
}

/** The kinds a schema stands for in the document of a group version. */
function kindsOf(name: string, { group, version }: GroupVersion): readonly GroupVersionKind[] | undefined {
  if (name !== `${metaPackage}.DeleteOptions` && name !== `${metaPackage}.WatchEvent`) {
    return openApiSchema(name)?.["x-kubernetes-group-version-kind"];
  }
  const kind = name.slice(metaPackage.length + 1);
  const core = { group: "", kind, version: "v1" };
  return group === "" ? [core] : [core, { group, kind, version }];
}

/** The schemas of a group version's OpenAPI v3 document, sorted by name; undefined where there is none. */
export function openApiSchemas(
  group: string,
  version: string,
): Readonly<Record<string, OpenApiSchema>> | undefined {
  const roots = documents().get(apiVersionOf({ group, version }));
  if (roots === undefined) return undefined;
  const found = new Map<string, OpenApiSchema>();
  for (const root of roots.split(",")) collect(`io.k8s.${root}`, found);
  const entries = [...found].map(([name, schema]): [string, OpenApiSchema] => {
    const kinds = kindsOf(name, { group, version });
    return [name, kinds === undefined ? schema : { ...schema, "x-kubernetes-group-version-kind": kinds }];
  });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Adds a schema and all that it refers to. */
function collect(name: string, found: Map<string, OpenApiSchema>): void {
  const schema = openApiSchema(name);
  if (schema === undefined || found.has(name)) return;
  found.set(name, schema);
  for (const place of Object.values(schema.properties ?? {})) {
    for (const reference of references(place)) collect(reference, found);
  }
}

function references(place: OpenApiSchema): string[] {
  const direct = referenceOf(place);
  const inside = [place.items, place.additionalProperties].flatMap((inner) =>
    inner ? references(inner) : [],
  );
  return direct === undefined ? inside : [direct, ...inside];
}

// Built-in types inside a definition, recognised by their schemas: Go tooling spells out a whole PodTemplateSpec wherever one is embedded, and
// the module may refer to it instead. Texts do not count. Where the definition demands more or less than the built-in type does, it is
// spelled out, so that nothing else is accepted or refused than before.
import { deepEqual } from "@kubewright/api";
import { embeddedSchema, openApiSchemaNames } from "@kubewright/api/type-info";
import { kube } from "@kubewright/schema";
import { isSchema, type Schema } from "./schema-shape.js";

/** A part of a definition that is a built-in type. */
export interface BuiltIn {
  /** The name it has in `kube`. */
  readonly type: string;
  /** Fields of the type that the definition does not have: it was made for an earlier Kubernetes. */
  readonly newer: readonly string[];
}

/** A part of a definition that is nearly a built-in type. */
export interface NearlyBuiltIn {
  readonly type: string;
  /** What differs. */
  readonly differences: readonly string[];
}

export type Recognition =
  | ({ readonly state: "same" } & BuiltIn)
  | ({ readonly state: "near" } & NearlyBuiltIn)
  | { readonly state: "other" };

/** Texts, which say nothing about values. */
const texts: ReadonlySet<string> = new Set(["description", "title", "example", "externalDocs"]);
/** Keywords that are compared in a way of their own. */
const structure: ReadonlySet<string> = new Set([
  "properties",
  "items",
  "additionalProperties",
  "required",
  "default",
]);
/** A definition that differs in more than this is another type. */
const mostDifferences = 3;

/** Finds the built-in type with the schema of a field; `field` is its name, which decides between types of the same schema. */
export function recogniseBuiltIn(schema: Schema, field: string): Recognition {
  const fields = Object.keys(schema.properties ?? {});
  if (schema.type !== "object" || !isTelling(schema, fields)) return { state: "other" };
  const candidates = [...builtInSchemas()]
    .filter(([, builtIn]) => isCovered(fields, builtIn))
    .map(([type, builtIn]) => ({ type, ...compared(schema, builtIn) }));
  const same = candidates.filter(
    ({ differences, newer }) => differences.length === 0 && isRecent(fields, newer),
  );
  const [best] = same.sort(
    (a, b) => a.newer.length - b.newer.length || likeness(b.type, field) - likeness(a.type, field),
  );
  if (best) return { state: "same", type: best.type, newer: best.newer };
  const [near] = candidates
    .filter(({ differences, newer }) => differences.length <= mostDifferences && isRecent(fields, newer))
    .filter(() => fields.length >= 4)
    .sort((a, b) => a.differences.length - b.differences.length);
  return near ? { state: "near", type: near.type, differences: near.differences } : { state: "other" };
}

/** One field alone makes a type only where the type says how it is merged, as a LocalObjectReference does. */
const isTelling = (schema: Schema, fields: readonly string[]): boolean =>
  fields.length > 1 || (fields.length === 1 && schema["x-kubernetes-map-type"] !== undefined);

/** Whether the built-in type has nearly all of these fields, and not many more. */
function isCovered(fields: readonly string[], { properties = {} }: Schema): boolean {
  const known = fields.filter((field) => Object.hasOwn(properties, field)).length;
  return known >= fields.length - 1 && known >= Object.keys(properties).length * 0.6;
}

/** A type that has grown since is recognised by what it had before; one that had little could be anything. */
const isRecent = (fields: readonly string[], newer: readonly string[]): boolean =>
  fields.length >= 4 || newer.every((path) => path.includes("."));

interface Comparison {
  readonly differences: string[];
  readonly newer: string[];
}

function compared(custom: Schema, builtIn: Schema): Comparison {
  const found: Comparison = { differences: [], newer: [] };
  compare(custom, builtIn, [], found);
  return found;
}

function compare(custom: Schema, builtIn: Schema, path: readonly string[], found: Comparison): void {
  if (found.differences.length > mostDifferences) return;
  const differ = (keyword: string): void => void found.differences.push([...path, keyword].join("."));
  const [mine, theirs] = [valueKeywords(custom), valueKeywords(builtIn)];
  for (const keyword of new Set([...Object.keys(mine), ...Object.keys(theirs)]))
    if (!deepEqual(mine[keyword], theirs[keyword])) differ(keyword);
  if (!isSameDefault(custom.default, builtIn.default)) differ("default");
  if (!deepEqual(sorted(custom.required), sorted(builtIn.required))) differ("required");
  compareFields(custom, builtIn, path, found);
  for (const keyword of ["items", "additionalProperties"] as const) {
    const [inner, other] = [custom[keyword], builtIn[keyword]];
    if (isSchema(inner) && isSchema(other))
      compare(inner, other, [...path, keyword === "items" ? "[]" : "*"], found);
    else if (!deepEqual(inner, other)) differ(keyword);
  }
}

function compareFields(custom: Schema, builtIn: Schema, path: readonly string[], found: Comparison): void {
  const { properties: mine = {} } = custom;
  const { properties: theirs = {} } = builtIn;
  for (const [field, schema] of Object.entries(mine)) {
    const other = Object.hasOwn(theirs, field) ? theirs[field] : undefined;
    if (other) compare(schema, other, [...path, field], found);
    else found.differences.push([...path, field].join("."));
  }
  const more = Object.keys(theirs).filter((field) => !Object.hasOwn(mine, field));
  if (more.length === 0) return;
  const isGrown = more.length <= Object.keys(mine).length || isClaimMetadata(path);
  (isGrown ? found.newer : found.differences).push(...more.map((field) => [...path, field].join(".")));
}

/** Go tooling leaves the metadata of templates without fields. Elsewhere that is kept; this one hardly anybody fills in. */
const isClaimMetadata = (path: readonly string[]): boolean =>
  path.join(".").endsWith("ephemeral.volumeClaimTemplate.metadata");

/** The keywords about values, with those left out that say what holds anyway. */
function valueKeywords(schema: Schema): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(schema).filter(
      ([keyword, value]) =>
        value !== undefined &&
        !texts.has(keyword) &&
        !structure.has(keyword) &&
        !(keyword === "x-kubernetes-list-type" && value === "atomic") &&
        !(keyword === "x-kubernetes-map-type" && value === "granular"),
    ),
  );
}

/** Newer versions fill in the zero value where nothing was before, which nobody can tell from nothing. */
const isSameDefault = (custom: unknown, builtIn: unknown): boolean =>
  custom === undefined ? !builtIn : deepEqual(custom, builtIn);

const sorted = (names: readonly string[] | undefined): readonly string[] => (names ?? []).toSorted();

/** How many letters in a row a type and a field have in common: `passwordSecretRef` is more like a SecretKeySelector than a ConfigMapKeySelector. */
function likeness(type: string, field: string): number {
  const [a, b] = [type.toLowerCase(), field.toLowerCase()];
  let longest = 0;
  for (let start = 0; start < a.length; start += 1)
    while (start + longest < a.length && b.includes(a.slice(start, start + longest + 1))) longest += 1;
  return longest;
}

/** The packages of the types that `kube` has; a name that several have is the first one's. */
const packages = [
  "io.k8s.api.core.v1",
  "io.k8s.api.apps.v1",
  "io.k8s.api.batch.v1",
  "io.k8s.api.networking.v1",
  "io.k8s.api.autoscaling.v2",
  "io.k8s.api.policy.v1",
  "io.k8s.api.rbac.v1",
  "io.k8s.apimachinery.pkg.apis.meta.v1",
];

/** The types of `kube` with the schemas that a definition which uses them has. */
function readSchemas(): ReadonlyMap<string, Schema> {
  const published = new Set(openApiSchemaNames());
  const names = Object.keys(kube).filter((name) => /^[A-Z]/.test(name));
  return new Map(
    names.flatMap((name) => {
      const full = packages.map((each) => `${each}.${name}`).find((each) => published.has(each));
      return full === undefined ? [] : [[name, embeddedSchema(full)] as const];
    }),
  );
}

let known: ReadonlyMap<string, Schema> | undefined;

export function builtInSchemas(): ReadonlyMap<string, Schema> {
  known ??= readSchemas();
  return known;
}

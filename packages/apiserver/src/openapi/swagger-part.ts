// Parts of Swagger documents of aggregated API servers: what belongs to one group version is cut out of such a document, and
// joined to what is known already. Nothing of before is ever changed: what has the same name and is different gets another.
import { deepEqual, isObject } from "@kubewright/api";
import type { Json } from "./custom-schema.js";

/** The parts of a Swagger document that are merged. */
export interface SwaggerPart {
  readonly paths: Json;
  readonly definitions: Json;
  readonly parameters: Json;
}

export const isJson = (value: unknown): value is Json => isObject(value);

/** Sections that references point into. */
const sections = ["definitions", "parameters"] as const;
type Section = (typeof sections)[number];

/** Documents that are nested deeper are not looked at. */
const maxDepth = 200;

/** The paths that begin so, and whatever they refer to. Throws on what is no such document. */
export function swaggerPart(document: unknown, prefix: string): SwaggerPart {
  if (!isJson(document)) throw new TypeError("not an OpenAPI document");
  const whole = {
    paths: objectIn(document, "paths"),
    definitions: objectIn(document, "definitions"),
    parameters: objectIn(document, "parameters"),
  };
  return withPaths(whole, (path) => path.startsWith(prefix));
}

const objectIn = (document: Json, key: string): Json => {
  const value = document[key];
  return isJson(value) ? value : {};
};

/** Some of the paths of a part, with what only they need. */
function withPaths(whole: SwaggerPart, isWanted: (path: string) => boolean): SwaggerPart {
  const paths = picked(whole.paths, isWanted);
  const used = { definitions: new Set<string>(), parameters: new Set<string>() };
  const pending: unknown[] = [paths];
  while (pending.length > 0) {
    for (const { section, name } of referencesIn(pending.pop())) {
      const target = own(whole[section], name);
      if (target === undefined || used[section].has(name)) continue;
      used[section].add(name);
      pending.push(target);
    }
  }
  return {
    paths,
    definitions: picked(whole.definitions, (name) => used.definitions.has(name)),
    parameters: picked(whole.parameters, (name) => used.parameters.has(name)),
  };
}

const own = (fields: Json, name: string): unknown => (Object.hasOwn(fields, name) ? fields[name] : undefined);
const picked = (fields: Json, isWanted: (name: string) => boolean): Json =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => isWanted(name)));

function* referencesIn(value: unknown): Iterable<{ readonly section: Section; readonly name: string }> {
  const pending: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (typeof next.value !== "object" || next.value === null) continue;
    const depth = next.depth + 1;
    if (depth > maxDepth) throw new RangeError("the OpenAPI document is nested too deeply");
    for (const [key, inner] of Object.entries(next.value)) {
      const reference = key === "$ref" && typeof inner === "string" ? parsedReference(inner) : undefined;
      if (reference) yield reference;
      else pending.push({ value: inner, depth });
    }
  }
}

function parsedReference(text: string): { readonly section: Section; readonly name: string } | undefined {
  const section = sections.find((each) => text.startsWith(`#/${each}/`));
  return section && { section, name: text.slice(section.length + 3) };
}

/** Both together. Paths that are there stay as they are. */
export function mergedSwagger(into: SwaggerPart, further: SwaggerPart): SwaggerPart {
  const isNew = (path: string): boolean => !Object.hasOwn(into.paths, path);
  if (!Object.keys(further.paths).some(isNew)) return into;
  const part = withPaths(further, isNew);
  const renames = {
    definitions: conflicts(into.definitions, part.definitions),
    parameters: conflicts(into.parameters, part.parameters),
  };
  const hasRenames = renames.definitions.size + renames.parameters.size > 0;
  const { paths: added, definitions, parameters } = hasRenames ? renamed(part, renames) : part;
  return {
    paths: { ...into.paths, ...added },
    definitions: joined(into.definitions, definitions),
    parameters: { ...parameters, ...into.parameters },
  };
}

function renamed({ paths, definitions, parameters }: SwaggerPart, renames: Renames): SwaggerPart {
  const section = (fields: Json, names?: ReadonlyMap<string, string>): Json =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        names?.get(name) ?? name,
        withReferences(value, renames),
      ]),
    );
  return {
    paths: section(paths),
    definitions: section(definitions, renames.definitions),
    parameters: section(parameters, renames.parameters),
  };
}

type Renames = Readonly<Record<Section, ReadonlyMap<string, string>>>;

/** New names for what another thing has the name of; a name of before that means the same is used again. */
function conflicts(there: Json, further: Json): Map<string, string> {
  const renames = new Map<string, string>();
  for (const [name, value] of Object.entries(further)) {
    const known = own(there, name);
    if (known === undefined || isSame(known, value)) continue;
    let number = 2;
    const isFree = (candidate: string): boolean => {
      const taken = own(there, candidate);
      return taken === undefined ? !Object.hasOwn(further, candidate) : isSame(taken, value);
    };
    while (!isFree(`${name}_v${number}`)) number += 1;
    renames.set(name, `${name}_v${number}`);
  }
  return renames;
}

const kindsKey = "x-kubernetes-group-version-kind";

/** Definitions are shared between groups, which each name the kinds they use them for. */
function isSame(a: unknown, b: unknown): boolean {
  if (!isJson(a) || !isJson(b)) return false;
  const { [kindsKey]: _kinds, ...rest } = a;
  const { [kindsKey]: _others, ...others } = b;
  return deepEqual(rest, others);
}

function joined(there: Json, further: Json): Json {
  const all: Record<string, unknown> = { ...further, ...there };
  for (const [name, value] of Object.entries(further)) {
    const known = own(there, name);
    if (isJson(known) && isJson(value)) all[name] = withKinds(known, value);
  }
  return all;
}

function withKinds(known: Json, further: Json): Json {
  const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
  const before = listOf(known[kindsKey]);
  const added = listOf(further[kindsKey]).filter((kind) => !before.some((each) => deepEqual(each, kind)));
  return added.length === 0 ? known : { ...known, [kindsKey]: [...before, ...added] };
}

/** A copy that refers to new names. */
function withReferences(value: unknown, renames: Renames): unknown {
  if (Array.isArray(value)) return value.map((each) => withReferences(each, renames));
  if (!isJson(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const reference = key === "$ref" && typeof inner === "string" ? parsedReference(inner) : undefined;
      const name = reference && renames[reference.section].get(reference.name);
      return [key, name ? `#/${reference.section}/${name}` : withReferences(inner, renames)];
    }),
  );
}

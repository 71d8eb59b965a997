// A sample object of a kind, in which every field is explained by what its schema says: fields that must be there have a value, the
// others stand in comments.
import type { FieldError, JSONSchemaProps } from "@kubewright/api";
import type { CustomKind } from "@kubewright/runtime";
import { withCapitalArticle } from "../article.js";
import { exampleOf, explained } from "./sample-values.js";
import { yamlText } from "./yaml-text.js";

const deepest = 5;

/** The YAML of a sample. */
export function sampleOf(kind: CustomKind): string {
  const { description, properties = {}, required = [] } = schemaOf(kind);
  const { attempts, problems } = searchValues(kind);
  const lines = Object.entries(properties)
    .filter(([name]) => !["apiVersion", "kind", "metadata", "status"].includes(name))
    .flatMap(([name, schema]) =>
      fieldLines({
        name,
        schema,
        path: name,
        indent: "",
        isSet: name === "spec" || required.includes(name),
        attempts,
        depth: 0,
      }),
    );
  return [
    ...comment(
      "",
      description ?? `${withCapitalArticle(kind.kind)}. Fields that are commented out may be left out.`,
    ),
    ...problems.flatMap(({ field, message }) => comment("", `To be completed: ${field}: ${message}`)),
    `apiVersion: ${kind.group}/${kind.version}`,
    `kind: ${kind.kind}`,
    "metadata:",
    `  name: ${sampleName(kind)}`,
    ...lines,
    "",
  ].join("\n");
}

/** The object that the sample is. */
export function sampleObject(kind: CustomKind) {
  return objectWith(kind, searchValues(kind).attempts);
}

export const sampleName = ({ kind }: Pick<CustomKind, "kind">): string => `${kind.toLowerCase()}-sample`;

function schemaOf(kind: CustomKind): JSONSchemaProps {
  const version = kind.crd().spec.versions.find(({ name }) => name === kind.version);
  return version?.schema?.openAPIV3Schema ?? {};
}

/** How often another value was tried, by the path of the field. */
type Attempts = ReadonlyMap<string, number>;

interface Field {
  readonly name: string;
  readonly schema: JSONSchemaProps;
  /** From the root: `spec.ports[0].port`. */
  readonly path: string;
  readonly indent: string;
  readonly isSet: boolean;
  readonly attempts: Attempts;
  readonly depth: number;
}

function fieldLines(field: Field): string[] {
  const { name, schema, indent, isSet } = field;
  const lead = isSet ? indent : `${indent}# `;
  const about = comment(indent, explained(schema));
  const children = childrenOf(field);
  const isEmpty = isSet && children.every((line) => line.trimStart().startsWith("#"));
  if (children.length > 0)
    return [...about, `${lead}${inlineYaml(name)}:${isEmpty ? " {} # or any of" : ""}`, ...children];
  const value = inlineYaml(
    isSet ? valueFor(schema, field.path, name, field.attempts, 0) : exampleOf(schema, name, 0),
  );
  return [...about, `${lead}${inlineYaml(name)}: ${value}`];
}

/** The lines of the fields inside; none when there is nothing to say about them. */
function childrenOf({ name, schema, path, indent, isSet, attempts, depth }: Field): string[] {
  const { properties = {}, required = [] } = schema;
  if (depth >= deepest || (!isSet && !isTold(schema))) return [];
  return Object.entries(properties).flatMap(([child, inner]) =>
    !isTold(inner) && !required.includes(child) && !(depth === 0 && name === "spec")
      ? []
      : fieldLines({
          name: child,
          schema: inner,
          path: `${path}.${child}`,
          indent: `${indent}${isSet ? "  " : "#   "}`.replaceAll("# #", "#  "),
          isSet: isSet && required.includes(child),
          attempts,
          depth: depth + 1,
        }),
  );
}

/** Whether anybody wrote something about a field, or one inside it. */
function isTold({ description, properties = {} }: JSONSchemaProps, depth = 0): boolean {
  if (description) return true;
  return depth < deepest && Object.values(properties).some((inner) => isTold(inner, depth + 1));
}

/** Where a comment ends, for YAML 1.1 parsers too. */
const lineBreak = /\r\n|[\n\r\u0085\u2028\u2029]/;

function comment(indent: string, text: string): string[] {
  if (text === "") return [];
  return text.split(lineBreak).map((line) => `${indent}# ${line.replace(unprintable, escapeOf)}`.trimEnd());
}

/** On one line. JSON is YAML, but for characters that end a line in YAML 1.1 only. */
function inlineYaml(value: unknown): string {
  const line = yamlText(value).slice(0, -1);
  const isOne = (typeof value !== "object" || value === null) && !line.includes("\n");
  return isOne ? line : JSON.stringify(value).replace(unprintable, escapeOf);
}

/** Characters that end a line for some readers of YAML, or that they refuse, in comments too. */
const unprintable = /[\p{Cc}\u2028\u2029\ufeff]/gu;
const escapeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Tries values until the schema has nothing against them, or nothing is left to try. */
function searchValues(kind: CustomKind): {
  readonly attempts: Attempts;
  readonly problems: readonly FieldError[];
} {
  const attempts = new Map<string, number>();
  if (!isChecked(kind)) return { attempts, problems: [] };
  let problems: readonly FieldError[] = [];
  for (let round = 0; round < 16; round += 1) {
    problems = kind.validate(objectWith(kind, attempts));
    if (problems.length === 0) break;
    for (const { field: path } of problems) attempts.set(path, (attempts.get(path) ?? 0) + 1);
  }
  return { attempts, problems };
}

const isChecked = (
  kind: CustomKind,
): kind is CustomKind & { validate(object: unknown): readonly FieldError[] } =>
  "validate" in kind && typeof kind.validate === "function";

function objectWith(kind: CustomKind, attempts: Attempts) {
  const { properties = {}, required = [] } = schemaOf(kind);
  const fields = Object.entries(properties)
    .filter(([name]) => name === "spec" || required.includes(name))
    .filter(([name]) => !["apiVersion", "kind", "metadata", "status"].includes(name))
    .map(([name, schema]) => [name, valueFor(schema, name, name, attempts, 0)] as const);
  return {
    apiVersion: `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: { name: sampleName(kind) },
    ...Object.fromEntries(fields),
  };
}

/** The least that satisfies a schema. */
function valueFor(
  schema: JSONSchemaProps,
  path: string,
  name: string,
  attempts: Attempts,
  depth: number,
): unknown {
  const { type, properties = {}, required = [], items, minItems = 0 } = schema;
  if (depth > deepest * 2 || schema.default !== undefined)
    return exampleOf(schema, name, attempts.get(path) ?? 0);
  if (type === "object" && Object.keys(properties).length > 0)
    return Object.fromEntries(
      required.flatMap((child) => {
        const inner = properties[child];
        return inner ? [[child, valueFor(inner, `${path}.${child}`, child, attempts, depth + 1)]] : [];
      }),
    );
  if (type === "array" && isSchema(items) && minItems > 0)
    return Array.from({ length: Math.min(minItems, 3) }, (_, index) =>
      valueFor(items, `${path}[${index}]`, name.replace(/s$/, ""), attempts, depth + 1),
    );
  return exampleOf(schema, name, attempts.get(path) ?? 0);
}

const isSchema = (value: unknown): value is JSONSchemaProps => typeof value === "object" && value !== null;

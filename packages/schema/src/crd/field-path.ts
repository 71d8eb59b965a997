// Paths such as `.spec.ports['http']` that must lead to a place of a schema.
import type { JSONSchemaProps } from "@kubewright/api";

/** The schema at a path, or why there is none. */
export type FieldPathResult =
  | { readonly path: readonly string[]; readonly schema: JSONSchemaProps }
  | { readonly problem: string };

const noField = "does not refer to a valid field";

/** Follows a path through a schema. */
export function fieldPathProblem(
  jsonPath: string,
  root: JSONSchemaProps,
  allowBrackets: boolean,
): FieldPathResult {
  const tokens = tokenize(jsonPath);
  const path: string[] = [];
  let schema = root;
  for (let i = 0; i < tokens.length; ) {
    const step = readStep(tokens, i, allowBrackets);
    if ("problem" in step) return step;
    const next = childOf(schema, step.name);
    if (next === undefined) return { problem: noField };
    path.push(step.name);
    schema = next;
    i = step.next;
  }
  return { path, schema };
}

type Step = { readonly name: string; readonly next: number } | { readonly problem: string };

function readStep(tokens: readonly string[], at: number, allowBrackets: boolean): Step {
  const opening = tokens[at];
  const name = tokens[at + 1];
  if (opening === ".") return name === undefined ? unexpectedEnd : { name, next: at + 2 };
  if (opening !== "[") return { problem: `expected [ or . but got: ${opening}` };
  if (!allowBrackets) return { problem: "array notation is not allowed" };
  if (name === undefined) return unexpectedEnd;
  if (!/^'.*'$/s.test(name) || name.length < 2)
    return { problem: `expected single quoted string but got ${name}` };
  const text = unescapeQuoted(name.slice(1, -1));
  if (text === undefined) return { problem: "invalid string literal: invalid escape char" };
  const closing = tokens[at + 2];
  if (closing === undefined) return unexpectedEnd;
  return closing === "]" ? { name: text, next: at + 3 } : { problem: `expected ] but got ${closing}` };
}

const unexpectedEnd: Step = { problem: "unexpected end of JSON path" };

/** Dots and brackets by themselves, quoted strings whole, and what is between them. */
function tokenize(jsonPath: string): readonly string[] {
  return jsonPath.match(/'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]]+/gs) ?? [];
}

const escapes: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "'": "'",
  "\\": "\\",
};

function unescapeQuoted(text: string): string | undefined {
  const parts = text.match(/\\.|[^\\]+/gs) ?? [];
  const plain = parts.map((part) => (part.startsWith("\\") ? escapes[part.slice(1)] : part));
  return plain.some((part) => part === undefined) ? undefined : plain.join("");
}

function childOf(schema: JSONSchemaProps, name: string): JSONSchemaProps | undefined {
  const { properties, additionalProperties } = schema;
  if (properties !== undefined && Object.keys(properties).length > 0) {
    return Object.hasOwn(properties, name) ? properties[name] : undefined;
  }
  if (additionalProperties === undefined) return undefined;
  return typeof additionalProperties === "object" ? additionalProperties : {};
}

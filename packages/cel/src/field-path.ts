// The `fieldPath` of a rule: a JSON path of fields only, relative to where the rule stands, checked against the schema.
import type { JSONSchemaProps } from "@kubewright/api";
import { valueSchema } from "./schema-type.js";

const escapes: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "'": "'",
  "\\": "\\",
};

/** `.name`, or a quoted name in brackets. */
const step = /\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\]/y;

/** The path as errors show it, or undefined when the schema has no such field. */
export function normalizeFieldPath(path: string, schema: JSONSchemaProps): string | undefined {
  let shown = "";
  let current: JSONSchemaProps | undefined = schema;
  for (step.lastIndex = 0; step.lastIndex < path.length; ) {
    const match = step.exec(path);
    const name = match === null ? undefined : (match[1] ?? unescapeQuoted(match[2] ?? ""));
    if (name === undefined || current === undefined) return undefined;
    const next = stepInto(current, name);
    if (next === undefined) return undefined;
    shown += next.isField ? `${shown === "" ? "" : "."}${name}` : `[${name}]`;
    current = next.schema;
  }
  return shown;
}

function unescapeQuoted(text: string): string | undefined {
  let valid = true;
  const result = text.replace(/\\(.)/g, (_whole, mark: string) => {
    const character = Object.hasOwn(escapes, mark) ? escapes[mark] : undefined;
    if (character === undefined) valid = false;
    return character ?? "";
  });
  return valid ? result : undefined;
}

interface Step {
  readonly schema: JSONSchemaProps | undefined;
  readonly isField: boolean;
}

function stepInto(schema: JSONSchemaProps, name: string): Step | undefined {
  const { properties } = schema;
  if (properties !== undefined) {
    return Object.hasOwn(properties, name) ? { schema: properties[name], isField: true } : undefined;
  }
  return schema.additionalProperties === undefined
    ? undefined
    : { schema: valueSchema(schema), isField: false };
}

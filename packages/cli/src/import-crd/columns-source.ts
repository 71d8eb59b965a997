// Printer columns as the option `columns` takes them. Age is added by itself, and types follow from the schema.
import type { CustomResourceColumnDefinition } from "@kubewright/api";
import { type Code, literal, type Member, object } from "./code.js";
import type { Schema } from "./schema-shape.js";

type Column = CustomResourceColumnDefinition;

/** The member `columns` of a version; none where it has no columns. */
export function columnsSource(columns: readonly Column[], schema: Schema): readonly Member[] {
  if (columns.length === 0) return [];
  const unique = columns.filter(
    ({ name }, index) => columns.findIndex((other) => other.name === name) === index,
  );
  const last = unique.at(-1);
  const endsWithAge = last !== undefined && isPlainAge(last);
  const own = endsWithAge ? unique.slice(0, -1) : unique;
  const members: Member[] = own.map((column) => [column.name, columnText(column, schema)]);
  if (!unique.some(({ name }) => name === "Age")) members.push(["Age", literal(false)]);
  return [["columns", object(members)]];
}

const isPlainAge = ({ name, type, jsonPath, ...more }: Column): boolean =>
  name === "Age" &&
  type === "date" &&
  jsonPath === ".metadata.creationTimestamp" &&
  Object.keys(more).length === 0;

function columnText({ name: _name, jsonPath, ...options }: Column, schema: Schema): Code {
  const isObvious = Object.keys(options).length === 1 && options.type === typeAt(schema, jsonPath);
  return isObvious ? literal(jsonPath) : literal({ path: jsonPath, ...options });
}

/** The type of a field at a plain path. */
function typeAt(schema: Schema, path: string): string | undefined {
  let at: Schema | undefined = schema;
  for (const name of path.split(".").slice(1)) at = at?.properties?.[name];
  return at?.type === "string" && at.format !== undefined ? undefined : at?.type;
}

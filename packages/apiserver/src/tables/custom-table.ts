// Tables of custom kinds: the columns their definition states, or an age.
import type { JsonObject, JsonValue } from "@kubewright/api";
import { column, creationDescription, nameColumn, type TableColumn } from "./column.js";
import { ageOf, millisecondsOf } from "./human-duration.js";
import { JsonPath } from "./json-path.js";
import { metadataOf } from "./partial-metadata.js";
import type { Cell, PrintedRow } from "./printer.js";

/** A column of a custom kind, as its definition states it. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly format?: string | undefined;
  readonly description?: string | undefined;
  readonly priority?: number | undefined;
}

/** A table of one custom kind. */
export interface CustomTable {
  readonly columns: readonly TableColumn[];
  print(object: JsonObject): PrintedRow;
}

const defaultColumns: readonly PrinterColumn[] = [
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp", description: creationDescription },
];

/** The columns of a custom kind; an empty list means those every kind has. What a definition states is not changed any more. */
export function customTable(stated: readonly PrinterColumn[], now: number): CustomTable {
  const { columns, paths } = compiled(stated.length > 0 ? stated : defaultColumns);
  return {
    columns,
    print(object) {
      const { name } = metadataOf(object);
      return {
        cells: [name ?? "", ...paths.map(({ path, type }) => cellOf(path?.find(object)[0], type, now))],
      };
    },
  };
}

/** What stays the same for all objects and readers. */
interface CompiledColumns {
  readonly columns: readonly TableColumn[];
  readonly paths: readonly { readonly path: JsonPath | undefined; readonly type: string }[];
}

/** A definition may state thousands of columns, and is read again for every table. */
const known = new WeakMap<readonly PrinterColumn[], CompiledColumns>();

function compiled(stated: readonly PrinterColumn[]): CompiledColumns {
  const before = known.get(stated);
  if (before) return before;
  const columns = [nameColumn, ...stated.map(columnOf)];
  const paths = stated.map(({ type, jsonPath }) => ({ path: JsonPath.parse(jsonPath), type }));
  known.set(stated, { columns, paths });
  return { columns, paths };
}

function columnOf({ name, type, format, description, priority, jsonPath }: PrinterColumn): TableColumn {
  const described = description || `Custom resource definition column (in JSONPath format): ${jsonPath}`;
  return column(name, { type, format: format ?? "", description: described, priority: priority ?? 0 });
}

/** A value in a column of some type; what has another type is not shown. */
function cellOf(value: JsonValue | undefined, type: string, now: number): Cell {
  if (value === undefined) return null;
  switch (type) {
    case "string":
      return textOf(value);
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? dateOf(value, now) : null;
    default:
      return null;
  }
}

function textOf(value: JsonValue): string {
  if (typeof value === "string") return value;
  if (value === null) return "<no value>";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function dateOf(text: string, now: number): string {
  if (text === "" || text === "null") return "<unknown>";
  return millisecondsOf(text) === undefined ? "<invalid>" : ageOf(text, now);
}

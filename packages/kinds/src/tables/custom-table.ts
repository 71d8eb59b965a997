// Tables of custom kinds: the columns of their CRD, or an age.
import { isObject, type JsonObject, type JsonValue, stringifyJson } from "@kubewright/api";
import { column, creationDescription, nameColumn, type TableColumn } from "./column.js";
import { ageOf, millisecondsOf } from "./human-duration.js";
import { JsonPath } from "./json-path.js";
import { metadataOf } from "./partial-metadata.js";
import type { Cell, PrintedRow } from "./printer.js";

/** A column of a custom kind, as its CRD states it. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly format?: string | undefined;
  readonly description?: string | undefined;
  readonly priority?: number | undefined;
}

const defaultColumns: readonly PrinterColumn[] = [
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp", description: creationDescription },
];

/** A column that was printed before. What it states may be no path. */
interface CompiledColumn {
  readonly path: JsonPath | undefined;
}

/** The columns of one version of a custom kind. A CRD may state thousands: each is compiled when it is first printed, and once. */
export class CustomColumns {
  readonly #stated: readonly PrinterColumn[];
  readonly #compiled: CompiledColumn[] = [];
  #definitions: readonly TableColumn[] | undefined;

  /** No columns are those every kind has. */
  constructor(stated: readonly PrinterColumn[]) {
    this.#stated = stated.length > 0 ? stated : defaultColumns;
  }

  /** Their column definitions in a table. */
  get definitions(): readonly TableColumn[] {
    this.#definitions ??= [nameColumn, ...this.#stated.map(columnOf)];
    return this.#definitions;
  }

  /** The row of an object; ages are counted from `now`. */
  print(object: JsonObject, now: number): PrintedRow {
    const cells: Cell[] = [metadataOf(object)["name"] ?? ""];
    for (const [index, stated] of this.#stated.entries()) cells.push(this.#cell(index, stated, object, now));
    return { cells };
  }

  #cell(index: number, { jsonPath, type }: PrinterColumn, object: JsonObject, now: number): Cell {
    const compiled = this.#compiled[index] ?? { path: JsonPath.parse(jsonPath) };
    this.#compiled[index] = compiled;
    return cellOf(compiled.path?.find(object)[0], type, now);
  }
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
      if (typeof value === "bigint") return value;
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" || typeof value === "bigint" ? value : null;
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
  return typeof value === "object" ? stringifyJson(sorted(value)) : String(value);
}

/** Go prints maps in the order of their keys. */
function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key] as JsonValue)]));
}

function dateOf(text: string, now: number): string {
  if (text === "" || text === "null") return "<unknown>";
  return millisecondsOf(text) === undefined ? "<invalid>" : ageOf(text, now);
}

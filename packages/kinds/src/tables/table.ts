// Server-side printing: what `kubectl get` shows is decided here, not in kubectl.
import { ApiError, type GroupVersionKind, goQuote, type JsonObject, type JsonValue } from "@kubewright/api";
import type { TableColumn } from "./column.js";
import type { CustomColumns } from "./custom-table.js";
import { defaultColumns, printDefault } from "./default-printer.js";
import { type MetaVersion, metadataOf, partialObjectMetadata, typedListMeta } from "./partial-metadata.js";
import { type PrintedRow, printContext, type TablePrinter } from "./printer.js";
import { printerOf } from "./printers/all-printers.js";

/** `?includeObject=`: what a row carries beside its cells. */
export type IncludeObject = "None" | "Metadata" | "Object";

/** Reads `?includeObject=`. Throws ApiError 400. */
export function parseIncludeObject(value: string | null | undefined): IncludeObject {
  if (!value) return "Metadata";
  if (value === "None" || value === "Metadata" || value === "Object") return value;
  throw new ApiError(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${goQuote(value)}: must be 'Metadata', 'Object', 'None', or empty`,
    { code: 400, reason: "BadRequest" },
  );
}

/** What a table shows, and in which form. */
export interface TableOptions {
  readonly gvk: GroupVersionKind;
  /** The columns of a custom kind. Absent for built-in kinds. */
  readonly columns?: CustomColumns | undefined;
  /** Milliseconds since the epoch; ages are counted from here. */
  readonly now: number;
  readonly includeObject: IncludeObject;
  /** Version of meta.k8s.io asked for. */
  readonly version: MetaVersion;
  /** `metadata` of the list; absent for a single object. */
  readonly listMeta?: JsonObject | undefined;
  /** Leaves the column definitions out, as every event of a watch but the first does. */
  readonly withoutColumns?: boolean | undefined;
}

/** Prints objects of one kind as a `Table`. */
export function tableFor(objects: readonly JsonObject[], options: TableOptions): JsonObject {
  const printer = new TableWriter(objects, options);
  return printer.table(printer.objects.map((object) => printer.row(object)));
}

/** Prints a table row by row, for callers that yield to the event loop in between. */
export class TableWriter {
  /** In the order they are shown. */
  readonly objects: readonly JsonObject[];
  readonly #printing: Printing;
  readonly #options: TableOptions;

  constructor(objects: readonly JsonObject[], options: TableOptions) {
    this.#printing = printingOf(options);
    this.#options = options;
    const { compare } = this.#printing;
    this.objects = compare && objects.length > 1 ? objects.toSorted(compare) : objects;
  }

  row(object: JsonObject): JsonObject {
    const { cells, conditions } = this.#printing.print(object);
    return {
      cells: cells.map((cell) => cell ?? null),
      ...(conditions === undefined ? {} : { conditions }),
      object: included(object, this.#options),
    };
  }

  table(rows: readonly JsonObject[]): JsonObject {
    const { version, listMeta, withoutColumns } = this.#options;
    return {
      kind: "Table",
      apiVersion: `meta.k8s.io/${version}`,
      metadata: listMeta ? typedListMeta(listMeta) : singleMeta(this.objects[0]),
      columnDefinitions: withoutColumns ? null : this.#printing.columns.map((column) => ({ ...column })),
      rows: rows.length === 0 && this.#printing.isDefault ? null : rows,
    };
  }
}

interface Printing {
  readonly columns: readonly TableColumn[];
  print(object: JsonObject): PrintedRow;
  readonly compare?: TablePrinter["compare"];
  /** Set for kinds without a printer, whose tables have null in place of no rows. */
  readonly isDefault?: boolean;
}

function printingOf({ gvk, columns, now }: TableOptions): Printing {
  if (columns) return { columns: columns.definitions, print: (object) => columns.print(object, now) };
  const printer = printerOf(gvk);
  if (!printer) return { columns: defaultColumns, print: printDefault, isDefault: true };
  const context = printContext(now);
  const { compare } = printer;
  return { columns: printer.columns, print: (object) => printer.print(object, context), compare };
}

function included(object: JsonObject, { includeObject, version }: TableOptions): JsonValue {
  if (includeObject === "None") return null;
  return includeObject === "Object" ? object : partialObjectMetadata(object, version);
}

/** A table of one object carries the version of that object. */
function singleMeta(object: JsonObject | undefined): JsonObject {
  const resourceVersion = object && metadataOf(object)["resourceVersion"];
  return resourceVersion === undefined ? {} : { resourceVersion };
}

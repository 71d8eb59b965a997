// The printer of kinds without one of their own.
import type { JsonObject } from "@kubewright/api";
import { column, creationDescription, nameColumn, type TableColumn } from "./column.js";
import { metadataOf } from "./partial-metadata.js";
import type { PrintedRow } from "./printer.js";

/** The columns of kinds without a printer. */
export const defaultColumns: readonly TableColumn[] = [
  nameColumn,
  column("Created At", { type: "date", description: creationDescription }),
];

/** Their rows. */
export function printDefault(object: JsonObject): PrintedRow {
  const { name, creationTimestamp } = metadataOf(object);
  return { cells: [name ?? "", creationTimestamp ?? ""] };
}

// The interface that prints a kind as a table. Each kind's printer stands in a file of its own or its family's.
import type { JsonObject, JsonValue, ObjectOf, ResourceDescriptor } from "@kubewright/api";
import type { TableColumn } from "./column.js";
import { ageOf } from "./human-duration.js";

/** A cell; `undefined` is printed as null. */
export type Cell = JsonValue | undefined;

/** The context of a printer beside the object. */
export interface PrintContext {
  /** The age of a timestamp, `<unknown>` when there is none. */
  age(timestamp: string | null | undefined): string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** One row without its object. */
export interface PrintedRow {
  readonly cells: readonly Cell[];
  /** Conditions of the table row, by which clients see that a pod is done. */
  readonly conditions?: readonly JsonObject[] | undefined;
}

/** Prints the objects of one kind. */
export interface TablePrinter {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly columns: readonly TableColumn[];
  print(object: JsonObject, context: PrintContext): PrintedRow;
  /** The order in which a list is shown, where it is not that of the list. */
  readonly compare?: ((a: JsonObject, b: JsonObject) => number) | undefined;
}

/** A printer for one kind. `print` gives the cells, or a row where there is more to say. */
export function definePrinter<D extends ResourceDescriptor<unknown>>(
  descriptor: D,
  columns: readonly TableColumn[],
  print: (object: ObjectOf<D>, context: PrintContext) => readonly Cell[] | PrintedRow,
): TablePrinter {
  return {
    group: descriptor.group,
    version: descriptor.version,
    kind: descriptor.kind,
    columns,
    print(object, context) {
      // Stored objects of a kind were normalised to its type.
      const printed = print(object as ObjectOf<D>, context);
      return "cells" in printed ? printed : { cells: printed };
    },
  };
}

/** The context for one table. */
export function printContext(now: number): PrintContext {
  return { now, age: (timestamp) => ageOf(timestamp, now) };
}

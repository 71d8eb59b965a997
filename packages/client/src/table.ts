// Tables: what `kubectl get` prints, computed by the server from a kind's printer columns.
import type { ObjectMeta } from "@kubewright/api";
import type { ListOptions } from "./options.js";

/** A collection, or one object, as rows of printable cells. */
export interface Table {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly columnDefinitions: readonly TableColumn[];
  readonly rows: readonly TableRow[];
}

/** A column of a table, as `kubectl get` shows it. */
export interface TableColumn {
  readonly name: string;
  /** `string`, `integer`, `date`, … */
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0 for columns always shown; others are for `-o wide`. */
  readonly priority: number;
}

/** A row of a table, one for each object. */
export interface TableRow {
  /** One for each column. */
  readonly cells: readonly unknown[];
  /** The object of the row, as far as it was asked for. */
  readonly object?: { readonly metadata?: ObjectMeta | undefined } | undefined;
}

/** Which objects the table lists, and how much of each comes with its row. */
export interface TableOptions extends ListOptions {
  /** One object rather than a collection. */
  readonly name?: string | undefined;
  /** The part of each object that comes with its row (`includeObject`). Default: its metadata. */
  readonly includeObject?: "None" | "Metadata" | "Object" | undefined;
}

/** The `accept` header of a request for a Table. */
export const tableAccept = "application/json;as=Table;g=meta.k8s.io;v=v1";

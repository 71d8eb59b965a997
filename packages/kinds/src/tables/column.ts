// Columns of tables.
import { type DescribedField, describe } from "./field-descriptions.js";

/** One column of a table. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0 is always shown, more only with `-o wide`. */
  readonly priority: number;
}

/** The options of a column. Default: a string column that is always shown. */
export interface ColumnOptions extends Partial<Omit<TableColumn, "name">> {
  /** The field it shows, where the API's description of that field is used. */
  readonly of?: DescribedField | undefined;
}

/** A column. */
export function column(name: string, options: ColumnOptions = {}): TableColumn {
  return {
    name,
    type: options.type ?? "string",
    format: options.format ?? "",
    description: options.of ? describe(options.of) : (options.description ?? ""),
    priority: options.priority ?? 0,
  };
}

/** A column shown only with `-o wide`. */
export function wideColumn(name: string, options: ColumnOptions = {}): TableColumn {
  return column(name, { ...options, priority: 1 });
}

/** The API's description of `metadata.creationTimestamp`. */
export const creationDescription =
  "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

const nameDescription =
  "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";

/** The column nearly every table begins with. */
export const nameColumn: TableColumn = column("Name", { format: "name", description: nameDescription });

/** How long ago the object was created. */
export const ageColumn: TableColumn = column("Age", { description: creationDescription });

/** Names and images of the containers of a pod template. */
export const containerColumns: readonly TableColumn[] = [
  wideColumn("Containers", { description: "Names of each container in the template." }),
  wideColumn("Images", { description: "Images referenced by each container in the template." }),
];

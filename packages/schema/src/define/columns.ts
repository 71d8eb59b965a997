// Printer columns: what `kubectl get` shows, with types taken from the schema.
import type { CustomResourceColumnDefinition, FieldError, JSONSchemaProps } from "@kubewright/api";
import { typeAtPath } from "./json-path.js";
import type { ColumnOptions, Columns } from "./resource-options.js";

const age: CustomResourceColumnDefinition = {
  name: "Age",
  type: "date",
  jsonPath: ".metadata.creationTimestamp",
};

const printable = new Set(["date", "integer", "number", "boolean"]);

/** The columns of a version, with an age at the end as built-in kinds have it. */
export function printerColumns(
  columns: Columns | undefined,
  root: JSONSchemaProps,
  problems: FieldError[],
): readonly CustomResourceColumnDefinition[] | undefined {
  if (columns === undefined) return undefined;
  const entries = Object.entries(columns).flatMap(([name, column]) =>
    column === false ? [] : [printerColumn(name, column, root, problems)],
  );
  return columns["Age"] === undefined ? [...entries, age] : entries;
}

function printerColumn(
  name: string,
  column: string | ColumnOptions,
  root: JSONSchemaProps,
  problems: FieldError[],
): CustomResourceColumnDefinition {
  const { path, ...options } = typeof column === "string" ? { path: column } : column;
  const type = options.type ?? columnType(path, root);
  if (type === undefined) {
    problems.push({
      field: `columns.${name}`,
      reason: "FieldValueInvalid",
      message: `the path ${path} leads to no field of the schema`,
    });
  }
  return { name, type: type ?? "string", jsonPath: path, ...withoutUndefined(options) };
}

function withoutUndefined(options: Omit<ColumnOptions, "path">): Partial<CustomResourceColumnDefinition> {
  return Object.fromEntries(
    Object.entries(options).filter(([key, value]) => key !== "type" && value !== undefined),
  );
}

/** The column type for the field at a path; undefined when there is no such field. */
function columnType(path: string, root: JSONSchemaProps): string | undefined {
  const type = typeAtPath(root, path);
  return type === undefined || printable.has(type) ? type : "string";
}

// Printer columns, scale and selectable fields: the parts of a CRD that refer to fields of the schema.
import {
  type CustomResourceColumnDefinition,
  type CustomResourceSubresources,
  type FieldError,
  fieldError,
  type JSONSchemaProps,
  type SelectableField,
} from "@kubewright/api";
import { fieldPathProblem } from "./field-path.js";

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

/** The errors of a printer column. */
export function columnErrors(column: CustomResourceColumnDefinition, path: string): FieldError[] {
  const { name, type, format, jsonPath } = column;
  const errors: FieldError[] = [];
  const oneOfTypes = `must be one of ${columnTypes.join(",")}`;
  if (!name) errors.push(fieldError.required(`${path}.name`));
  if (!type) errors.push(fieldError.required(`${path}.type`, oneOfTypes));
  else if (!columnTypes.includes(type)) errors.push(fieldError.invalid(`${path}.type`, type, oneOfTypes));
  if (format && !columnFormats.includes(format)) {
    errors.push(fieldError.invalid(`${path}.format`, format, `must be one of ${columnFormats.join(",")}`));
  }
  if (!jsonPath) errors.push(fieldError.required(`${path}.JSONPath`));
  else errors.push(...simplePathErrors(jsonPath, `${path}.JSONPath`));
  return errors;
}

function simplePathErrors(jsonPath: string, path: string): FieldError[] {
  if (jsonPath.startsWith(".")) return [];
  return [fieldError.invalid(path, jsonPath, "must be a simple json path starting with .")];
}

/** The errors of the subresources. */
export function subresourceErrors(
  subresources: CustomResourceSubresources | undefined,
  path: string,
): FieldError[] {
  const scale = subresources?.scale;
  if (scale === undefined) return [];
  return [
    ...replicasErrors(scale.specReplicasPath, `${path}.scale.specReplicasPath`, ".spec"),
    ...replicasErrors(scale.statusReplicasPath, `${path}.scale.statusReplicasPath`, ".status"),
    ...(scale.labelSelectorPath
      ? selectorErrors(scale.labelSelectorPath, `${path}.scale.labelSelectorPath`)
      : []),
  ];
}

function replicasErrors(jsonPath: string | undefined, path: string, root: string): FieldError[] {
  if (!jsonPath) return [fieldError.required(path)];
  const malformed = simplePathErrors(jsonPath, path);
  if (malformed.length > 0 || jsonPath.startsWith(`${root}.`)) return malformed;
  return [fieldError.invalid(path, jsonPath, `should be a json path under ${root}`)];
}

function selectorErrors(jsonPath: string, path: string): FieldError[] {
  const malformed = simplePathErrors(jsonPath, path);
  if (malformed.length > 0 || jsonPath.startsWith(".spec.") || jsonPath.startsWith(".status."))
    return malformed;
  return [fieldError.invalid(path, jsonPath, "should be a json path under either .spec or .status")];
}

const selectableTypes: readonly (string | undefined)[] = ["string", "boolean", "integer"];
const maxSelectableFields = 8;

/** The errors of the fields that field selectors may name. */
export function selectableFieldErrors(
  fields: readonly SelectableField[],
  schema: JSONSchemaProps,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [i, { jsonPath }] of fields.entries()) {
    const place = `${path}[${i}].jsonPath`;
    if (!jsonPath) {
      errors.push(fieldError.required(place));
      continue;
    }
    const found = fieldPathProblem(jsonPath, schema, false);
    if ("problem" in found) {
      errors.push(fieldError.invalid(place, jsonPath, `is an invalid path: ${found.problem}`));
      continue;
    }
    if (found.path[0] === "metadata")
      errors.push(fieldError.invalid(place, jsonPath, "must not point to fields in metadata"));
    if (!selectableTypes.includes(found.schema.type))
      errors.push(fieldError.invalid(place, jsonPath, selectableText));
    const text = found.path.join(".");
    if (seen.has(text)) errors.push(fieldError.duplicate(place, jsonPath));
    seen.add(text);
  }
  if (seen.size > maxSelectableFields) errors.push(fieldError.tooMany(path, seen.size, maxSelectableFields));
  return errors;
}

const selectableText =
  "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";

// The content of ConfigMaps and Secrets: keys become file names, and all of it must fit into one mebibyte.
import { type FieldError, validateConfigMapKey } from "@kubewright/api";
import { mostErrors } from "../../request/failures.js";
import { problems } from "../field-rules.js";

/** The most bytes the values may have together. */
export const maxDataBytes = 1024 * 1024;

/** Problems with the keys of a map, as many as are told. */
export function validateDataKeys(data: Readonly<Record<string, unknown>>, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of Object.keys(data)) {
    if (errors.length >= mostErrors) break;
    errors.push(...problems(validateConfigMapKey(key), key, `${field}[${key}]`));
  }
  return errors;
}

/** The number of bytes base64 stands for. */
export const base64Bytes = (text: string): number =>
  Math.floor((text.length * 3) / 4) - (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0);

// The content of ConfigMaps and Secrets: keys become file names, and all of it must fit into one mebibyte.
import { type FieldError, validateConfigMapKey } from "@kubewright/api";
import { maxErrors } from "../check-each.js";
import { invalidBecause } from "../field-rules.js";

/** The most bytes the values may have together. */
export const maxDataBytes = 1024 * 1024;

/** The errors of the keys of a map, as many as are reported, and the decoded size of its values in bytes. */
export function checkBytes(
  data: Readonly<Record<string, string>>,
  field: string,
): { readonly errors: FieldError[]; readonly size: number } {
  const errors: FieldError[] = [];
  let size = 0;
  for (const key of Object.keys(data)) {
    const wrong = errors.length < maxErrors ? validateConfigMapKey(key) : [];
    if (wrong.length > 0) errors.push(...invalidBecause(wrong, key, `${field}[${key}]`));
    size += base64Bytes(data[key] ?? "");
  }
  return { errors, size };
}

/** The number of bytes base64 stands for. */
const base64Bytes = (text: string): number =>
  Math.floor((text.length * 3) / 4) - (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0);

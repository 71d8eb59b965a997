// File paths in volumes and mounts may not climb out of where they are mounted.
import { type FieldError, fieldError } from "@kubewright/api";

/** No `..` among the elements. */
export function validateNoBacksteps(path: string, field: string): FieldError[] {
  return path.split("/").includes("..") ? [fieldError.invalid(field, path, "must not contain '..'")] : [];
}

/** Relative, and no `..` among the elements. */
export function validateDescendingPath(path: string, field: string): FieldError[] {
  const errors = path.startsWith("/") ? [fieldError.invalid(field, path, "must be a relative path")] : [];
  return [...errors, ...validateNoBacksteps(path, field)];
}

/** Descending, and not starting with `..`, which atomic updates of a volume use for themselves. */
export function validateUnreservedPath(path: string, field: string): FieldError[] {
  const errors = validateDescendingPath(path, field);
  const isReserved = path.startsWith("..") && !path.startsWith("../");
  return isReserved ? [...errors, fieldError.invalid(field, path, "must not start with '..'")] : errors;
}

/** File permissions: 0 to 0777. */
export function validateMode(mode: number | undefined, field: string): FieldError[] {
  if (mode === undefined || (mode >= 0 && mode <= 0o777)) return [];
  return [fieldError.invalid(field, mode, "must be a number between 0 and 0777 (octal), both inclusive")];
}

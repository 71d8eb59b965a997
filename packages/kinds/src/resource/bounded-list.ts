// Lists and maps that may not grow beyond a limit. One that is too long is not looked into any further.
import { type FieldError, fieldError } from "@kubewright/api";
import { checkEach } from "../check-each.js";

type ErrorsOf<T> = (item: T, field: string) => FieldError[];

/** Problems with the items of a list. */
export function validateList<T>(
  items: readonly T[] | undefined,
  most: number,
  field: string,
  errorsOf: ErrorsOf<T>,
): FieldError[] {
  const list = items ?? [];
  if (list.length > most) return [fieldError.tooMany(field, list.length, most)];
  return checkEach(list, (item, index) => errorsOf(item, `${field}[${index}]`));
}

/** The same for a list whose items are identified by `keyOf`. */
export function validateSet<T>(
  items: readonly T[] | undefined,
  most: number,
  field: string,
  errorsOf: ErrorsOf<T>,
  keyOf: (item: T) => string,
): FieldError[] {
  const list = items ?? [];
  const errors = validateList(list, most, field, errorsOf);
  if (list.length > most) return errors;
  const seen = new Set<string>();
  list.forEach((item, index) => {
    const key = keyOf(item);
    if (seen.has(key)) errors.push(fieldError.duplicate(`${field}[${index}]`, key));
    seen.add(key);
  });
  return errors;
}

/** The same for a map; problems with keys are those of the map. */
export function validateEntries<T>(
  map: Readonly<Record<string, T>> | undefined,
  most: number,
  field: string,
  keyErrors: ErrorsOf<string>,
  errorsOf: ErrorsOf<T>,
): FieldError[] {
  const entries = Object.entries(map ?? {});
  if (entries.length > most) return [fieldError.tooMany(field, entries.length, most)];
  return checkEach(entries, ([key, item]) => [
    ...keyErrors(key, field),
    ...errorsOf(item, `${field}[${key}]`),
  ]);
}

// Validates names of field managers: short and printable.
import { type FieldError, fieldError, type ManagedFieldsEntry } from "@kubewright/api";

/** In bytes. */
export const fieldManagerLimit = 128;
const subresourceLimit = 256;

/** The characters that Go considers printable: letters, marks, numbers, punctuation, symbols and the plain space. */
export const isPrintable = (character: string): boolean => /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character);

/** Each error shows the whole name: of one that is much too long, a few say enough. */
const mostCharacters = 100_000;

/** Whether a name needs no further look. */
export const isUsualManager = (manager: string): boolean => /^[ -~]{0,128}$/.test(manager);

/** Problems with the name of a field manager. */
export function validateFieldManager(manager: string, field: string): FieldError[] {
  if (isUsualManager(manager)) return [];
  const errors: FieldError[] = [];
  if (Buffer.byteLength(manager) > fieldManagerLimit)
    errors.push(fieldError.tooLong(field, fieldManagerLimit));
  let position = 0;
  for (const character of manager) {
    if (errors.length * manager.length > mostCharacters) break;
    if (!isPrintable(character)) {
      const text = `invalid character ${codePoint(character)} (at position ${position})`;
      errors.push(fieldError.invalid(field, manager, text));
    }
    position += Buffer.byteLength(character);
  }
  return errors;
}

/** `U+0007`; none of these has a glyph to show beside it. */
const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

/** Problems with what clients write into managedFields themselves. */
export const validateManagedFields = (entries: readonly ManagedFieldsEntry[] = []): FieldError[] =>
  entries.flatMap((entry, index) => entryErrors(entry, `metadata.managedFields[${index}]`));

function entryErrors(entry: ManagedFieldsEntry, field: string): FieldError[] {
  const { operation = "", fieldsType = "", manager = "", subresource = "" } = entry;
  const errors: FieldError[] = [];
  if (operation !== "Apply" && operation !== "Update")
    errors.push(fieldError.invalid(`${field}.operation`, operation, "must be `Apply` or `Update`"));
  if (fieldsType !== "" && fieldsType !== "FieldsV1")
    errors.push(fieldError.invalid(`${field}.fieldsType`, fieldsType, "must be `FieldsV1`"));
  errors.push(...validateFieldManager(manager, `${field}.manager`));
  if (Buffer.byteLength(subresource) > subresourceLimit)
    errors.push(fieldError.tooLong(`${field}.subresource`, subresourceLimit));
  return errors;
}

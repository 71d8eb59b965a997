// Validates opaque parameters of storage drivers: only their size matters.
import { type FieldError, fieldError, utf8Length } from "@kubewright/api";

const maxCount = 512;
const maxBytes = 256 * 1024;

export function validateParameters(
  parameters: Readonly<Record<string, string>> = {},
  field: string,
): FieldError[] {
  const entries = Object.entries(parameters);
  if (entries.length > maxCount) return [fieldError.tooLong(field, maxCount)];
  const errors = entries
    .filter(([key]) => key === "")
    .map(([key]) => fieldError.invalid(field, key, "field can not be empty."));
  const bytes = entries.reduce((size, [key, value]) => size + utf8Length(key) + utf8Length(value), 0);
  return bytes > maxBytes ? [...errors, fieldError.tooLong(field, maxBytes)] : errors;
}

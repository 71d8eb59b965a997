// The name of a storage driver, as volumes, classes and the driver's own object spell it.
import { type FieldError, fieldError, validateDns1123Subdomain } from "@kubewright/api";
import { invalidBecause } from "../field-rules.js";

const maxLength = 63;

/** Problems with the name of a driver. */
export function validateCsiDriverName(name: string, field: string): FieldError[] {
  if (name === "") return [fieldError.required(field)];
  const errors = name.length > maxLength ? [fieldError.tooLong(field, maxLength)] : [];
  return [...errors, ...invalidBecause(validateDns1123Subdomain(name.toLowerCase()), name, field)];
}

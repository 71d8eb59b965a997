// Validates the declared features of a node: sorted names, each once.
import { type FieldError, fieldError } from "@kubewright/api";
import { checkEach } from "../check-each.js";

const longestName = 253;
const pattern = /^[A-Z][A-Za-z0-9]*(?:\/[A-Za-z0-9]+)*$/;

/** The list, where it stands. */
export function validateDeclaredFeatures(names: readonly string[], field: string): FieldError[] {
  return checkEach(names, (name, index) => [
    ...nameErrors(name, `${field}[${index}]`),
    ...orderErrors(name, names[index + 1], `${field}[${index + 1}]`),
  ]);
}

function nameErrors(name: string, field: string): FieldError[] {
  const subject = `invalid feature name ${JSON.stringify(name)}`;
  if (name.length > longestName)
    return [fieldError.invalid(field, name, `${subject}: must be no more than ${longestName} characters`)];
  const text = `${subject}: must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes`;
  return pattern.test(name) ? [] : [fieldError.invalid(field, name, text)];
}

function orderErrors(name: string, next: string | undefined, field: string): FieldError[] {
  if (next === undefined || name < next) return [];
  return name === next
    ? [fieldError.duplicate(field, next)]
    : [fieldError.invalid(field, next, "list must be sorted alphabetically")];
}

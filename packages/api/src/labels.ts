// The rules for labels and annotations, and for qualified names in general (`example.com/key`), which finalizers and
// condition types follow too.
import type { FieldError } from "./errors.js";
import { fieldError } from "./field-error.js";
import { utf8Length } from "./go-text.js";
import { patternText, tooLongText, validateDns1123Subdomain } from "./names.js";

/** Labels or annotations as objects carry them. */
export interface Labels {
  readonly [key: string]: string;
}

const maxLength = 63;
/** Keys and values of all annotations of an object together. */
export const maxAnnotationBytes = 256 * 1024;
const namePattern = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const valuePattern = `(${namePattern})?`;
const nameRegexp = new RegExp(`^${namePattern}$`);
const valueRegexp = new RegExp(`^${valuePattern}$`);

/** Matches nearly all valid keys and values at once. */
const plainRegexp = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

const shape =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const nameText = patternText(shape, namePattern, "MyName", "my.name", "123-abc");
const valueText = patternText(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start " +
    "and end with an alphanumeric character",
  valuePattern,
  "MyValue",
  "my_value",
  "12345",
);

/** Validation errors of a label key, finalizer or condition type; empty when it is valid. */
export function validateQualifiedName(value: string): string[] {
  if (plainRegexp.test(value)) return [];
  const slash = value.indexOf("/");
  if (slash === -1) return namePartErrors(value);
  if (value.includes("/", slash + 1)) {
    return [
      `a valid label key ${nameText} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  return [...prefixErrors(value.slice(0, slash)), ...namePartErrors(value.slice(slash + 1))];
}

function prefixErrors(prefix: string): string[] {
  if (prefix === "") return ["prefix part must be non-empty"];
  return validateDns1123Subdomain(prefix).map((text) =>
    text === tooLongText(253) ? `prefix part ${tooLongText(253, "bytes")}` : `prefix part ${text}`,
  );
}

function namePartErrors(name: string): string[] {
  const wrong: string[] = [];
  if (name === "") wrong.push("name part must be non-empty");
  else if (utf8Length(name) > maxLength) wrong.push(`name part ${tooLongText(maxLength, "bytes")}`);
  if (!nameRegexp.test(name)) wrong.push(`name part ${nameText}`);
  return wrong;
}

/** Validation errors of a label value; empty when it is valid. */
export function validateLabelValue(value: string): string[] {
  if (value === "" || plainRegexp.test(value)) return [];
  const wrong = utf8Length(value) > maxLength ? [tooLongText(maxLength, "bytes")] : [];
  if (!valueRegexp.test(value)) wrong.push(valueText);
  return wrong;
}

/** Validation errors of the labels at `field`. */
export function validateLabels(labels: Labels | undefined, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels ?? {}))
    for (const error of validateLabel(key, value, field)) errors.push(error);
  return errors;
}

/** Validation errors of one of the labels at `field`. */
export function validateLabel(key: string, value: string, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const text of validateQualifiedName(key)) errors.push(fieldError.invalid(field, key, text));
  for (const text of validateLabelValue(value)) errors.push(fieldError.invalid(field, value, text));
  return errors;
}

/** Validation errors of the annotations at `field`: keys are as for labels in either case, values free, 256 KiB in all. */
export function validateAnnotations(annotations: Labels | undefined, field: string): FieldError[] {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations ?? {})) {
    errors.push(...validateAnnotationKey(key, field));
    bytes += annotationBytes(key, value);
  }
  if (bytes > maxAnnotationBytes) errors.push(fieldError.tooLong(field, maxAnnotationBytes));
  return errors;
}

/** Validation errors of the key of one of the annotations at `field`. */
export const validateAnnotationKey = (key: string, field: string): FieldError[] =>
  validateQualifiedName(key.toLowerCase()).map((text) => fieldError.invalid(field, key, text));

/** The size of one annotation, as it counts towards the limit of all. */
export const annotationBytes = (key: string, value: string): number => utf8Length(key) + utf8Length(value);

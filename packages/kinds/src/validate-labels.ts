// The rules for labels and annotations.
import {
  annotationBytes,
  type FieldError,
  fieldError,
  type Labels,
  maxAnnotationBytes,
  validateAnnotationKey,
  validateLabel,
} from "@kubewright/api";
import { checkEach } from "./check-each.js";

/** The errors of the labels at `field`. */
export const labelErrors = (labels: Labels | undefined, field: string): FieldError[] =>
  labels ? checkEach(Object.keys(labels), (key) => validateLabel(key, labels[key] ?? "", field)) : [];

/** The errors of the annotations at `field`. */
export function annotationErrors(annotations: Labels | undefined, field: string): FieldError[] {
  const entries = Object.entries(annotations ?? {});
  const errors = checkEach(entries, ([key]) => validateAnnotationKey(key, field));
  const bytes = entries.reduce((sum, [key, value]) => sum + annotationBytes(key, value), 0);
  if (bytes > maxAnnotationBytes) errors.push(fieldError.tooLong(field, maxAnnotationBytes));
  return errors;
}

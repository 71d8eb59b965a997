// Labels and annotations: as many of them as fit into a body, so that what is wrong with many is found later, as `checkEach` does.
import {
  annotationBytes,
  type FieldError,
  fieldError,
  type Labels,
  maxAnnotationBytes,
  validateAnnotationKey,
  validateLabel,
} from "@kubewright/api";
import { checkEach } from "../request/check-each.js";

/** What is wrong with the labels at `field`. */
export const labelErrors = (labels: Labels | undefined, field: string): FieldError[] =>
  labels ? checkEach(Object.keys(labels), (key) => validateLabel(key, labels[key] ?? "", field)) : [];

/** What is wrong with the annotations at `field`; how long all of them are together is known with the last. */
export function annotationErrors(annotations: Labels | undefined, field: string): FieldError[] {
  if (!annotations) return [];
  const keys = Object.keys(annotations);
  let bytes = 0;
  return checkEach(keys, (key, index) => {
    bytes += annotationBytes(key, annotations[key] ?? "");
    const errors = validateAnnotationKey(key, field);
    if (index === keys.length - 1 && bytes > maxAnnotationBytes)
      errors.push(fieldError.tooLong(field, maxAnnotationBytes));
    return errors;
  });
}

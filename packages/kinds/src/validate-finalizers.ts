// Validates finalizers.
import { type FieldError, fieldError, type ObjectMeta, validateQualifiedName } from "@kubewright/api";
import { checkEach } from "./check-each.js";

const field = "metadata.finalizers";
const standard = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** Problems with the names of finalizers. */
export function finalizerErrors(finalizers: readonly string[] = []): FieldError[] {
  const errors = checkEach(finalizers, (name) =>
    validateQualifiedName(name).map((text) => fieldError.invalid(field, name, text)),
  );
  if (!finalizers.includes("orphan") || !finalizers.includes("foregroundDeletion")) return errors;
  const text = "finalizer orphan and foregroundDeletion cannot be both set";
  return [...errors, fieldError.invalid(field, finalizers, text)];
}

/** On built-in kinds a finalizer without a domain must be one of Kubernetes' own. */
export function validateStandardFinalizer(name: string, at: string): FieldError[] {
  if (name.includes("/") || standard.has(name)) return [];
  const text = "name is neither a standard finalizer name nor is it fully qualified";
  return [fieldError.invalid(at, name, text)];
}

/** The same for all finalizers of an object. */
export const standardFinalizerErrors = (finalizers: readonly string[] = []): FieldError[] =>
  checkEach(finalizers, (name, index) => validateStandardFinalizer(name, `${field}[${index}]`));

/** Once deletion has begun, finalizers may go but not come. */
export function validateNoNewFinalizers(metadata: ObjectMeta, before: ObjectMeta): FieldError[] {
  if (before.deletionTimestamp === undefined) return [];
  const known = new Set(before.finalizers);
  const added = (metadata.finalizers ?? []).filter((finalizer) => !known.has(finalizer));
  if (added.length === 0) return [];
  const shown = added.map((name) => JSON.stringify(name)).join(", ");
  const text = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${shown}}`;
  return [fieldError.forbidden(field, text)];
}

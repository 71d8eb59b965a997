// ConfigMaps and Secrets can be frozen: from then on their content stays, only metadata may change.
import { deepEqual, type FieldError, fieldError } from "@kubewright/api";

interface Freezable {
  readonly immutable?: boolean | undefined;
}

/** Problems with a change to an object that was frozen; `fields` are those that hold its content. */
export function validateFrozenData<T extends Freezable>(
  now: T,
  before: T,
  fields: readonly (keyof T & string)[],
): FieldError[] {
  if (!before.immutable) return [];
  const changed = fields.filter((field) => !deepEqual(now[field] ?? {}, before[field] ?? {}));
  return [...(now.immutable ? [] : ["immutable"]), ...changed].map((field) =>
    fieldError.forbidden(field, "field is immutable when `immutable` is set"),
  );
}

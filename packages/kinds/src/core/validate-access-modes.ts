// Validates access modes of volumes and claims.
import { type FieldError, fieldError } from "@kubewright/api";
import { checkEach } from "../check-each.js";

const modes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const alone = "ReadWriteOncePod";

/** Problems with the modes that are named. */
export function validateAccessModes(named: readonly string[], field: string): FieldError[] {
  const errors = checkEach(named, (mode) =>
    modes.includes(mode) ? [] : [fieldError.notSupported(field, mode, modes)],
  );
  if (named.includes(alone) && named.some((mode) => mode !== alone && modes.includes(mode)))
    errors.push(fieldError.forbidden(field, "may not use ReadWriteOncePod with other access modes"));
  return errors;
}

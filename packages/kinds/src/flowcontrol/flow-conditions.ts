// The conditions flow control reports: one of each type.
import { type FieldError, fieldError } from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { repeated } from "../repeated.js";

/** Problems with the conditions of a status. */
export function conditionErrors(conditions: readonly { readonly type?: string | undefined }[]): FieldError[] {
  const types = conditions.map(({ type }) => type ?? "");
  const twice = repeated(types);
  return checkEach(types, (type, index) => {
    const field = `status.conditions[${index}].type`;
    return [
      ...(twice.has(index) ? [fieldError.duplicate(field, type)] : []),
      ...(type === "" ? [fieldError.required(field)] : []),
    ];
  });
}

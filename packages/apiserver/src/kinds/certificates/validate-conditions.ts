// The conditions of a certificate request: decisions are final, and there is one of each.
import { type CertificateSigningRequestCondition, type FieldError, fieldError } from "@kubewright/api";
import { checkEach } from "../../request/check-each.js";
import { repeated } from "../repeated.js";

type Conditions = readonly CertificateSigningRequestCondition[];

const final = ["Approved", "Denied", "Failed"];
const field = "status.conditions";

export function validateConditions(conditions: Conditions, before: Conditions): FieldError[] {
  const types = conditions.map(({ type }) => type);
  const twice = repeated(types);
  const errors = checkEach(conditions, ({ type, status }, index) => {
    const at = `${field}[${index}]`;
    return [
      ...(type === "" ? [fieldError.required(`${at}.type`)] : []),
      ...statusErrors(type, status, `${at}.status`),
      ...(twice.has(index) ? [fieldError.duplicate(`${at}.type`, type)] : []),
    ];
  });
  if (types.includes("Approved") && types.includes("Denied")) {
    const text = "Approved and Denied conditions are mutually exclusive";
    const later = types.indexOf("Approved") < types.indexOf("Denied") ? "Denied" : "Approved";
    errors.push(fieldError.invalid(field, later, text));
  }
  const removed = before
    .map(({ type }) => type)
    .filter((type) => final.includes(type) && !types.includes(type));
  return [
    ...errors,
    ...removed.map((type) =>
      fieldError.forbidden(field, `updates may not remove a condition of type "${type}"`),
    ),
  ];
}

function statusErrors(type: string, status: string, at: string): FieldError[] {
  if (status === "") return [fieldError.required(at)];
  const allowed = final.includes(type) ? ["True"] : ["True", "False", "Unknown"];
  return allowed.includes(status) ? [] : [fieldError.notSupported(at, status, allowed)];
}

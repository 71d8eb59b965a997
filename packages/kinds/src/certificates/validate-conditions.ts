// The conditions of a certificate request: decisions are final, and there is one of each.
import {
  type CertificateSigningRequestCondition,
  deepEqual,
  type FieldError,
  fieldError,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { diffOfJson } from "../json-diff.js";
import { repeated } from "../repeated.js";

type Conditions = readonly CertificateSigningRequestCondition[];

const final = ["Approved", "Denied", "Failed"];
const field = "status.conditions";

/** The errors of conditions, without regard to the stored ones. */
export function validateConditions(conditions: Conditions): FieldError[] {
  const types = conditions.map(({ type }) => type);
  const twice = repeated(types);
  const decision = types.find((type) => type === "Approved" || type === "Denied");
  const opposite = decision === "Approved" ? "Denied" : "Approved";
  return checkEach(conditions, ({ type, status }, index) => {
    const at = `${field}[${index}]`;
    return [
      ...(type === "" ? [fieldError.required(`${at}.type`)] : []),
      ...statusErrors(type, status, `${at}.status`),
      ...(decision !== undefined && type === opposite
        ? [fieldError.invalid(field, type, "Approved and Denied conditions are mutually exclusive")]
        : []),
      ...(twice.has(index) ? [fieldError.duplicate(`${at}.type`, type)] : []),
    ];
  });
}

/** Decisions stay. */
export function validateRemoved(conditions: Conditions, before: Conditions): FieldError[] {
  const countOf = (all: Conditions, wanted: string) => all.filter(({ type }) => type === wanted).length;
  return final
    .filter((type) => countOf(conditions, type) < countOf(before, type))
    .map((type) => fieldError.forbidden(field, `updates may not remove a condition of type "${type}"`));
}

/** A status update may not approve or deny. */
export function validateUndecided(conditions: Conditions, before: Conditions): FieldError[] {
  return ["Approved", "Denied"].flatMap((wanted) => {
    const [now, then] = [conditions, before].map((all) => all.filter(({ type }) => type === wanted));
    if (!now || !then || now.length < then.length || deepEqual(now, then)) return [];
    const verb = now.length > then.length ? "add" : "modify";
    const difference = verb === "add" ? "" : `\n${diffOfJson(then.map(internal), now.map(internal))}`;
    return [
      fieldError.forbidden(field, `updates may not ${verb} a condition of type "${wanted}"${difference}`),
    ];
  });
}

/** A condition with the field names of the Go type, in which kube-apiserver prints the difference. */
const internal = (condition: CertificateSigningRequestCondition): object => ({
  Type: condition.type,
  Status: condition.status,
  Reason: condition.reason ?? "",
  Message: condition.message ?? "",
  LastUpdateTime: condition.lastUpdateTime ?? null,
  LastTransitionTime: condition.lastTransitionTime ?? null,
});

function statusErrors(type: string, status: string, at: string): FieldError[] {
  if (status === "") return [fieldError.required(at)];
  const allowed = final.includes(type) ? ["True"] : ["True", "False", "Unknown"];
  return allowed.includes(status) ? [] : [fieldError.notSupported(at, status, allowed)];
}

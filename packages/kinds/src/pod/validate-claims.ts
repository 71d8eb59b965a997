// Devices a pod claims, directly or through a template.
import {
  type FieldError,
  fieldError,
  type PodResourceClaim,
  validateDns1123Label,
  validateDns1123Subdomain,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { invalidBecause } from "../field-rules.js";

/** The resource claims of a pod. */
export function validatePodClaims(
  claims: readonly PodResourceClaim[] | undefined,
  field: string,
): FieldError[] {
  const names = new Set<string>();
  return checkEach(claims ?? [], (claim, index) => {
    const at = `${field}[${index}]`;
    const errors = nameErrors(claim.name, names, `${at}.name`);
    names.add(claim.name);
    return [...errors, ...sourceErrors(claim, at)];
  });
}

function nameErrors(name: string, taken: ReadonlySet<string>, field: string): FieldError[] {
  if (!name) return [fieldError.required(field)];
  if (taken.has(name)) return [fieldError.duplicate(field, name)];
  return invalidBecause(validateDns1123Label(name), name, field);
}

function sourceErrors(claim: PodResourceClaim, field: string): FieldError[] {
  const { name, resourceClaimName, resourceClaimTemplateName } = claim;
  const shown = {
    Name: name,
    ResourceClaimName: resourceClaimName ?? null,
    ResourceClaimTemplateName: resourceClaimTemplateName ?? null,
  };
  const errors: FieldError[] = [];
  if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) {
    const text = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified";
    errors.push(fieldError.invalid(field, shown, text));
  }
  if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
    const text = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`";
    errors.push(fieldError.invalid(field, shown, text));
  }
  return [
    ...errors,
    ...referenceErrors(resourceClaimName, `${field}.resourceClaimName`),
    ...referenceErrors(resourceClaimTemplateName, `${field}.resourceClaimTemplateName`),
  ];
}

const referenceErrors = (name: string | undefined, field: string): FieldError[] =>
  name === undefined ? [] : invalidBecause(validateDns1123Subdomain(name), name, field);

// ServiceCIDRs: the ranges cluster addresses come from. One range can be joined by one of the other family, no more.
import { type FieldError, fieldError, type ServiceCIDR, type ServiceCIDRSpec } from "@kubewright/api";
import { emptyFieldsOf } from "@kubewright/machinery";
import type { BuiltInKind } from "../built-in-kind.js";
import { checkEach } from "../check-each.js";
import { validateCidr } from "../ip-address.js";
import { draftAs, storedAs } from "../objects.js";
import { statusAlone } from "../status-strategy.js";
import { boundsOf, formatAddress, parseRange } from "./ip.js";

const field = "spec.cidrs";

export const serviceCidrs: BuiltInKind = {
  resource: "servicecidrs.networking.k8s.io",
  strategy: {
    hasGeneration: false,
    validateCreate: (object) => validateRanges(draftAs<ServiceCIDR>(object).spec ?? {}),
    validateUpdate(object, old) {
      const { spec = {} } = draftAs<ServiceCIDR>(object);
      const shown = spec.cidrs ?? (emptyFieldsOf(object).has(field) ? [] : null);
      return changeErrors(spec, storedAs<ServiceCIDR>(old).spec ?? {}, shown);
    },
  },
  status: statusAlone,
};

function validateRanges(spec: ServiceCIDRSpec): FieldError[] {
  const cidrs = spec.cidrs ?? [];
  if (cidrs.length === 0) return [fieldError.required(field, "at least one CIDR required")];
  if (cidrs.length > 2) return [fieldError.invalid(field, { CIDRs: cidrs }, "may only hold up to 2 values")];
  const errors = checkEach(cidrs, (cidr, index) => rangeErrors(cidr, `${field}[${index}]`));
  const [first, second] = cidrs.map((cidr) => parseRange(cidr)?.address.family);
  if (second !== undefined && first === second) {
    const text = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
    errors.push(fieldError.invalid(field, cidrs, text));
  }
  return errors;
}

function rangeErrors(cidr: string, at: string): FieldError[] {
  const errors = validateCidr(cidr, at);
  const range = parseRange(cidr);
  if (errors.length > 0 || !range) return errors;
  const { family } = range.address;
  const canonical = `${formatAddress({ family, value: boundsOf(range).first })}/${range.bits}`;
  return canonical === cidr
    ? []
    : [fieldError.invalid(at, cidr, `must be in canonical form ("${canonical}")`)];
}

function changeErrors(
  spec: ServiceCIDRSpec,
  { cidrs: then = [] }: ServiceCIDRSpec,
  shown: unknown,
): FieldError[] {
  const now = spec.cidrs ?? [];
  const fixed = (index: number): FieldError =>
    fieldError.invalid(`${field}[${index}]`, now[index], "field is immutable");
  if (now.length === then.length)
    return checkEach(then, (cidr, index) => (cidr === now[index] ? [] : [fixed(index)]));
  if (then.length === 1 && now.length === 2)
    return [...(now[0] === then[0] ? [] : [fixed(0)]), ...validateRanges(spec)];
  return [fieldError.invalid(field, shown, "field is immutable")];
}

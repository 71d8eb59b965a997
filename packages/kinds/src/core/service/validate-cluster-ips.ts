// Addresses, their families and the policy for them must fit together.
import { type FieldError, fieldError, type ServiceSpec } from "@kubewright/api";
import { ipFamily, validateIp } from "../../ip-address.js";
import { repeated } from "../../repeated.js";
import { type AnySpec, isHeadless, noAddress } from "./service-traits.js";

const families = ["IPv4", "IPv6"];
const policies = ["PreferDualStack", "RequireDualStack", "SingleStack"];
const ipsField = "spec.clusterIPs";

/** Problems with `clusterIP`, `clusterIPs`, `ipFamilies` and `ipFamilyPolicy`. */
export function validateClusterIps(spec: AnySpec, before: ServiceSpec | undefined): FieldError[] {
  if (spec.type === "ExternalName") return [];
  const { clusterIPs = [], ipFamilyPolicy } = spec;
  const errors = [...syncErrors(spec), ...familyErrors(spec.ipFamilies ?? [])];
  if (ipFamilyPolicy !== undefined && !policies.includes(ipFamilyPolicy))
    errors.push(fieldError.notSupported("spec.ipFamilyPolicy", ipFamilyPolicy, policies));
  const malformed = addressErrors(clusterIPs, before?.clusterIPs ?? []);
  errors.push(...malformed);
  if (clusterIPs.length > 2)
    errors.push(fieldError.invalid(ipsField, clusterIPs, "may only hold up to 2 values"));
  // Later checks would only repeat the errors of malformed addresses.
  if (malformed.length > 0) return errors;
  return [...errors, ...dualStackErrors(clusterIPs), ...mismatchErrors(spec)];
}

function syncErrors({ clusterIP = "", clusterIPs = [] }: AnySpec): FieldError[] {
  if (clusterIP === "") {
    if (clusterIPs.length === 0) return [];
    return [fieldError.invalid(ipsField, clusterIPs, "must be empty when `clusterIP` is not specified")];
  }
  if (clusterIPs.length === 0) return [fieldError.required(ipsField)];
  if (clusterIPs[0] === clusterIP) return [];
  return [fieldError.invalid(ipsField, clusterIPs, "first value must match `clusterIP`")];
}

function familyErrors(named: readonly string[]): FieldError[] {
  const twice = repeated(named);
  return named.flatMap((family, index) => {
    const field = `spec.ipFamilies[${index}]`;
    return [
      ...(families.includes(family) ? [] : [fieldError.notSupported(field, family, families)]),
      ...(twice.has(index) ? [fieldError.duplicate(field, family)] : []),
    ];
  });
}

function addressErrors(clusterIPs: readonly string[], known: readonly string[]): FieldError[] {
  return clusterIPs.flatMap((ip, index) => {
    if (index > 0 || ip !== noAddress) return validateIp(ip, `${ipsField}[${index}]`, known);
    if (clusterIPs.length === 1) return [];
    return [fieldError.invalid(ipsField, clusterIPs, "'None' must be the first and only value")];
  });
}

function dualStackErrors(clusterIPs: readonly string[]): FieldError[] {
  const found = new Set(clusterIPs.map(ipFamily));
  if (clusterIPs.length < 2 || found.size === 2) return [];
  return [fieldError.invalid(ipsField, clusterIPs, "may specify no more than one IP for each IP family")];
}

function mismatchErrors(spec: AnySpec): FieldError[] {
  if (isHeadless(spec)) return [];
  const named = spec.ipFamilies ?? [];
  return (spec.clusterIPs ?? []).flatMap((ip, index) => {
    const family = ipFamily(ip) === 6 ? "IPv6" : "IPv4";
    const wanted = named[index];
    if (wanted === undefined || wanted === family || !families.includes(wanted)) return [];
    const text = `expected an ${wanted} value as indicated by \`ipFamilies[${index}]\``;
    return [fieldError.invalid(`${ipsField}[${index}]`, ip, text)];
  });
}

// The IP families of a service, out of the families the cluster has addresses of. Headless services without a selector may name
// both in any case, since their endpoints are managed elsewhere.
import { type Draft, deepEqual, type FieldError, fieldError, type ServiceSpec } from "@kubewright/api";
import { ipFamily } from "../../ip-address.js";
import { noAddress } from "./service-traits.js";
import { validateClusterIps } from "./validate-cluster-ips.js";

type SpecDraft = Draft<ServiceSpec>;
/** A family of addresses, as services name it. */
export type Family = NonNullable<ServiceSpec["ipFamilies"]>[number];

const policyField = "spec.ipFamilyPolicy";

/** Fills in policy and families from what else is known; the first family of the cluster is the usual one. Returns what cannot be. */
export function settleIpFamilies(
  spec: SpecDraft,
  before: ServiceSpec | undefined,
  configured: readonly Family[],
): FieldError[] {
  if (spec.type === "ExternalName" || (before && keepsPreference(spec, before))) return [];
  spec.ipFamilyPolicy ??= defaultPolicy(spec, before);
  const malformed = validateClusterIps(spec, before);
  if (malformed.length > 0) return malformed;
  const errors = [
    ...(before ? reductionErrors(spec, before) : []),
    ...policyErrors(spec),
    ...familiesFromAddresses(spec, configured),
  ];
  if (errors.length > 0) return errors;
  if (isHeadlessWithoutSelector(spec)) {
    addFamilies(spec, configured, true);
    return [];
  }
  const impossible = configurationErrors(spec, configured);
  if (impossible.length === 0) addFamilies(spec, configured, configured.length > 1);
  return impossible;
}

/** A service that would rather be dual-stack is not made so by a cluster that has become it. */
export function keepsPreference(spec: SpecDraft, before: ServiceSpec): boolean {
  const prefers = ({ ipFamilyPolicy }: ServiceSpec | SpecDraft): boolean =>
    ipFamilyPolicy === "PreferDualStack";
  return (
    spec.type === before.type &&
    prefers(spec) &&
    (before.ipFamilyPolicy === undefined || prefers(before)) &&
    deepEqual(spec.clusterIPs ?? [], before.clusterIPs ?? []) &&
    deepEqual(spec.ipFamilies ?? [], before.ipFamilies ?? [])
  );
}

function defaultPolicy(
  spec: SpecDraft,
  before: ServiceSpec | undefined,
): NonNullable<ServiceSpec["ipFamilyPolicy"]> {
  if (before?.ipFamilyPolicy) return before.ipFamilyPolicy;
  return isHeadlessWithoutSelector(spec) ? "RequireDualStack" : "SingleStack";
}

const isHeadlessWithoutSelector = ({ clusterIP, selector = {} }: SpecDraft): boolean =>
  clusterIP === noAddress && Object.keys(selector).length === 0;

/** A change back to one family must be explicit. */
function reductionErrors(spec: SpecDraft, before: ServiceSpec): FieldError[] {
  const { clusterIPs = [], ipFamilies = [] } = spec;
  const formerIps = before.clusterIPs ?? [];
  const formerFamilies = before.ipFamilies ?? [];
  if (spec.ipFamilyPolicy === "SingleStack") {
    if (clusterIPs.length > 1 && deepEqual(clusterIPs, formerIps)) spec.clusterIPs = clusterIPs.slice(0, 1);
    if (ipFamilies.length > 1 && deepEqual(ipFamilies, formerFamilies))
      spec.ipFamilies = ipFamilies.slice(0, 1);
    return [];
  }
  const reduced = (now: readonly unknown[], then: readonly unknown[]): boolean =>
    now.length > 0 && now.length < then.length;
  return [
    ...(reduced(clusterIPs, formerIps)
      ? [policyError(spec, "must be 'SingleStack' to release the secondary cluster IP")]
      : []),
    ...(reduced(ipFamilies, formerFamilies)
      ? [policyError(spec, "must be 'SingleStack' to release the secondary IP family")]
      : []),
  ];
}

const policyError = ({ ipFamilyPolicy }: SpecDraft, text: string): FieldError =>
  fieldError.invalid(policyField, ipFamilyPolicy, text);

function policyErrors(spec: SpecDraft): FieldError[] {
  if (spec.ipFamilyPolicy !== "SingleStack") return [];
  const dual = (what: string): FieldError =>
    policyError(spec, `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`);
  return [
    ...(spec.clusterIPs?.length === 2 ? [dual("cluster IPs")] : []),
    ...(spec.ipFamilies?.length === 2 ? [dual("IP families")] : []),
  ];
}

/** Addresses say which families are meant. */
function familiesFromAddresses(spec: SpecDraft, configured: readonly Family[]): FieldError[] {
  const errors: FieldError[] = [];
  const clusterIPs = spec.clusterIPs ?? [];
  clusterIPs.forEach((ip, index) => {
    if (clusterIPs[0] === noAddress || index < (spec.ipFamilies ?? []).length) return;
    const family: Family = ipFamily(ip) === 6 ? "IPv6" : "IPv4";
    if (configured.includes(family)) spec.ipFamilies = [...(spec.ipFamilies ?? []), family];
    else {
      const text = `${family} is not configured on this cluster`;
      errors.push(fieldError.invalid(`spec.clusterIPs[${index}]`, clusterIPs, text));
    }
  });
  return errors;
}

/** The usual family where none is named, and the other one where both are to be had and wanted. */
function addFamilies(spec: SpecDraft, configured: readonly Family[], bothPossible: boolean): void {
  const families = (spec.ipFamilies ?? []).length === 0 ? configured.slice(0, 1) : (spec.ipFamilies ?? []);
  const [only, second] = families;
  const other: Family = only === "IPv4" ? "IPv6" : "IPv4";
  const missing = bothPossible && second === undefined && spec.ipFamilyPolicy !== "SingleStack";
  spec.ipFamilies = missing ? [...families, other] : [...families];
}

function configurationErrors(spec: SpecDraft, configured: readonly Family[]): FieldError[] {
  const errors =
    spec.ipFamilyPolicy === "RequireDualStack" && configured.length < 2
      ? [policyError(spec, "this cluster is not configured for dual-stack services")]
      : [];
  (spec.ipFamilies ?? []).forEach((family, index) => {
    if (!configured.includes(family))
      errors.push(fieldError.invalid(`spec.ipFamilies[${index}]`, family, "not configured on this cluster"));
  });
  return errors;
}

// Validates the status of pods.
import {
  type FieldError,
  fieldError,
  type Pod,
  type PodSpec,
  type PodStatus,
  validateDns1123Subdomain,
  validateQualifiedName,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { immutable, invalidBecause } from "../field-rules.js";
import { ipFamily, validateIp } from "../ip-address.js";
import { validateContainerReports, validateExtendedClaim } from "./validate-container-reports.js";
import { podSpecOf } from "./validate-pod.js";
import { validateAnnotationChange, validatePodAnnotations } from "./validate-pod-annotations.js";
import { placedContainers } from "./validate-pod-spec.js";
import { validateTransitions } from "./validate-transitions.js";

const systemConditions = new Set(["PodScheduled", "Ready", "Initialized"]);

/** A write to `/status`. */
export function validatePodStatus(pod: Pod, old: Pod): FieldError[] {
  const now = pod.status ?? {};
  const before = old.status ?? {};
  const spec = podSpecOf(old);
  const annotations = pod.metadata?.annotations;
  return [
    ...validateAnnotationChange(annotations, old.metadata?.annotations, "metadata.annotations"),
    ...validatePodAnnotations(annotations, spec, placedContainers(spec, "spec"), "metadata.annotations"),
    ...conditionErrors(now),
    ...nominationErrors(now, before, spec.nodeName),
    ...seenErrors(now.observedGeneration, "status.observedGeneration"),
    ...immutable(now.qosClass, before.qosClass, "status.qosClass", now.qosClass ?? ""),
    ...validateTransitions(now, before, spec),
    ...claimStatusErrors(now, spec),
    ...validateExtendedClaim(now.extendedResourceClaimStatus, spec),
    ...addressErrors(now.podIPs ?? [], "status.podIPs"),
    ...hostAddressErrors(now),
    ...validateContainerReports(now, spec),
  ];
}

const conditionErrors = ({ conditions }: PodStatus): FieldError[] =>
  checkEach(conditions ?? [], ({ type, observedGeneration }, index) => [
    ...seenErrors(observedGeneration, `status.conditions[${index}].observedGeneration`),
    ...(systemConditions.has(type)
      ? []
      : invalidBecause(validateQualifiedName(type), type, `status.conditions[${index}].Type`)),
  ]);

const seenErrors = (generation: number | undefined, field: string): FieldError[] =>
  (generation ?? 0) < 0 ? [fieldError.invalid(field, generation, "must be a non-negative integer")] : [];

/** Where it is to go matters only as long as it is nowhere. */
function nominationErrors(now: PodStatus, before: PodStatus, nodeName: string | undefined): FieldError[] {
  const name = now.nominatedNodeName;
  const field = "status.nominatedNodeName";
  if (!name || name === before.nominatedNodeName) return [];
  return [
    ...invalidBecause(validateDns1123Subdomain(name), name, field),
    ...(nodeName
      ? [fieldError.forbidden(field, "may not be set on pods that are already bound to a node")]
      : []),
  ];
}

function claimStatusErrors({ resourceClaimStatuses }: PodStatus, spec: PodSpec): FieldError[] {
  const known = new Set((spec.resourceClaims ?? []).map(({ name }) => name));
  const seen = new Set<string>();
  return checkEach(resourceClaimStatuses ?? [], ({ name, resourceClaimName }, index) => {
    const field = `status.resourceClaimStatuses[${index}].name`;
    const errors: FieldError[] = [];
    if (!known.has(name))
      errors.push(
        fieldError.invalid(field, name, "must match the name of an entry in `spec.resourceClaims`"),
      );
    if (seen.has(name)) errors.push(fieldError.duplicate(field, name));
    seen.add(name);
    // kube-apiserver reports the name of the claim as if it were that of the entry.
    return resourceClaimName === undefined
      ? errors
      : [...errors, ...invalidBecause(validateDns1123Subdomain(resourceClaimName), resourceClaimName, field)];
  });
}

/** At most one address of each family. */
function addressErrors(addresses: readonly { readonly ip: string }[], field: string): FieldError[] {
  const errors = checkEach(addresses, ({ ip }, index) => validateIp(ip, `${field}[${index}]`));
  if (addresses.length < 2) return errors;
  const families = new Set(addresses.map(({ ip }) => ipFamily(ip)));
  const shown = addresses.map(({ ip }) => ({ IP: ip }));
  if (families.size < 2 || addresses.length > 2)
    errors.push(fieldError.invalid(field, shown, "may specify no more than one IP for each IP family"));
  return errors;
}

function hostAddressErrors({ hostIP, hostIPs = [] }: PodStatus): FieldError[] {
  const first = hostIPs[0]?.ip;
  if (first === undefined) return [];
  const errors = addressErrors(hostIPs, "status.hostIPs");
  return first === (hostIP ?? "")
    ? errors
    : [fieldError.invalid("status.hostIPs[0].ip", first, "must be equal to `hostIP`"), ...errors];
}

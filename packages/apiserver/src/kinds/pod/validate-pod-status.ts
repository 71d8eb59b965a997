// What a node may report about a pod.
import {
  type ContainerStatus,
  type FieldError,
  fieldError,
  type Pod,
  type PodSpec,
  type PodStatus,
  validateDns1123Subdomain,
  validateQualifiedName,
} from "@kubewright/api";
import { immutable, problems } from "../field-rules.js";
import { ipFamily, validateIp } from "../ip-address.js";
import { isSidecar } from "./pod-resources.js";
import { specOf } from "./validate-pod.js";
import { validateAnnotationChange, validatePodAnnotations } from "./validate-pod-annotations.js";
import { placedContainers } from "./validate-pod-spec.js";

const systemConditions = new Set(["PodScheduled", "Ready", "Initialized"]);

/** A write to `/status`. */
export function validatePodStatus(pod: Pod, old: Pod): FieldError[] {
  const now = pod.status ?? {};
  const before = old.status ?? {};
  const spec = specOf(old);
  const annotations = pod.metadata?.annotations;
  return [
    ...validateAnnotationChange(annotations, old.metadata?.annotations, "metadata.annotations"),
    ...validatePodAnnotations(annotations, spec, placedContainers(spec, "spec"), "metadata.annotations"),
    ...conditionErrors(now),
    ...nominationErrors(now, before),
    ...immutable(now.qosClass, before.qosClass, "status.qosClass", now.qosClass ?? ""),
    ...transitionErrors(now, before, spec),
    ...claimStatusErrors(now, spec),
    ...addressErrors(now.podIPs ?? [], "status.podIPs"),
    ...hostAddressErrors(now),
  ];
}

/** The server reports conditions against the metadata. */
function conditionErrors({ conditions }: PodStatus): FieldError[] {
  return (conditions ?? []).flatMap(({ type }, index) =>
    systemConditions.has(type)
      ? []
      : problems(validateQualifiedName(type), type, `metadata.conditions[${index}].Type`),
  );
}

function nominationErrors(now: PodStatus, before: PodStatus): FieldError[] {
  const name = now.nominatedNodeName;
  if (!name || name === before.nominatedNodeName) return [];
  return problems(validateDns1123Subdomain(name), name, "status.nominatedNodeName");
}

/** A container that has ended for good cannot be running again. */
function transitionErrors(now: PodStatus, before: PodStatus, spec: PodSpec): FieldError[] {
  const sidecars = new Set((spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name));
  const policies = new Map(
    [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(
      ({ name, restartPolicy, restartPolicyRules }) => [
        name,
        restartPolicyRules?.length ? "Always" : restartPolicy,
      ],
    ),
  );
  const policyOf = (name: string): string => policies.get(name) ?? spec.restartPolicy ?? "Always";
  return [
    ...revived(now.containerStatuses, before.containerStatuses, policyOf, "status.containerStatuses"),
    ...revived(
      now.initContainerStatuses,
      before.initContainerStatuses,
      (name) => (sidecars.has(name) ? "Always" : policyOf(name)),
      "status.initContainerStatuses",
    ),
    ...revived(
      now.ephemeralContainerStatuses,
      before.ephemeralContainerStatuses,
      () => "Never",
      "status.ephemeralContainerStatuses",
    ),
  ];
}

function revived(
  now: readonly ContainerStatus[] | undefined,
  before: readonly ContainerStatus[] | undefined,
  policyOf: (name: string) => string,
  field: string,
): FieldError[] {
  return (before ?? []).flatMap(({ name, state }, index) => {
    const ended = state?.terminated;
    const policy = policyOf(name);
    if (!ended || policy === "Always" || (policy === "OnFailure" && ended.exitCode !== 0)) return [];
    const text = "may not be transitioned to non-terminated state";
    return (now ?? [])
      .filter((status) => status.name === name && !status.state?.terminated)
      .map(() => fieldError.forbidden(`${field}[${index}].state`, text));
  });
}

function claimStatusErrors({ resourceClaimStatuses }: PodStatus, spec: PodSpec): FieldError[] {
  const known = new Set((spec.resourceClaims ?? []).map(({ name }) => name));
  const seen = new Set<string>();
  return (resourceClaimStatuses ?? []).flatMap(({ name, resourceClaimName }, index) => {
    const field = `status.resourceClaimStatuses[${index}].name`;
    const errors: FieldError[] = [];
    if (!known.has(name))
      errors.push(
        fieldError.invalid(field, name, "must match the name of an entry in `spec.resourceClaims`"),
      );
    if (seen.has(name)) errors.push(fieldError.duplicate(field, name));
    seen.add(name);
    return resourceClaimName === undefined
      ? errors
      : [...errors, ...problems(validateDns1123Subdomain(resourceClaimName), resourceClaimName, field)];
  });
}

/** At most one address of each family. */
function addressErrors(addresses: readonly { readonly ip: string }[], field: string): FieldError[] {
  const errors = addresses.flatMap(({ ip }, index) => validateIp(ip, `${field}[${index}]`));
  if (addresses.length < 2) return errors;
  const families = new Set(addresses.map(({ ip }) => ipFamily(ip)));
  const shown = addresses.map(({ ip }) => ({ IP: ip }));
  if (families.size < 2 || addresses.length > 2)
    errors.push(fieldError.invalid(field, shown, "may specify no more than one IP for each IP family"));
  const seen = new Set<string>();
  addresses.forEach(({ ip }, index) => {
    if (seen.has(ip)) errors.push(fieldError.duplicate(`${field}[${index}]`, { IP: ip }));
    seen.add(ip);
  });
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

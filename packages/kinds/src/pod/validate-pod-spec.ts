// A pod spec, in a pod or in a template: every rule the server has for it.
import {
  type FieldError,
  fieldError,
  type PodSpec,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateLabels,
  validateQualifiedName,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { invalidBecause, oneOf, subdomainIfSet } from "../field-rules.js";
import { validateAffinity } from "./validate-affinity.js";
import { validatePodClaims } from "./validate-claims.js";
import { type ContainerScope, validateFileKeys } from "./validate-container.js";
import {
  validateContainers,
  validateEphemeralContainers,
  validateInitContainers,
} from "./validate-containers.js";
import { validateDnsConfig, validateDnsPolicy, validateHostAliases } from "./validate-dns.js";
import { validateOs } from "./validate-os.js";
import { validatePodResources } from "./validate-pod-resources.js";
import { validateHostUsers, validatePodSecurityContext } from "./validate-pod-security-context.js";
import { validateResources } from "./validate-resources.js";
import { validateTolerations } from "./validate-tolerations.js";
import { validateTopologySpread } from "./validate-topology-spread.js";
import { type VolumeScope, validateVolumes } from "./validate-volumes.js";
import { type PlacedContainer, validateHostProcess } from "./validate-windows.js";

const maxInt32 = 2_147_483_647;
const longestHostname = 64;

/** Every container of a pod with its path, in the order they start. */
export function placedContainers(spec: PodSpec, field: string): PlacedContainer[] {
  const lists = {
    initContainers: spec.initContainers,
    containers: spec.containers,
    ephemeralContainers: spec.ephemeralContainers,
  };
  return Object.entries(lists).flatMap(([name, containers]) =>
    (containers ?? []).map((container, index): PlacedContainer => [container, `${field}.${name}[${index}]`]),
  );
}

/** Validates a pod spec; the scope says whether it is that of a pod or of a template. */
export function validatePodSpec(spec: PodSpec, scope: VolumeScope, field: string): FieldError[] {
  const { errors: volumeErrors, volumes } = validateVolumes(spec.volumes, scope, `${field}.volumes`);

  const inContainers: ContainerScope = {
    volumes,
    claims: new Set((spec.resourceClaims ?? []).map(({ name }) => name).filter(Boolean)),
    restartPolicy: spec.restartPolicy,
    gracePeriod: spec.terminationGracePeriodSeconds,
    hostUsers: spec.hostUsers !== false,
  };
  const grace =
    spec.terminationGracePeriodSeconds === undefined
      ? [fieldError.required(`${field}.terminationGracePeriodSeconds`)]
      : [];
  const placed = placedContainers(spec, field);
  return [
    ...grace,
    ...volumeErrors,
    ...validatePodClaims(spec.resourceClaims, `${field}.resourceClaims`),
    ...validateContainers(spec, inContainers, `${field}.containers`),
    ...validateInitContainers(spec, inContainers, `${field}.initContainers`),
    ...validateEphemeralContainers(spec, inContainers, `${field}.ephemeralContainers`),
    ...validatePodResources(spec, inContainers.claims, `${field}.resources`),
    ...hostPortErrors(spec, scope.isPod, field),
    ...oneOf(spec.restartPolicy, ["Always", "OnFailure", "Never"], `${field}.restartPolicy`),
    ...validateDnsPolicy(spec, field),
    ...validateLabels(spec.nodeSelector, `${field}.nodeSelector`),
    ...validatePodSecurityContext(spec, field),
    ...validateAffinity(spec.affinity, `${field}.affinity`),
    ...validateDnsConfig(spec, `${field}.dnsConfig`),
    ...gateErrors(spec, field),
    ...validateTopologySpread(spec.topologySpreadConstraints, `${field}.topologySpreadConstraints`),
    ...validateHostProcess(spec, placed, field),
    ...validateHostUsers(spec, placed, field),
    ...hostnameOverrideErrors(spec, `${field}.hostnameOverride`),
    ...nameErrors(spec, field),
    ...classErrors(spec, field),
    ...validateOs(spec, placed, field),
    ...checkEach(placed, ([container, at]) => validateFileKeys(container, volumes, `${at}.env`)),
  ];
}

/** On the network of the host, ports are the same inside and outside. */
function hostPortErrors(spec: PodSpec, isPod: boolean, field: string): FieldError[] {
  if (!spec.hostNetwork) return [];
  const text = "must match `containerPort` when `hostNetwork` is true";
  return checkEach(spec.containers ?? [], ({ ports }, container) =>
    checkEach(ports ?? [], ({ hostPort = 0, containerPort }, index) =>
      (isPod || hostPort !== 0) && hostPort !== containerPort
        ? [fieldError.invalid(`${field}.containers[${container}].ports[${index}].hostPort`, hostPort, text)]
        : [],
    ),
  );
}

/** Conditions that make it ready, and what must be done before it may be placed. */
function gateErrors({ readinessGates = [], schedulingGates = [] }: PodSpec, field: string): FieldError[] {
  const seen = new Set<string>();
  return [
    ...checkEach(readinessGates, ({ conditionType }, index) =>
      invalidBecause(
        validateQualifiedName(conditionType),
        conditionType,
        `${field}.readinessGates[${index}].conditionType`,
      ),
    ),
    ...checkEach(schedulingGates, ({ name }, index) => {
      const at = `${field}.schedulingGates[${index}]`;
      const errors = invalidBecause(validateQualifiedName(name), name, at);
      if (seen.has(name)) errors.push(fieldError.duplicate(at, name));
      seen.add(name);
      return errors;
    }),
  ];
}

function nameErrors(spec: PodSpec, field: string): FieldError[] {
  const label = (name: "hostname" | "subdomain"): FieldError[] =>
    spec[name] ? invalidBecause(validateDns1123Label(spec[name]), spec[name], `${field}.${name}`) : [];
  const { activeDeadlineSeconds: deadline } = spec;
  const outOfRange = deadline !== undefined && (deadline < 1 || deadline > maxInt32);
  const text = `must be between 1 and ${maxInt32}, inclusive`;
  return [
    ...subdomainIfSet(spec.serviceAccountName, `${field}.serviceAccountName`),
    ...subdomainIfSet(spec.nodeName, `${field}.nodeName`),
    ...(outOfRange ? [fieldError.invalid(`${field}.activeDeadlineSeconds`, deadline, text)] : []),
    ...label("hostname"),
    ...label("subdomain"),
    ...validateTolerations(spec.tolerations, `${field}.tolerations`),
    ...validateHostAliases(spec.hostAliases, `${field}.hostAliases`),
  ];
}

function hostnameOverrideErrors(spec: PodSpec, field: string): FieldError[] {
  const { hostnameOverride } = spec;
  if (hostnameOverride === undefined) return [];
  return [
    ...(spec.setHostnameAsFQDN
      ? [fieldError.forbidden(field, "may not be specified when setHostnameAsFQDN is true")]
      : []),
    ...(spec.hostNetwork
      ? [fieldError.forbidden(field, "may not be specified when hostNetwork is true")]
      : []),
    ...(hostnameOverride.length > longestHostname ? [fieldError.tooLong(field, longestHostname)] : []),
    ...invalidBecause(validateDns1123Subdomain(hostnameOverride), hostnameOverride, field),
  ];
}

const classErrors = (spec: PodSpec, field: string): FieldError[] => [
  ...subdomainIfSet(spec.priorityClassName, `${field}.priorityClassName`),
  ...(spec.runtimeClassName === undefined
    ? []
    : invalidBecause(
        validateDns1123Subdomain(spec.runtimeClassName),
        spec.runtimeClassName,
        `${field}.runtimeClassName`,
      )),
  ...(spec.preemptionPolicy === undefined
    ? []
    : oneOf(spec.preemptionPolicy, ["PreemptLowerPriority", "Never"], `${field}.preemptionPolicy`)),
  ...(spec.overhead ? validateResources({ limits: spec.overhead }, new Set(), `${field}.overhead`) : []),
];

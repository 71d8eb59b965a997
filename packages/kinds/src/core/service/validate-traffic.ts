// Validates traffic settings of Services: session affinity, traffic policies, load balancers and external IPs.
import {
  type FieldError,
  fieldError,
  type Service,
  type ServiceSpec,
  validatePortNumber,
  validateQualifiedName,
} from "@kubewright/api";
import { checkEach } from "../../check-each.js";
import { invalidBecause, oneOf, oneOfIfSet } from "../../field-rules.js";
import { validateCidr, validateIp, validateReachable } from "../../ip-address.js";
import { type AnySpec, hasHealthCheck, isExternallyAccessible } from "./service-traits.js";

const maxAffinitySeconds = 86_400;
const sourceRanges = "service.beta.kubernetes.io/load-balancer-source-ranges";
const onlyLoadBalancer = "may only be used when `type` is 'LoadBalancer'";

/** Problems with session affinity. */
export function validateAffinity({ sessionAffinity, sessionAffinityConfig }: AnySpec): FieldError[] {
  const field = "spec.sessionAffinityConfig";
  const errors = oneOf(sessionAffinity, ["ClientIP", "None"], "spec.sessionAffinity");
  if (sessionAffinity === "None" && sessionAffinityConfig)
    errors.push(fieldError.forbidden(field, "must not be set when session affinity is None"));
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds;
  if (
    sessionAffinity === "ClientIP" &&
    seconds !== undefined &&
    (seconds <= 0 || seconds > maxAffinitySeconds)
  ) {
    const text = `must be greater than 0 and less than ${maxAffinitySeconds}`;
    errors.push(fieldError.invalid(`${field}.clientIP.timeoutSeconds`, seconds, text));
  }
  return errors;
}

/** Problems with addresses outside the cluster; those a service already had are let through. */
export const validateExternalIps = (
  { externalIPs = [] }: AnySpec,
  before: ServiceSpec | undefined,
): FieldError[] =>
  checkEach(externalIPs, (ip, index) => {
    const field = `spec.externalIPs[${index}]`;
    const errors = validateIp(ip, field, before?.externalIPs);
    return errors.length > 0 ? errors : validateReachable(ip, field);
  });

/** Problems with what only load balancers have. */
export function validateLoadBalancer(
  { metadata, spec = {} }: Service,
  before: Service | undefined,
): FieldError[] {
  const errors = [...sourceRangeErrors(spec, before?.spec), ...annotatedRangeErrors(metadata, spec, before)];
  if (spec.type !== "LoadBalancer" && spec.allocateLoadBalancerNodePorts !== undefined)
    errors.push(fieldError.forbidden("spec.allocateLoadBalancerNodePorts", onlyLoadBalancer));
  return [...errors, ...validateBalancerClass(spec)];
}

/** Problems with the class of a load balancer. */
export function validateBalancerClass({ type, loadBalancerClass }: AnySpec): FieldError[] {
  const field = "spec.loadBalancerClass";
  if (loadBalancerClass === undefined) return [];
  return type === "LoadBalancer"
    ? invalidBecause(validateQualifiedName(loadBalancerClass), loadBalancerClass, field)
    : [fieldError.forbidden(field, onlyLoadBalancer)];
}

function sourceRangeErrors(spec: AnySpec, before: ServiceSpec | undefined): FieldError[] {
  const { loadBalancerSourceRanges = [], type } = spec;
  if (loadBalancerSourceRanges.length === 0) return [];
  const field = "spec.LoadBalancerSourceRanges";
  const known = (before?.loadBalancerSourceRanges ?? []).map((text) => text.trim());
  return [
    ...(type === "LoadBalancer" ? [] : [fieldError.forbidden(field, onlyLoadBalancer)]),
    ...checkEach(loadBalancerSourceRanges, (text, index) =>
      validateCidr(text.trim(), `${field}[${index}]`, known),
    ),
  ];
}

function annotatedRangeErrors(
  metadata: Service["metadata"],
  { type, loadBalancerSourceRanges = [] }: AnySpec,
  before: Service | undefined,
): FieldError[] {
  const text = metadata?.annotations?.[sourceRanges];
  if (text === undefined || loadBalancerSourceRanges.length > 0) return [];
  const field = `metadata.annotations[${sourceRanges}]`;
  const errors = type === "LoadBalancer" ? [] : [fieldError.forbidden(field, onlyLoadBalancer)];
  if (text.trim() === "" || before?.metadata?.annotations?.[sourceRanges] === text) return errors;
  return [...errors, ...checkEach(text.split(","), (range) => validateCidr(range.trim(), field))];
}

/** Problems with traffic policies and the port that goes with them. */
export function validateTrafficPolicies(spec: AnySpec): FieldError[] {
  const { type = "", internalTrafficPolicy, trafficDistribution } = spec;
  const needsInternal = ["ClusterIP", "NodePort", "LoadBalancer"].includes(type);
  const policies = ["Cluster", "Local"];
  return [
    ...externalPolicyErrors(spec),
    ...healthCheckErrors(spec),
    ...(needsInternal && internalTrafficPolicy === undefined
      ? [fieldError.required("spec.internalTrafficPolicy")]
      : oneOfIfSet(internalTrafficPolicy, policies, "spec.internalTrafficPolicy")),
    ...oneOfIfSet(
      trafficDistribution,
      ["PreferClose", "PreferSameZone", "PreferSameNode"],
      "spec.trafficDistribution",
    ),
  ];
}

function externalPolicyErrors(spec: AnySpec): FieldError[] {
  const field = "spec.externalTrafficPolicy";
  const { externalTrafficPolicy } = spec;
  if (isExternallyAccessible(spec)) return oneOf(externalTrafficPolicy, ["Cluster", "Local"], field);
  if (!externalTrafficPolicy) return [];
  return [
    fieldError.invalid(field, externalTrafficPolicy, "may only be set for externally-accessible services"),
  ];
}

function healthCheckErrors(spec: AnySpec): FieldError[] {
  const field = "spec.healthCheckNodePort";
  const port = spec.healthCheckNodePort ?? 0;
  if (hasHealthCheck(spec)) {
    return port === 0 ? [fieldError.required(field)] : invalidBecause(validatePortNumber(port), port, field);
  }
  if (port === 0) return [];
  const text = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return [fieldError.invalid(field, port, text)];
}

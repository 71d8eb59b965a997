// The rules for services.
import {
  type FieldError,
  fieldError,
  type Service,
  validateDns1123Subdomain,
  validateLabels,
} from "@kubewright/api";
import { invalidBecause, oneOf } from "../../field-rules.js";
import { type AnySpec, isHeadless } from "./service-traits.js";
import { validateClusterIps } from "./validate-cluster-ips.js";
import { validatePortUse, validateServicePorts } from "./validate-service-ports.js";
import {
  validateAffinity,
  validateExternalIps,
  validateLoadBalancer,
  validateTrafficPolicies,
} from "./validate-traffic.js";

const topologyMode = "service.kubernetes.io/topology-mode";
const topologyHints = "service.kubernetes.io/topology-aware-hints";
const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

/** Problems with a service, new or changed. */
export function validateService(service: Service, before: Service | undefined): FieldError[] {
  const { spec = {} } = service;
  return [
    ...topologyErrors(service),
    ...typeErrors(spec),
    ...validateServicePorts(spec),
    ...validateLabels(spec.selector, "spec.selector"),
    ...validateAffinity(spec),
    ...validateClusterIps(spec, before?.spec),
    ...validateExternalIps(spec, before?.spec),
    ...oneOf(spec.type, types, "spec.type"),
    ...validatePortUse(spec),
    ...validateLoadBalancer(service, before),
    ...validateTrafficPolicies(spec),
  ];
}

function topologyErrors({ metadata }: Service): FieldError[] {
  const mode = metadata?.annotations?.[topologyMode];
  const hints = metadata?.annotations?.[topologyHints];
  if (mode === undefined || hints === undefined || mode === hints) return [];
  const text = `must match annotations[${topologyHints}] when both are specified`;
  return [fieldError.invalid(`metadata.annotations[${topologyMode}]`, mode, text)];
}

function typeErrors(spec: AnySpec): FieldError[] {
  const { type, ports = [] } = spec;
  const errors: FieldError[] = [];
  if (ports.length === 0 && !isHeadless(spec) && type !== "ExternalName")
    errors.push(fieldError.required("spec.ports"));
  if (type === "ExternalName") return [...errors, ...aliasErrors(spec)];
  if ((type === "LoadBalancer" || type === "NodePort") && isHeadless(spec)) {
    const text = `may not be set to 'None' for ${type} services`;
    errors.push(fieldError.invalid("spec.clusterIPs[0]", "None", text));
  }
  return errors;
}

/** An alias has a name and no addresses. */
function aliasErrors({
  clusterIPs = [],
  ipFamilies = [],
  ipFamilyPolicy,
  externalName = "",
}: AnySpec): FieldError[] {
  const set = {
    clusterIPs: clusterIPs.length > 0,
    ipFamilies: ipFamilies.length > 0,
    ipFamilyPolicy: ipFamilyPolicy !== undefined,
  };
  const field = "spec.externalName";
  const name = externalName.endsWith(".") ? externalName.slice(0, -1) : externalName;
  return [
    ...Object.entries(set)
      .filter(([, isSet]) => isSet)
      .map(([part]) => fieldError.forbidden(`spec.${part}`, "may not be set for ExternalName services")),
    ...(name === ""
      ? [fieldError.required(field)]
      : invalidBecause(validateDns1123Subdomain(name), name, field)),
  ];
}

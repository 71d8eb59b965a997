// Validates the load balancer status of Services and Ingresses.
import {
  type FieldError,
  fieldError,
  type LoadBalancerIngress,
  validateDns1123Subdomain,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { invalidBecause } from "../field-rules.js";
import { ipFamily, validateIp } from "../ip-address.js";

type Ingresses = readonly Pick<LoadBalancerIngress, "ip" | "hostname" | "ipMode">[];

/** Problems with the points of ingress; `withMode` where each address says how it is reached. */
export function validateIngressPoints(
  points: Ingresses,
  before: Ingresses,
  field: string,
  withMode: boolean,
): FieldError[] {
  const known = before.flatMap(({ ip }) => (ip ? [ip] : []));
  return checkEach(points, (point, index) => {
    const at = `${field}[${index}]`;
    return [
      ...(point.ip ? validateIp(point.ip, `${at}.ip`, known) : []),
      ...(withMode ? modeErrors(point, `${at}.ipMode`) : []),
      ...hostnameErrors(point.hostname, `${at}.hostname`),
    ];
  });
}

function modeErrors({ ip, ipMode }: Ingresses[number], field: string): FieldError[] {
  if (ipMode === undefined)
    return ip ? [fieldError.required(field, "must be specified when `ip` is set")] : [];
  if (!ip) return [fieldError.forbidden(field, "may not be specified when `ip` is not set")];
  const modes = ["Proxy", "VIP"];
  return modes.includes(ipMode) ? [] : [fieldError.notSupported(field, ipMode, modes)];
}

function hostnameErrors(hostname: string | undefined, field: string): FieldError[] {
  if (!hostname) return [];
  const errors = invalidBecause(validateDns1123Subdomain(hostname), hostname, field);
  if (ipFamily(hostname) !== 0)
    errors.push(fieldError.invalid(field, hostname, "must be a DNS name, not an IP address"));
  return errors;
}

// Users, groups, profiles and kernel parameters of a pod as a whole.
import { type FieldError, fieldError, type PodSpec } from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { oneOfIfSet } from "../field-rules.js";
import { validateAppArmorProfile, validateId, validateSeccompProfile } from "./validate-security-context.js";
import { type PlacedContainer, validateWindowsOptions } from "./validate-windows.js";

const sysctlSegment = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const sysctlPattern = `^(${sysctlSegment}[\\./])*${sysctlSegment}$`;
const maxSysctl = 253;
const sysctl = /^[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?(?:[./][a-z0-9](?:[-_a-z0-9]*[a-z0-9])?)*$/;
const ipcSysctls = new Set(["kernel.sem"]);
const ipcPrefixes = ["kernel.shm", "kernel.msg", "fs.mqueue."];

/** The security context of a pod spec; `field` is the spec. */
export function validatePodSecurityContext(spec: PodSpec, field: string): FieldError[] {
  const { securityContext: context } = spec;
  if (!context) return [];
  const at = `${field}.securityContext`;
  const sharing =
    spec.shareProcessNamespace && spec.hostPID
      ? [
          fieldError.invalid(
            `${at}.shareProcessNamespace`,
            true,
            "ShareProcessNamespace and HostPID cannot both be enabled",
          ),
        ]
      : [];
  return [
    ...validateId(context.fsGroup, `${at}.fsGroup`),
    ...validateId(context.runAsUser, `${at}.runAsUser`),
    ...validateId(context.runAsGroup, `${at}.runAsGroup`),
    ...checkEach(context.supplementalGroups ?? [], (id, index) =>
      validateId(id, `${at}.supplementalGroups[${index}]`),
    ),
    ...sharing,
    ...sysctlErrors(spec, `${at}.sysctls`),
    ...oneOfIfSet(context.fsGroupChangePolicy, ["Always", "OnRootMismatch"], `${at}.fsGroupChangePolicy`),
    ...validateSeccompProfile(context.seccompProfile, `${at}.seccompProfile`),
    ...validateWindowsOptions(context.windowsOptions, `${at}.windowsOptions`),
    ...validateAppArmorProfile(context.appArmorProfile, `${at}.appArmorProfile`),
    ...oneOfIfSet(context.supplementalGroupsPolicy, ["Merge", "Strict"], `${at}.supplementalGroupsPolicy`),
    ...oneOfIfSet(context.seLinuxChangePolicy, ["Recursive"], `${at}.seLinuxChangePolicy`),
  ];
}

function sysctlErrors(spec: PodSpec, field: string): FieldError[] {
  const seen = new Set<string>();
  return checkEach(spec.securityContext?.sysctls ?? [], ({ name }, index) => {
    const at = `${field}[${index}].name`;
    const errors = sysctlNameErrors(name, seen, at);
    seen.add(name);
    const dotted = name.replaceAll("/", ".");
    if (spec.hostNetwork && dotted.startsWith("net."))
      errors.push(fieldError.invalid(at, name, "may not be specified when 'hostNetwork' is true"));
    else if (spec.hostIPC && isIpc(dotted))
      errors.push(fieldError.invalid(at, name, "may not be specified when 'hostIPC' is true"));
    return errors;
  });
}

const isIpc = (name: string): boolean =>
  ipcSysctls.has(name) || ipcPrefixes.some((prefix) => name.startsWith(prefix));

function sysctlNameErrors(name: string, seen: ReadonlySet<string>, field: string): FieldError[] {
  if (name === "") return [fieldError.required(field)];
  if (name.length > maxSysctl || !sysctl.test(name)) {
    const text = `must have at most ${maxSysctl} characters and match regex ${sysctlPattern}`;
    return [fieldError.invalid(field, name, text)];
  }
  return seen.has(name) ? [fieldError.duplicate(field, name)] : [];
}

/**
 * A pod with users of its own may not share other namespaces with its node, and cannot use block devices. The server
 * spells the fields as shown.
 */
export function validateHostUsers(
  spec: PodSpec,
  containers: readonly PlacedContainer[],
  field: string,
): FieldError[] {
  if (spec.hostUsers !== false) return [];
  const shared = [
    ...(spec.hostNetwork ? ["hostNetwork"] : []),
    ...(spec.hostPID ? ["HostPID"] : []),
    ...(spec.hostIPC ? ["HostIPC"] : []),
  ].map((name) => `${field}.${name}`);
  const devices = containers
    .filter(([{ volumeDevices }]) => (volumeDevices ?? []).length > 0)
    .map(([, at]) => `${at}.volumeDevices`);
  return [...shared, ...devices].map((at) => fieldError.forbidden(at, "when `hostUsers` is false"));
}

// A pod that names its operating system may not use what only the other one has.
import { type FieldError, fieldError, type PodSpec } from "@kubewright/api";
import { checkEach } from "../check-each.js";
import type { PlacedContainer } from "./validate-windows.js";

const notOnWindows = "cannot be set for a windows pod";
/** In the order the server looks at them: some stand in the spec itself. */
const podFields = [
  "appArmorProfile",
  "seLinuxOptions",
  "hostUsers",
  "hostPID",
  "hostIPC",
  "seccompProfile",
  "fsGroup",
  "fsGroupChangePolicy",
  "sysctls",
  "shareProcessNamespace",
  "runAsUser",
  "runAsGroup",
  "supplementalGroups",
  "supplementalGroupsPolicy",
  "seLinuxChangePolicy",
] as const;
const containerFields = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup",
] as const;

/** The rules that follow from `os.name`. */
export function validateOs(
  spec: PodSpec,
  containers: readonly PlacedContainer[],
  field: string,
): FieldError[] {
  if (!spec.os) return [];
  const name: string = spec.os.name;
  if (name === "") return [fieldError.required(`${field}.os.name`, "cannot be empty")];
  if (name === "linux") return linuxErrors(spec, containers, field);
  if (name === "windows") return windowsErrors(spec, containers, field);
  return [fieldError.notSupported(`${field}.os`, name, ["linux", "windows"])];
}

function linuxErrors(spec: PodSpec, containers: readonly PlacedContainer[], field: string): FieldError[] {
  const text = "windows options cannot be set for a linux pod";
  return [
    ...(spec.securityContext?.windowsOptions
      ? [fieldError.forbidden(`${field}.securityContext.windowsOptions`, text)]
      : []),
    ...containers
      .filter(([container]) => container.securityContext?.windowsOptions)
      .map(([, at]) => fieldError.forbidden(`${at}.securityContext.windowsOptions`, text)),
  ];
}

function windowsErrors(spec: PodSpec, containers: readonly PlacedContainer[], field: string): FieldError[] {
  const { hostUsers, hostPID, hostIPC, shareProcessNamespace } = spec;
  const ofSpec: Readonly<Record<string, unknown>> = {
    hostUsers,
    hostPID: hostPID || undefined,
    hostIPC: hostIPC || undefined,
    shareProcessNamespace,
  };
  const ofContext: Readonly<Record<string, unknown>> = { ...spec.securityContext };
  return [
    ...podFields.flatMap((name) => [
      ...(ofSpec[name] === undefined ? [] : [fieldError.forbidden(`${field}.${name}`, notOnWindows)]),
      ...(ofContext[name] === undefined
        ? []
        : [fieldError.forbidden(`${field}.securityContext.${name}`, notOnWindows)]),
    ]),
    ...checkEach(containers, ([{ securityContext }, at]) =>
      containerFields
        .filter((name) => securityContext?.[name] !== undefined)
        .map((name) => fieldError.forbidden(`${at}.securityContext.${name}`, notOnWindows)),
    ),
  ];
}

// A pod that names its operating system may not use what only the other one has.
import { type FieldError, fieldError, type PodSpec } from "@kubewright/api";
import { checkEach } from "../../request/check-each.js";
import type { PlacedContainer } from "./validate-windows.js";

const notOnWindows = "cannot be set for a windows pod";
const podFields = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "fsGroup",
  "fsGroupChangePolicy",
  "sysctls",
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
  const ofSpec = [
    ...(spec.hostUsers === undefined ? [] : ["hostUsers"]),
    ...(spec.hostPID ? ["hostPID"] : []),
    ...(spec.hostIPC ? ["hostIPC"] : []),
    ...(spec.shareProcessNamespace === undefined ? [] : ["shareProcessNamespace"]),
  ];
  const ofPod = podFields.filter((name) => spec.securityContext?.[name] !== undefined);
  return [
    ...ofSpec.map((name) => fieldError.forbidden(`${field}.${name}`, notOnWindows)),
    ...ofPod.map((name) => fieldError.forbidden(`${field}.securityContext.${name}`, notOnWindows)),
    ...checkEach(containers, ([{ securityContext }, at]) =>
      containerFields
        .filter((name) => securityContext?.[name] !== undefined)
        .map((name) => fieldError.forbidden(`${at}.securityContext.${name}`, notOnWindows)),
    ),
  ];
}

// Users, groups, profiles and capabilities of a container.
import {
  type AppArmorProfile,
  type FieldError,
  fieldError,
  type SeccompProfile,
  type SecurityContext,
  utf8Length,
} from "@kubewright/api";
import { oneOfIfSet } from "../field-rules.js";
import { internalContainerField } from "./internal-value.js";
import { validateDescendingPath } from "./validate-path.js";
import { validateWindowsOptions } from "./validate-windows.js";

const maxId = 2_147_483_647;
const profileTypes = ["Localhost", "RuntimeDefault", "Unconfined"];

/** The security context of a container; `hostUsers` says that it shares the users of its node. */
export function validateSecurityContext(
  context: SecurityContext | undefined,
  hostUsers: boolean,
  field: string,
): FieldError[] {
  if (!context) return [];
  return [
    ...validateId(context.runAsUser, `${field}.runAsUser`),
    ...validateId(context.runAsGroup, `${field}.runAsGroup`),
    ...procMountErrors(context.procMount, hostUsers, `${field}.procMount`),
    ...validateSeccompProfile(context.seccompProfile, `${field}.seccompProfile`),
    ...escalationErrors(context, field),
    ...validateWindowsOptions(context.windowsOptions, `${field}.windowsOptions`),
    ...validateAppArmorProfile(context.appArmorProfile, `${field}.appArmorProfile`),
  ];
}

/** A user or group number. */
export function validateId(id: number | undefined, field: string): FieldError[] {
  if (id === undefined || (id >= 0 && id <= maxId)) return [];
  return [fieldError.invalid(field, id, `must be between 0 and ${maxId}, inclusive`)];
}

function procMountErrors(procMount: string | undefined, hostUsers: boolean, field: string): FieldError[] {
  const errors = oneOfIfSet(procMount, ["Default", "Unmasked"], field);
  if (hostUsers && procMount === "Unmasked")
    errors.push(fieldError.invalid(field, procMount, "`hostUsers` must be false to use `Unmasked`"));
  return errors;
}

function escalationErrors(context: SecurityContext, field: string): FieldError[] {
  if (context.allowPrivilegeEscalation !== false) return [];
  const refuse = (what: string): FieldError =>
    fieldError.invalid(
      field,
      internalContainerField("securityContext", context),
      `cannot set \`allowPrivilegeEscalation\` to false and ${what}`,
    );
  return [
    ...(context.privileged ? [refuse("`privileged` to true")] : []),
    ...(context.capabilities?.add ?? [])
      .filter((capability) => capability === "CAP_SYS_ADMIN")
      .map(() => refuse("`capabilities.Add` CAP_SYS_ADMIN")),
  ];
}

/** A seccomp profile: one of the node's files, the runtime's own, or none. */
export function validateSeccompProfile(profile: SeccompProfile | undefined, field: string): FieldError[] {
  if (!profile) return [];
  const { type, localhostProfile } = profile;
  const errors: FieldError[] = [];
  if (!type) errors.push(fieldError.required(`${field}.type`, "type is required when seccompProfile is set"));
  else errors.push(...oneOfIfSet(type, profileTypes, `${field}.type`));
  const at = `${field}.localhostProfile`;
  if (type === "Localhost") {
    if (localhostProfile === undefined)
      return [...errors, fieldError.required(at, "must be set when seccomp type is Localhost")];
    return [...errors, ...validateDescendingPath(localhostProfile, at)];
  }
  if (localhostProfile === undefined) return errors;
  const shown = { Type: type, LocalhostProfile: localhostProfile };
  return [...errors, fieldError.invalid(at, shown, "can only be set when seccomp type is Localhost")];
}

/** An AppArmor profile: one loaded on the node, the runtime's own, or none. */
export function validateAppArmorProfile(profile: AppArmorProfile | undefined, field: string): FieldError[] {
  if (!profile) return [];
  const { type, localhostProfile } = profile;
  const at = `${field}.localhostProfile`;
  if (!type) return [fieldError.required(`${field}.type`, "type is required when appArmorProfile is set")];
  if (!profileTypes.includes(type)) return [fieldError.notSupported(`${field}.type`, type, profileTypes)];
  if (type !== "Localhost") {
    if (localhostProfile === undefined) return [];
    return [fieldError.invalid(at, localhostProfile, "can only be set when AppArmor type is Localhost")];
  }
  const missing = fieldError.required(at, "must be set when AppArmor type is Localhost");
  if (localhostProfile === undefined) return [missing];
  const errors: FieldError[] = [];
  if (localhostProfile.trim() !== localhostProfile)
    errors.push(fieldError.invalid(at, localhostProfile, "must not be padded with whitespace"));
  else if (localhostProfile === "") errors.push(missing);
  if (utf8Length(localhostProfile) > 4095) errors.push(fieldError.tooLong(at, 4095));
  return errors;
}

// AppArmor profiles named by annotations, as they were before there was a field.
import { type AppArmorProfile, type Draft, deepEqual, type Pod } from "@kubewright/api";
import { appArmorPrefix } from "./validate-pod-annotations.js";
import { validateAppArmorProfile } from "./validate-security-context.js";

const localhost = "localhost/";

/** Takes the profiles over into the fields of the containers. Gives the warnings for annotations nobody has a field for. */
export function syncAppArmor({ metadata, spec }: Draft<Pod>): string[] {
  const annotations = metadata?.annotations;
  if (!annotations || !spec || spec.os?.name === "windows") return [];
  const containers = [
    ...(spec.initContainers ?? []),
    ...(spec.containers ?? []),
    ...(spec.ephemeralContainers ?? []),
  ];
  return containers.flatMap((container) => {
    const key = `${appArmorPrefix}${container.name}`;
    if (!Object.hasOwn(annotations, key) || container.securityContext?.appArmorProfile) return [];
    const profile = profileOf(annotations[key] ?? "");
    if (profile && deepEqual(profile, spec.securityContext?.appArmorProfile)) return [];
    if (profile) container.securityContext = { ...container.securityContext, appArmorProfile: profile };
    return [appArmorWarning("metadata.annotations", key)];
  });
}

/** The warning for an annotation without a field. */
export const appArmorWarning = (field: string, key: string): string =>
  `${field}[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`;

/** The profile that an annotation names; undefined when no field can express it. */
function profileOf(annotation: string): AppArmorProfile | undefined {
  if (annotation === "unconfined") return { type: "Unconfined" };
  if (annotation === "runtime/default") return { type: "RuntimeDefault" };
  if (!annotation.startsWith(localhost) || annotation === localhost) return undefined;
  const localhostProfile = annotation.slice(localhost.length);
  const profile: AppArmorProfile = { type: "Localhost", localhostProfile };
  return validateAppArmorProfile(profile, "").length > 0 ? undefined : profile;
}

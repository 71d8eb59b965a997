// Annotations of pods that mean something to the server.
import { type FieldError, fieldError, type PodSpec } from "@kubewright/api";
import { checkEach } from "../check-each.js";
import type { PlacedContainer } from "./validate-windows.js";

/** Marks the copy of a pod the node runs on its own. */
export const mirrorAnnotation = "kubernetes.io/config.mirror";
/** Annotations that named an AppArmor profile before there was a field; the container's name follows. */
export const appArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";
/** The same for seccomp. */
export const seccompPodAnnotation = "seccomp.security.alpha.kubernetes.io/pod";
export const seccompPrefix = "container.seccomp.security.alpha.kubernetes.io/";
const deletionCost = "controller.kubernetes.io/pod-deletion-cost";

type Annotations = Readonly<Record<string, string>>;

/** The annotations of a pod or a template. */
export function validatePodAnnotations(
  annotations: Annotations | undefined,
  spec: PodSpec,
  containers: readonly PlacedContainer[],
  field: string,
): FieldError[] {
  const all = annotations ?? {};
  const errors: FieldError[] = [];
  const mirror = own(all, mirrorAnnotation);
  if (mirror !== undefined && !spec.nodeName) {
    const text = "must set spec.nodeName if mirror pod annotation is set";
    errors.push(fieldError.invalid(`${field}[${mirrorAnnotation}]`, mirror, text));
  }
  const cost = own(all, deletionCost);
  if (cost !== undefined && !isInt32(cost))
    errors.push(fieldError.invalid(`${field}[${deletionCost}]`, cost, "must be a 32bit integer"));
  return [...errors, ...seccompErrors(all, field), ...appArmorErrors(all, containers, field)];
}

/** A value the object itself has. */
const own = (annotations: Annotations, key: string): string | undefined =>
  Object.hasOwn(annotations, key) ? annotations[key] : undefined;

/** Plain decimal: no sign but a minus, no leading zeros. */
const isInt32 = (text: string): boolean =>
  /^(?:0|-?[1-9][0-9]{0,9})$/.test(text) && Number(text) >= -(2 ** 31) && Number(text) < 2 ** 31;

function seccompErrors(annotations: Annotations, field: string): FieldError[] {
  return checkEach(Object.entries(annotations), ([key, profile]) => {
    if (key !== seccompPodAnnotation && !key.startsWith(seccompPrefix)) return [];
    if (["runtime/default", "docker/default", "unconfined"].includes(profile)) return [];
    if (!profile.startsWith("localhost/"))
      return [fieldError.invalid(`${field}.${key}`, profile, "must be a valid seccomp profile")];
    const path = profile.slice("localhost/".length);
    return path.split("/").includes("..")
      ? [fieldError.invalid(`${field}.${key}`, path, "must not contain '..'")]
      : [];
  });
}

function appArmorErrors(
  annotations: Annotations,
  containers: readonly PlacedContainer[],
  field: string,
): FieldError[] {
  return checkEach(Object.entries(annotations), ([key, profile]) => {
    if (!key.startsWith(appArmorPrefix)) return [];
    const name = key.slice(appArmorPrefix.length);
    const errors = containers.some(([container]) => container.name === name)
      ? []
      : [fieldError.invalid(`${field}[${key}]`, name, "container not found")];
    const known = profile === "" || profile === "runtime/default" || profile === "unconfined";
    if (!known && !profile.startsWith("localhost/"))
      errors.push(
        fieldError.invalid(`${field}[${key}]`, profile, `invalid AppArmor profile name: "${profile}"`),
      );
    return errors;
  });
}

/** Some annotations cannot change once the pod is there. */
export function validateAnnotationChange(
  now: Annotations | undefined,
  before: Annotations | undefined,
  field: string,
): FieldError[] {
  const fixed = (key: string): string | undefined =>
    key.startsWith(appArmorPrefix)
      ? "AppArmor annotations"
      : key === mirrorAnnotation
        ? "mirror pod annotation"
        : undefined;
  const changed = Object.keys(before ?? {}).filter((key) => own(now ?? {}, key) !== before?.[key]);
  const added = Object.keys(now ?? {}).filter((key) => own(before ?? {}, key) === undefined);
  const refuse = (keys: readonly string[], verb: string): FieldError[] =>
    checkEach(keys, (key) => {
      const what = fixed(key);
      return what ? [fieldError.forbidden(`${field}[${key}]`, `may not ${verb} ${what}`)] : [];
    });
  return [...refuse(changed, "remove or update"), ...refuse(added, "add")];
}

interface Profile {
  readonly type: string;
  readonly localhostProfile?: string | undefined;
}

/** Where both an annotation and a field name a profile, they must say the same. */
export function validateProfilesAgree(
  annotations: Annotations | undefined,
  spec: PodSpec,
  containers: readonly PlacedContainer[],
  field: string,
): FieldError[] {
  const all = annotations ?? {};
  const context = spec.securityContext;
  const errors = agree(
    "seccomp",
    own(all, seccompPodAnnotation),
    context?.seccompProfile,
    `${field}.securityContext.seccompProfile`,
  );
  for (const [{ name, securityContext }, at] of containers) {
    const seccomp = own(all, `${seccompPrefix}${name}`);
    errors.push(
      ...agree("seccomp", seccomp, securityContext?.seccompProfile, `${at}.securityContext.seccompProfile`),
    );
    if (spec.os?.name === "windows") continue;
    const profile = securityContext?.appArmorProfile ?? context?.appArmorProfile;
    const annotation = own(all, `${appArmorPrefix}${name}`);
    errors.push(...agree("apparmor", annotation, profile, `${at}.securityContext.appArmorProfile`));
  }
  return errors;
}

function agree(
  what: "seccomp" | "apparmor",
  annotation: string | undefined,
  profile: Profile | undefined,
  field: string,
): FieldError[] {
  if (annotation === undefined || !profile) return [];
  const differs = [fieldError.forbidden(`${field}.type`, `${what} type in annotation and field must match`)];
  switch (profile.type) {
    case "Unconfined":
      return annotation === "unconfined" ? [] : differs;
    case "RuntimeDefault": {
      const isDefault =
        annotation === "runtime/default" || (what === "seccomp" && annotation === "docker/default");
      return isDefault ? [] : differs;
    }
    case "Localhost": {
      if (!annotation.startsWith("localhost/")) return differs;
      if (annotation.slice("localhost/".length) === profile.localhostProfile) return [];
      const text = `${what} profile in annotation and field must match`;
      return [fieldError.forbidden(`${field}.localhostProfile`, text)];
    }
    default:
      return [];
  }
}

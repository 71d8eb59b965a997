// Runs the rules of a level against a pod.
import { baselineChecks } from "./baseline-checks.js";
import type { PodCheck, PodLike, VersionedCheck, Violation } from "./check.js";
import type { LevelVersion } from "./policy.js";
import { restrictedChecks } from "./restricted-checks.js";

/** The violations of a level by a pod, in the order they are reported. */
export function violationsOf({ level, version }: LevelVersion, pod: PodLike): Violation[] {
  if (level === "privileged") return [];
  const minor = version === "latest" ? Number.POSITIVE_INFINITY : version;
  const restricted = level === "restricted" ? inForce(restrictedChecks, minor) : [];
  const replaced = new Set(restricted.map(([{ replaces }]) => replaces));
  const baseline = inForce(baselineChecks, minor).filter(([{ id }]) => !replaced.has(id));
  return [...baseline, ...restricted].flatMap(([, check]) => check(pod) ?? []);
}

/** The rules that exist in a version, as they were then. */
function inForce(checks: readonly VersionedCheck[], minor: number): [VersionedCheck, PodCheck][] {
  return checks.flatMap((versioned): [VersionedCheck, PodCheck][] => {
    const found = versioned.versions.findLast(([since]) => since <= minor);
    return found ? [[versioned, found[1]]] : [];
  });
}

/** The reasons of the violations, as the warning about existing pods lists them. */
export const violationReasons = (violations: readonly Violation[]): string =>
  violations.map(({ reason }) => reason).join(", ");

/** The reasons of the violations with the fields at fault, as a refusal lists them. */
export const violationDetails = (violations: readonly Violation[]): string =>
  violations.map(({ reason, detail }) => (detail ? `${reason} (${detail})` : reason)).join(", ");

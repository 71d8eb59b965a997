// The type of a pod security check, and how checks iterate over containers.
import type { Container, ObjectMeta, PodSpec } from "@kubewright/api";

/** A pod, or the template of one. */
export interface PodLike {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
}

/** A violation, in short and at length. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

export type PodCheck = (pod: PodLike) => Violation | undefined;

/** A rule through the versions of Kubernetes. */
export interface VersionedCheck {
  /** The rule of the next lower level that this one makes superfluous. */
  readonly replaces?: string | undefined;
  readonly id: string;
  /** By the minor version each holds from, ascending. */
  readonly versions: readonly (readonly [since: number, check: PodCheck])[];
}

/** All containers, those that run first coming first. */
export function containersOf({ initContainers, containers, ephemeralContainers }: PodSpec): Container[] {
  return [...(initContainers ?? []), ...(containers ?? []), ...(ephemeralContainers ?? [])];
}

/** The containers whose security context violates the check. */
export function offenders(
  spec: PodSpec,
  isBad: (context: NonNullable<Container["securityContext"]>, container: Container) => boolean,
): string[] {
  return containersOf(spec)
    .filter((container) => isBad(container.securityContext ?? {}, container))
    .map(({ name }) => name);
}

/** `container "a"`, `containers "a", "b"` */
export const named = (names: readonly string[]): string =>
  `${plural("container", names.length)} ${quoted(names)}`;

/** `pod and containers "a", "b"`: who sets what it should not. */
export function setters(pod: boolean, containers: readonly string[]): string {
  return [...(pod ? ["pod"] : []), ...(containers.length > 0 ? [named(containers)] : [])].join(" and ");
}

export const plural = (word: string, count: number): string => (count === 1 ? word : `${word}s`);

export const quoted = (items: readonly string[]): string => items.map((item) => `"${item}"`).join(", ");

/** Distinct values in order. */
export const distinct = (items: readonly string[]): string[] => [...new Set(items)].sort();

/** Pods with users of their own: root in them is nobody on the host. */
export const hasOwnUsers = ({ hostUsers }: PodSpec): boolean => hostUsers === false;

export const isWindows = ({ os }: PodSpec): boolean => os?.name === "windows";

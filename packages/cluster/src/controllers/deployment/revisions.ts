// Revisions of a Deployment: which ReplicaSet is which, and the annotations copied to it.
import { type Deployment, deepEqual, type PodTemplateSpec, type ReplicaSet } from "@kubewright/api";
import { hashLabel } from "../../workload/template-hash.js";

export const revisionAnnotation = "deployment.kubernetes.io/revision";
const historyAnnotation = "deployment.kubernetes.io/revision-history";
export const desiredAnnotation = "deployment.kubernetes.io/desired-replicas";
export const maxAnnotation = "deployment.kubernetes.io/max-replicas";

/** Annotations of the Deployment that are not those of its sets. */
const ownAnnotations = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
  "deprecated.deployment.rollback.to",
]);

/** Histories are cut to this many characters, oldest first. */
const longestHistory = 2000;

/** The revision of a set, of 64 bits; 0 when it has none. */
export function revisionOf({ metadata }: ReplicaSet): bigint {
  return parseRevision(metadata?.annotations?.[revisionAnnotation]);
}

const parseRevision = (text = ""): bigint => (/^-?\d{1,19}$/.test(text) ? BigInt(text) : 0n);

/** The highest revision among the sets. */
export function lastRevision(sets: readonly ReplicaSet[]): bigint {
  return sets.map(revisionOf).reduce((last, revision) => (revision > last ? revision : last), 0n);
}

/** Lowest revision first. */
export function byRevision(a: ReplicaSet, b: ReplicaSet): number {
  const difference = revisionOf(a) - revisionOf(b);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

const createdAt = ({ metadata }: ReplicaSet): string =>
  `${metadata?.creationTimestamp ?? ""} ${metadata?.name ?? ""}`;

/** Oldest first. */
export function byAge(a: ReplicaSet, b: ReplicaSet): number {
  return createdAt(a) < createdAt(b) ? -1 : 1;
}

/** The set that has the Deployment's template; the oldest, should there be several. */
export function findNewSet(deployment: Deployment, sets: readonly ReplicaSet[]): ReplicaSet | undefined {
  return sets.toSorted(byAge).find(({ spec }) => isSameTemplate(spec?.template, deployment.spec?.template));
}

/** Whether two templates are equal but for the hash label. */
export function isSameTemplate(a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean {
  return deepEqual(withoutHash(a), withoutHash(b));
}

function withoutHash(template: PodTemplateSpec | undefined): PodTemplateSpec | undefined {
  const { [hashLabel]: _hash, ...labels } = template?.metadata?.labels ?? {};
  return template && { ...template, metadata: { ...template.metadata, labels } };
}

/** The annotations a new or reused set should have at this revision. */
export function setAnnotations(
  deployment: Deployment,
  set: ReplicaSet | undefined,
  revision: bigint,
): Readonly<Record<string, string>> {
  const before = set?.metadata?.annotations ?? {};
  const copied = Object.entries(deployment.metadata?.annotations ?? {}).filter(
    ([key]) => !ownAnnotations.has(key),
  );
  const known = parseRevision(before[revisionAnnotation]);
  const merged = { ...before, ...Object.fromEntries(copied) };
  if (known >= revision) return merged;
  const history = known > 0n ? withHistory(before[historyAnnotation], known) : {};
  return { ...merged, [revisionAnnotation]: String(revision), ...history };
}

function withHistory(history: string | undefined, revision: bigint): Readonly<Record<string, string>> {
  const entries = [...(history ? history.split(",") : []), String(revision)];
  while (entries.join(",").length > longestHistory) entries.shift();
  return { [historyAnnotation]: entries.join(",") };
}

/** How many replicas the Deployment wanted when the set was last scaled. */
export function desiredWhenScaled({ metadata }: ReplicaSet): number | undefined {
  return numberIn(metadata?.annotations?.[desiredAnnotation]);
}

/** How many pods the Deployment could have when the set was last scaled. */
export function mostWhenScaled({ metadata }: ReplicaSet): number | undefined {
  return numberIn(metadata?.annotations?.[maxAnnotation]);
}

function numberIn(text: string | undefined): number | undefined {
  const number = Number(text);
  return text === undefined || !Number.isInteger(number) ? undefined : number;
}

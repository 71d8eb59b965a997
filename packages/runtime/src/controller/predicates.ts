// Predicates: the changes that cause a reconcile. A predicate sees the object before and after; additions and deletions have only one of them.
import { deepEqual, type KubeObject, LabelMatcher, type LabelSelector } from "@kubewright/api";
import type { ObjectChange } from "../informer/delta-queue.js";

/** True for changes that need a reconcile. */
export type Predicate<T extends KubeObject = KubeObject> = (change: ObjectChange<T>) => boolean;

/** Accepts additions, deletions, and updates for which `isDifferent` is true. */
function changed(isDifferent: (previous: KubeObject, current: KubeObject) => boolean): Predicate {
  return ({ previous, current }) => !previous || !current || isDifferent(previous, current);
}

/** The spec changed, or deletion was asked for; not status or metadata. Kinds that count no generations always pass. */
export const generationChanged: Predicate = changed(
  ({ metadata: before }, { metadata: after }) =>
    after?.generation === undefined ||
    before?.generation !== after.generation ||
    before?.deletionTimestamp !== after.deletionTimestamp,
);

/** Passes updates that change labels. */
export const labelsChanged: Predicate = changed(
  ({ metadata: before }, { metadata: after }) => !deepEqual(before?.labels ?? {}, after?.labels ?? {}),
);

/** Passes updates that change annotations. */
export const annotationsChanged: Predicate = changed(
  ({ metadata: before }, { metadata: after }) =>
    !deepEqual(before?.annotations ?? {}, after?.annotations ?? {}),
);

/** The object has these labels now, or had them before. */
export function hasLabels(selector: string | LabelSelector): Predicate {
  const matcher = typeof selector === "string" ? LabelMatcher.parse(selector) : LabelMatcher.from(selector);
  return ({ previous, current }) =>
    [previous, current].some((object) => object !== undefined && matcher.matches(object.metadata?.labels));
}

/**
 * Passes what any of them passes.
 *
 * @example
 * when: anyOf(generationChanged, annotationsChanged)
 */
export function anyOf<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (change) => predicates.some((predicate) => predicate(change));
}

/** Passes what all of them pass. */
export function allOf<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (change) => predicates.every((predicate) => predicate(change));
}

/** Passes what the other does not. */
export function not<T extends KubeObject>(predicate: Predicate<T>): Predicate<T> {
  return (change) => !predicate(change);
}

// Graceful deletion: whether an object gets a grace period, how long it is, and when it is over.

import { formatTime } from "@kubewright/api";
import type { StoredObject } from "@kubewright/kinds";

import type { DeleteOptions } from "./delete-options.js";
import type { ResourceKind } from "./resource-kind.js";

/**
 * - `immediate`: as soon as no finalizer holds it.
 * - `graceful`: it has until `deletionTimestamp`.
 * - `pending`: it is terminating already, and ends no later than this request asks for.
 */
export type DeletionPlan =
  | { readonly mode: "immediate" }
  | { readonly mode: "graceful"; readonly seconds: number; readonly deletionTimestamp: string }
  | { readonly mode: "pending" };

const immediate: DeletionPlan = { mode: "immediate" };
const pending: DeletionPlan = { mode: "pending" };

/** Plans the deletion of an object. A second request can only shorten the grace period of the first. */
export function planDeletion(
  { strategy }: ResourceKind,
  object: StoredObject,
  { gracePeriodSeconds }: DeleteOptions,
  now: number,
): DeletionPlan {
  const { deletionTimestamp, deletionGracePeriodSeconds } = object.metadata;
  if (deletionTimestamp && strategy.isHeld?.(object)) return pending;
  if (!strategy.gracePeriod) return immediate;
  const requested = gracePeriodSeconds === undefined ? undefined : positive(gracePeriodSeconds);
  if (!deletionTimestamp) {
    const seconds = strategy.gracePeriod(object, requested);
    return seconds === undefined ? immediate : graceful(now, seconds);
  }
  if (!deletionGracePeriodSeconds) return immediate;
  const granted = positive(deletionGracePeriodSeconds);
  if (requested === undefined || requested >= granted) return pending;
  return graceful(Date.parse(deletionTimestamp) - milliseconds(granted), requested);
}

/** Less than nothing is taken for a second. */
const positive = (seconds: number): number => (seconds < 0 ? 1 : seconds);

const graceful = (start: number, seconds: number): DeletionPlan => ({
  mode: "graceful",
  seconds,
  deletionTimestamp: formatTime(start + milliseconds(seconds)),
});

/** Seconds of 64 bits (bigints beyond 2^53) as a Go duration, which counts nanoseconds in 64 bits and wraps around after 292 years. */
const milliseconds = (seconds: number | bigint): number =>
  Number(BigInt.asIntN(64, BigInt(seconds) * 1_000_000_000n) / 1_000_000n);

// Moves the bounds of a HorizontalPodAutoscaler, and restores them. The original bounds are kept in an annotation of the
// autoscaler itself, written together with the new bounds, so that no crash can lose it.
//
// Here and in its neighbours `Hpa` is the timetable, and an autoscaler is always a HorizontalPodAutoscaler.
import { type HorizontalPodAutoscaler, isObject } from "@kubewright/api";
import type { Level } from "./level.js";

/** On an autoscaler whose bounds a timetable has moved. */
export const windowAnnotation = "autoscal.aiops.org/window";

export interface Bounds {
  readonly min: number;
  readonly max: number;
}

interface Moved {
  /** The timetable that moved them last. */
  readonly by: string;
  readonly original: Bounds;
  readonly set: Bounds;
}

/** The bounds as they are. */
export function boundsOf({ spec }: HorizontalPodAutoscaler): Bounds {
  return { min: spec?.minReplicas ?? 1, max: spec?.maxReplicas ?? 1 };
}

/** The timetable that has moved the bounds, if one has. */
export function movedBy(autoscaler: HorizontalPodAutoscaler): string | undefined {
  return movedOf(autoscaler)?.by;
}

/**
 * The bounds as their owner wants them: those it had, and whatever was changed since a timetable moved them. An owner that
 * applies the same file again only repeats itself.
 */
export function originalBounds(autoscaler: HorizontalPodAutoscaler): Bounds {
  const now = boundsOf(autoscaler);
  const moved = movedOf(autoscaler);
  if (!moved) return now;
  return {
    min: now.min === moved.set.min ? moved.original.min : now.min,
    max: now.max === moved.set.max ? moved.original.max : now.max,
  };
}

/** The bounds a level asks for; its own for no level. A size is a lower bound and leaves room above. */
export function boundsFor(autoscaler: HorizontalPodAutoscaler, level: Level | undefined): Bounds {
  const original = originalBounds(autoscaler);
  if (!level) return original;
  const least = level.min ?? level.size;
  const max = level.max ?? Math.max(original.max, least ?? 1);
  return { min: Math.max(1, Math.min(least ?? original.min, max)), max };
}

/** The autoscaler with these bounds, and a note of what it had before. */
export function withBounds(autoscaler: HorizontalPodAutoscaler, by: string, set: Bounds) {
  const moved: Moved = { by, original: originalBounds(autoscaler), set };
  return {
    metadata: {
      name: autoscaler.metadata?.name ?? "",
      annotations: { [windowAnnotation]: JSON.stringify(moved) },
    },
    spec: { minReplicas: set.min, maxReplicas: set.max },
  };
}

export const areSame = (a: Bounds, b: Bounds): boolean => a.min === b.min && a.max === b.max;

function movedOf({ metadata }: HorizontalPodAutoscaler): Moved | undefined {
  const text = metadata?.annotations?.[windowAnnotation];
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isMoved(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isMoved(value: unknown): value is Moved {
  if (!isObject(value) || typeof value["by"] !== "string") return false;
  return isBounds(value["original"]) && isBounds(value["set"]);
}

function isBounds(value: unknown): value is Bounds {
  return isObject(value) && Number.isInteger(value["min"]) && Number.isInteger(value["max"]);
}

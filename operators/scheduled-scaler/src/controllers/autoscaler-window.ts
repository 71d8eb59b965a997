// Moving the bounds of a HorizontalPodAutoscaler, and putting them back. What they were is kept in an annotation of the
// autoscaler itself, written together with the new bounds, so that no crash can lose it.
import type { HorizontalPodAutoscaler } from "@kubewright/api";

/** On an autoscaler whose bounds a timetable has moved. */
export const windowAnnotation = "autoscal.aiops.org/window";

interface Bounds {
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

/** Which timetable has moved the bounds, if one has. */
export function movedBy(autoscaler: HorizontalPodAutoscaler): string | undefined {
  return movedOf(autoscaler)?.by;
}

/** The bounds as their owner wants them. What was changed since a timetable moved it is its owner's new wish. */
export function originalBounds(autoscaler: HorizontalPodAutoscaler): Bounds {
  const now = boundsOf(autoscaler);
  const moved = movedOf(autoscaler);
  if (!moved) return now;
  return {
    min: now.min === moved.set.min ? moved.original.min : now.min,
    max: now.max === moved.set.max ? moved.original.max : now.max,
  };
}

/** The autoscaler with at least so many replicas, and room above; undefined as size gives it back its own bounds. */
export function windowFor(autoscaler: HorizontalPodAutoscaler, by: string, size: number | undefined) {
  const original = originalBounds(autoscaler);
  const set = size === undefined ? original : { min: size, max: Math.max(original.max, size) };
  const isMoved = set.min !== original.min || set.max !== original.max;
  const moved: Moved = { by, original, set };
  return {
    metadata: {
      name: autoscaler.metadata?.name ?? "",
      ...(isMoved ? { annotations: { [windowAnnotation]: JSON.stringify(moved) } } : {}),
    },
    spec: { minReplicas: set.min, maxReplicas: set.max },
  };
}

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
  if (!isRecord(value) || typeof value["by"] !== "string") return false;
  return isBounds(value["original"]) && isBounds(value["set"]);
}

function isBounds(value: unknown): value is Bounds {
  return isRecord(value) && Number.isInteger(value["min"]) && Number.isInteger(value["max"]);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

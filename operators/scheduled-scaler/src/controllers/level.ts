// The replicas that a job asks for, within the bounds of its timetable.
import type { Hpa, Job } from "../api/v1/hpa.js";

/** The size a job asks for. At least one of the fields is given. */
export interface Level {
  readonly size?: number | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** The level of a job within the bounds of the timetable. */
export function levelOf(
  { size, minReplicas, maxReplicas }: Job,
  { spec: { minSize = 0, maxSize = Number.POSITIVE_INFINITY } }: Hpa,
): Level {
  const guarded = (value: number | undefined): number | undefined =>
    value === undefined ? undefined : Math.max(minSize, Math.min(maxSize, value));
  return { size: guarded(size), min: guarded(minReplicas), max: guarded(maxReplicas) };
}

/** The size of a target that no autoscaler scales: as asked for, or the present one within what is asked for. */
export function sizeFor({ size, min = 0, max = Number.POSITIVE_INFINITY }: Level, present: number): number {
  return size ?? Math.max(min, Math.min(max, present));
}

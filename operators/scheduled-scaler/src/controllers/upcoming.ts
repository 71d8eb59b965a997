// The next moments at which a timetable changes something.
import type { Job } from "../api/v1/hpa.js";
import { type KnownJob, latestWindow } from "./in-force.js";

/** A run to come, or the end of a window. */
export interface Run {
  readonly time: number;
  readonly job: Job;
  readonly isEnd: boolean;
}

/** The next runs from a moment on. What is due at the same moment is one run: that of the last job in the list. */
export function upcomingRuns(jobs: readonly KnownJob[], after: number, count: number): readonly Run[] {
  const runs = jobs.flatMap((known) => runsOf(known, after, count));
  const byTime = new Map<number, Run>();
  // The end of a window gives way to whatever begins at that moment.
  for (const run of [...runs.filter(({ isEnd }) => isEnd), ...runs.filter(({ isEnd }) => !isEnd)])
    byTime.set(run.time, run);
  return [...byTime.values()].sort((a, b) => a.time - b.time).slice(0, count);
}

function runsOf(known: KnownJob, after: number, count: number): readonly Run[] {
  const { job, ends } = known;
  const open = latestWindow(known, after);
  const starts = startsOf(known, after, job.runOnce ? 1 : count);
  const closes = [...(open && open.end > after ? [open.end] : []), ...starts.map((time) => ends?.next(time))];
  return [
    ...starts.map((time) => ({ time, job, isEnd: false })),
    ...closes.flatMap((time) =>
      time !== undefined && Number.isFinite(time) ? [{ time, job, isEnd: true }] : [],
    ),
  ];
}

function startsOf({ starts, isCompleted }: KnownJob, after: number, count: number): readonly number[] {
  const times: number[] = [];
  let time = isCompleted ? undefined : starts?.next(after);
  while (time !== undefined && times.length < count) {
    times.push(time);
    time = starts?.next(time);
  }
  return times;
}

// The story of an object, for people.
import type { ObjectHistory, TimelineRecord } from "@kubewright/runtime";

/** Why it was reconciled, what that did, and what comes next; the latest first. */
export function storyText(stories: readonly ObjectHistory[], now: number): string {
  return stories
    .flatMap((story) => [
      `${story.kind} ${story.key}, controller ${story.controller}`,
      ...linesOf(story, now),
    ])
    .join("\n");
}

/** As many as asked for: those that wrote, failed or recorded an event before those that did not, each the latest first. */
export function mostTelling(history: readonly TimelineRecord[], limit: number): readonly TimelineRecord[] {
  const isTelling = ({ writes, events, error }: TimelineRecord): boolean =>
    writes.length > 0 || events.length > 0 || error !== undefined;
  const quiet = history.filter((record) => !isTelling(record));
  return [...history.filter(isTelling), ...quiet].slice(0, limit);
}

function linesOf({ history, next }: ObjectHistory, now: number): readonly string[] {
  return [
    `  next: ${nextText(next, now)}`,
    ...(history.length === 0 ? ["  no reconcile is remembered"] : []),
    ...history.flatMap((record) => recordLines(record, now)),
  ];
}

function nextText(next: ObjectHistory["next"], now: number): string {
  if (!next) return "when something changes";
  const failures =
    next.failures > 0 ? ` after ${next.failures} failure${next.failures === 1 ? "" : "s"}` : "";
  if (next.due !== undefined)
    return `in ${ago(Date.parse(next.due) - now)}${failures}, or when something changes`;
  return `${next.state}${failures}${next.reasons.length > 0 ? `, because ${next.reasons.join("; ")}` : ""}`;
}

function recordLines(record: TimelineRecord, now: number): readonly string[] {
  const { began, reasons, outcome, duration, error, writes, events, requeueAfter } = record;
  const took = `${Math.max(0, Math.round(duration))} ms`;
  return [
    `  ${ago(now - Date.parse(began))} ago: ${outcome} in ${took}${error === undefined ? "" : `: ${error}`}`,
    `    why: ${reasons.join("; ") || "not known"}`,
    ...writes.map(
      ({ verb, kind, key, error: failure }) =>
        `    ${verb} ${kind} ${key}${failure === undefined ? "" : `, which failed: ${failure}`}`,
    ),
    ...(writes.length === 0 ? ["    wrote nothing"] : []),
    ...events.map(({ reason, note }) => `    event ${reason}: ${note}`),
    ...(requeueAfter === undefined ? [] : [`    asked to look again in ${ago(requeueAfter)}`]),
  ];
}

function ago(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

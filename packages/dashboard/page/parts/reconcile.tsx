// One reconcile as a line: why, what was read and written, what came of it, how long it took.
import type { ReadInfo, ReconcileInfo, WriteInfo } from "../../src/protocol.js";
import { objectLink } from "../route.js";
import { kinds } from "../store.js";
import { Age, duration } from "./time.js";

export function Reconcile({
  record,
  withKey = true,
}: {
  readonly record: ReconcileInfo;
  readonly withKey?: boolean;
}) {
  return (
    <li class={`reconcile ${record.outcome}`}>
      <span class="when">
        <Age time={record.began} />
      </span>
      <div>
        {withKey && (
          <>
            <a href={keyLink(record)}>
              {record.kind} {record.key}
            </a>{" "}
            <span class="quiet">by {record.controller}</span>
          </>
        )}
        <ol class="steps" aria-label="What happened">
          <li class="trigger">{record.reasons.join(", ") || "no reason given"}</li>
          {stepsOf(record).map((step, index) =>
            "source" in step ? <Read key={index} read={step} /> : <Write key={index} write={step} />,
          )}
          {record.events.map((event, index) => (
            <li key={index} class="event">
              event {event}
            </li>
          ))}
          <li class="result">{resultOf(record)}</li>
        </ol>
      </div>
    </li>
  );
}

/** Reads and writes in the order they began. */
function stepsOf({ reads, writes }: ReconcileInfo): readonly (ReadInfo | WriteInfo)[] {
  return [...reads, ...writes].sort((one, other) => one.at - other.at);
}

function Read({ read }: { readonly read: ReadInfo }) {
  const { verb, kind, target, source, times, count, found, duration: took, error } = read;
  const names = found.length < count ? [...found, `and ${count - found.length} more`] : found;
  const what = verb === "get" ? target : [target, `(${count})`].join(" ").trim();
  const state = error !== undefined ? `: ${error}` : verb === "get" && count === 0 ? ": not there" : "";
  return (
    <li class={error === undefined ? "read" : "read failed"} title={names.join(", ") || undefined}>
      {verb} {kind} {what}
      {times > 1 && ` ${times}×`} <span class="quiet">{source === "cache" ? "cache" : duration(took)}</span>
      {state}
    </li>
  );
}

function Write({ write: { verb, kind, key, duration: took, error } }: { readonly write: WriteInfo }) {
  return (
    <li class={error === undefined ? "write" : "write failed"}>
      {verb} {kind} {key} <span class="quiet">{duration(took)}</span>
      {error !== undefined && `: ${error}`}
    </li>
  );
}

function resultOf({ outcome, error, duration: took, waited, requeueAfter }: ReconcileInfo): string {
  const after = `in ${duration(took)}${waited > 100 ? `, after ${duration(waited)} in the queue` : ""}`;
  const next = requeueAfter === undefined ? "" : `; again in ${duration(requeueAfter)}`;
  return error === undefined ? `${outcome} ${after}${next}` : `${outcome} ${after}: ${error}`;
}

function keyLink({ kind, key }: ReconcileInfo): string {
  const [name = "", namespace] = key.split("/").reverse();
  const found =
    kinds.value.find((each) => each.kind === kind && each.custom) ??
    kinds.value.find((each) => each.kind === kind);
  return found ? objectLink({ ...found, namespace, name }) : "#/timeline";
}

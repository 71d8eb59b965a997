// One reconcile as a line: why, what was written, what came of it, how long it took.
import type { ReconcileInfo } from "../../src/protocol.js";
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
          {record.writes.map((write, index) => (
            <li key={index} class={write.error === undefined ? "write" : "write failed"}>
              {write.verb} {write.kind} {write.key}
              {write.error !== undefined && `: ${write.error}`}
            </li>
          ))}
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

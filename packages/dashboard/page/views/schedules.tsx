// The coming runs of everything that has a schedule, on one line of time.
import type { ObjectSummary } from "../../src/protocol.js";
import { Notice } from "../parts/notice.js";
import { Scroll } from "../parts/scroll.js";
import { Age, now } from "../parts/time.js";
import { objectLink } from "../route.js";
import { inNamespace, objects } from "../store.js";

/** The line reaches so far, in milliseconds, or as far as the next run if that is later. */
const least = 10 * 60_000;
const most = 24 * 60 * 60_000;

export function Schedules() {
  const scheduled = inNamespace(
    [...objects.value.values()].filter(
      ({ schedule, nextRun }) => schedule !== undefined || nextRun !== undefined,
    ),
  );
  if (scheduled.length === 0)
    return <Notice>Nothing has a schedule: CronJobs, CronTabs and scheduled scalers appear here.</Notice>;
  const sorted = [...scheduled].sort((one, other) =>
    (one.nextRun ?? "~").localeCompare(other.nextRun ?? "~"),
  );
  const latest = Math.max(
    ...sorted.map(({ nextRun }) => (nextRun === undefined ? 0 : Date.parse(nextRun) - now.value)),
  );
  const span = Math.min(most, Math.max(least, latest * 1.1));
  return (
    <section>
      <h1>Schedules</h1>
      <Scroll label="Schedules">
        <table class="schedules">
          <thead>
            <tr>
              <th scope="col">Object</th>
              <th scope="col">Schedule</th>
              <th scope="col">Next</th>
              <th scope="col" class="line">
                Now … in {Math.round(span / 60_000)} minutes
              </th>
            </tr>
          </thead>
          <tbody>
            {sorted.map((object) => (
              <ScheduleRow key={object.uid} object={object} span={span} />
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}

function ScheduleRow({ object, span }: { readonly object: ObjectSummary; readonly span: number }) {
  const { nextRun } = object;
  const share = nextRun === undefined ? undefined : (Date.parse(nextRun) - now.value) / span;
  return (
    <tr>
      <td>
        <a href={objectLink(object)}>
          {object.kind} {object.name}
        </a>
      </td>
      <td>
        <code>{object.schedule}</code>
      </td>
      <td>{nextRun === undefined ? "not said in its status" : <Age time={nextRun} />}</td>
      <td class="line">
        {share !== undefined && share >= 0 && share <= 1 && (
          <span class="mark" style={{ insetInlineStart: `${share * 100}%` }} title={nextRun} />
        )}
      </td>
    </tr>
  );
}

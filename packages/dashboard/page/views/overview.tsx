// The first screen: my objects and how they are, what the operators did in the last minute and why, and what fails.
import type { KindProblem } from "../../src/protocol.js";
import { state } from "../connection.js";
import { Health } from "../parts/health.js";
import { Notice } from "../parts/notice.js";
import { Reconcile } from "../parts/reconcile.js";
import { Age, now } from "../parts/time.js";
import { objectLink } from "../route.js";
import {
  customObjects,
  inNamespace,
  isSynced,
  kinds,
  loops,
  managers,
  objects,
  problems,
  reconciles,
} from "../store.js";

const shown = 15;
const order = ["failed", "terminating", "progressing", "ready"];

export function Overview() {
  const mine = [...customObjects.value].sort(
    (one, other) =>
      order.indexOf(one.health) - order.indexOf(other.health) || one.name.localeCompare(other.name),
  );
  return (
    <div class="overview">
      <section aria-labelledby="objects-title">
        <h1 id="objects-title">Objects</h1>
        {mine.length === 0 ? (
          <Notice>{emptyText()}</Notice>
        ) : (
          <table class="objects">
            <thead>
              <tr>
                <th scope="col">Object</th>
                <th scope="col">Health</th>
                <th scope="col">Age</th>
              </tr>
            </thead>
            <tbody>
              {mine.slice(0, 200).map((object) => (
                <tr key={object.uid}>
                  <td>
                    <span class="quiet">{object.kind}</span>{" "}
                    <a href={objectLink(object)}>
                      {object.namespace && `${object.namespace}/`}
                      {object.name}
                    </a>
                  </td>
                  <td>
                    <Health object={object} />
                    {object.health === "progressing" && <div class="quiet">{object.message}</div>}
                  </td>
                  <td>
                    <Age time={object.created} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        {mine.length > 200 && <Notice>{mine.length - 200} more; see Resources.</Notice>}
      </section>
      <section aria-labelledby="failing-title">
        <h1 id="failing-title">What fails</h1>
        <Failing />
      </section>
      <section aria-labelledby="recent-title">
        <h1 id="recent-title">The last minute</h1>
        <Recent />
      </section>
    </div>
  );
}

function emptyText(): string {
  if (state.value.phase !== "open") return "Waiting for the server.";
  if (!isSynced.value) return "Reading the cluster.";
  if (problems.value.some(({ kind }) => kinds.value.some((each) => each.custom && each.kind === kind)))
    return "Objects of custom kinds cannot be read; the reason is named beside.";
  return "There is no object of a custom kind yet. Create one, and it appears here.";
}

function Failing() {
  const failed = inNamespace([...objects.value.values()].filter(({ health }) => health === "failed"));
  const failures = lastFailures();
  if (failed.length + failures.length + loops.value.length + problems.value.length === 0)
    return <Notice>{isSynced.value ? "Nothing." : "Reading the cluster."}</Notice>;
  return (
    <ul class="failing">
      {loops.value.map((loop) => (
        <li key={`${loop.controller} ${loop.key}`}>
          <b>Loop:</b> {loop.kind} {loop.key} is {loop.message}
        </li>
      ))}
      {failed.slice(0, shown).map((object) => (
        <li key={object.uid}>
          <a href={objectLink(object)}>
            {object.kind} {object.name}
          </a>
          : {object.message}
        </li>
      ))}
      {failures.map((record) => (
        <Reconcile key={record.id} record={record} />
      ))}
      <Problems />
    </ul>
  );
}

/** These have a line of their own on every view. */
const elsewhere: ReadonlySet<KindProblem["reason"]> = new Set(["forbidden", "unreachable", "unauthorized"]);

/** What nobody may read is one line, however many kinds it is. */
function Problems() {
  const forbidden = problems.value.filter(({ reason }) => reason === "forbidden");
  const others = problems.value.filter(({ reason }) => !elsewhere.has(reason));
  return (
    <>
      {forbidden.length > 0 && (
        <li>
          <b>Forbidden:</b> {forbidden.map(({ kind }) => kind).join(", ")} cannot be read.{" "}
          <details>
            <summary>Why</summary>
            {forbidden[0]?.message}
          </details>
        </li>
      )}
      {others.map(({ kind, message }) => (
        <li key={kind}>
          <b>{kind}</b> cannot be read: {message}
        </li>
      ))}
    </>
  );
}

/** Of each object its last reconcile, if that failed. */
function lastFailures() {
  const last = new Map(reconciles.value.map((record) => [`${record.controller} ${record.key}`, record]));
  return [...last.values()].filter(({ outcome }) => outcome === "failure").slice(-shown);
}

function Recent() {
  const since = now.value - 60_000;
  const records = reconciles.value.filter(
    ({ began, writes, outcome }) => Date.parse(began) > since && (writes.length > 0 || outcome !== "success"),
  );
  if (managers.value.length === 0)
    return <Notice>No manager runs in the process that serves this page.</Notice>;
  if (records.length === 0) return <Notice>No operator wrote anything: all is as it should be.</Notice>;
  return (
    <ul class="reconciles">
      {records
        .slice(-shown)
        .toReversed()
        .map((record) => (
          <Reconcile key={record.id} record={record} />
        ))}
    </ul>
  );
}

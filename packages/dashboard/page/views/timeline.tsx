// Every reconcile as it ends: why it ran, what it read and wrote, what came of it.
import { signal } from "@preact/signals";
import { Notice } from "../parts/notice.js";
import { Reconcile } from "../parts/reconcile.js";
import { loops, managers, namespace, reconciles } from "../store.js";

const withQuiet = signal(false);
const filter = signal("");
const most = 100;

export function Timeline() {
  const matching = reconciles.value.filter(
    (record) =>
      (withQuiet.value ||
        record.writes.length > 0 ||
        record.events.length > 0 ||
        record.outcome !== "success") &&
      `${record.kind} ${record.key} ${record.controller}`
        .toLowerCase()
        .includes(filter.value.toLowerCase()) &&
      (namespace.value === "" || record.key.startsWith(`${namespace.value}/`)),
  );
  return (
    <section>
      <h1>Timeline</h1>
      {loops.value.map((loop) => (
        <Notice key={`${loop.controller} ${loop.key}`} kind="warning">
          Loop: {loop.kind} {loop.key} is {loop.message}
        </Notice>
      ))}
      <div class="actions">
        <label>
          Filter{" "}
          <input
            value={filter.value}
            onInput={(event) => {
              filter.value = event.currentTarget.value;
            }}
          />
        </label>
        <label>
          <input
            type="checkbox"
            checked={withQuiet.value}
            onChange={(event) => {
              withQuiet.value = event.currentTarget.checked;
            }}
          />{" "}
          also those that had nothing to do
        </label>
      </div>
      {matching.length === 0 ? (
        <Notice>
          {managers.value.length === 0
            ? "No manager runs in the process that serves this page."
            : "No reconcile yet that did something."}
        </Notice>
      ) : (
        <ul class="reconciles">
          {matching
            .slice(-most)
            .toReversed()
            .map((record) => (
              <Reconcile key={record.id} record={record} />
            ))}
        </ul>
      )}
    </section>
  );
}

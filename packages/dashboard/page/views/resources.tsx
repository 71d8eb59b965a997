// Every kind, and the table of the one that is chosen, as the server prints it.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ColumnInfo, KindInfo, RowInfo } from "../../src/protocol.js";
import { subscribe } from "../connection.js";
import { Health } from "../parts/health.js";
import { Notice } from "../parts/notice.js";
import { Scroll } from "../parts/scroll.js";
import { Age } from "../parts/time.js";
import { objectLink, tableLink } from "../route.js";
import { kinds, namespace, objects } from "../store.js";

const columns = signal<readonly ColumnInfo[] | undefined>(undefined);
const rows = signal<ReadonlyMap<string, RowInfo>>(new Map());
const problem = signal<string | undefined>(undefined);
const filter = signal("");
const most = 500;

export function Resources({
  route: [group = "", version = "", plural = ""],
}: {
  readonly route: readonly string[];
}) {
  const known = kinds.value;
  const chosen = known.find(
    (kind) =>
      kind.group === (group === "-" ? "" : group) && kind.version === version && kind.plural === plural,
  );
  return (
    <div class="resources">
      <nav aria-label="Kinds">
        <KindList title="Custom" kinds={known.filter(({ custom }) => custom)} chosen={chosen} />
        <KindList title="Built in" kinds={known.filter(({ custom }) => !custom)} chosen={chosen} />
      </nav>
      <section>
        {chosen ? (
          <KindTable key={`${group}/${plural}/${namespace.value}`} kind={chosen} />
        ) : (
          <Choose isKnown={known.length > 0} plural={plural} />
        )}
      </section>
    </div>
  );
}

function Choose({ isKnown, plural }: { readonly isKnown: boolean; readonly plural: string }) {
  if (!isKnown) return <Notice>Reading the kinds of the server.</Notice>;
  if (plural !== "") return <Notice kind="warning">The server has no {plural}.</Notice>;
  return <Notice>Choose a kind.</Notice>;
}

function KindList(given: {
  readonly title: string;
  readonly kinds: readonly KindInfo[];
  readonly chosen: KindInfo | undefined;
}) {
  if (given.kinds.length === 0) return null;
  const sorted = [...given.kinds].sort((one, other) => one.kind.localeCompare(other.kind));
  return (
    <>
      <h2>{given.title}</h2>
      <ul>
        {sorted.map((kind) => (
          <li key={`${kind.group}/${kind.plural}`}>
            <a
              href={tableLink(kind.group, kind.version, kind.plural)}
              title={`${kind.plural}.${kind.group}`}
              aria-current={kind === given.chosen ? "true" : undefined}
            >
              {kind.kind}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

function KindTable({ kind }: { readonly kind: KindInfo }) {
  useEffect(() => follow(kind), [kind.group, kind.plural]);
  const definitions = columns.value;
  const shownColumns = (definitions ?? [])
    .map((column, index) => ({ ...column, index }))
    .filter(({ priority }) => priority === 0);
  const matching = [...rows.value.values()].filter(({ name }) => name.includes(filter.value));
  return (
    <>
      <h1>{kind.kind}</h1>
      <p class="quiet">
        {kind.plural}
        {kind.group && `.${kind.group}`}/{kind.version} · {rows.value.size} objects
      </p>
      <label class="filter">
        Filter{" "}
        <input
          value={filter.value}
          onInput={(event) => {
            filter.value = event.currentTarget.value;
          }}
        />
      </label>
      {problem.value && <Notice kind="warning">{problem.value}</Notice>}
      {definitions === undefined ? (
        !problem.value && <Notice>Reading.</Notice>
      ) : matching.length === 0 ? (
        <Notice>There are none{namespace.value && ` in namespace ${namespace.value}`}.</Notice>
      ) : (
        <Scroll label={`${kind.kind} table`}>
          <table>
            <thead>
              <tr>
                {kind.namespaced && namespace.value === "" && <th scope="col">Namespace</th>}
                {shownColumns.map(({ name, description }) => (
                  <th key={name} scope="col" title={description}>
                    {name}
                  </th>
                ))}
                <th scope="col">Health</th>
              </tr>
            </thead>
            <tbody>
              {matching.slice(0, most).map((row) => (
                <Row key={row.uid} row={row} kind={kind} columns={shownColumns} />
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      {matching.length > most && <Notice>{matching.length - most} more; filter by name to see them.</Notice>}
    </>
  );
}

function Row(given: {
  readonly row: RowInfo;
  readonly kind: KindInfo;
  readonly columns: readonly (ColumnInfo & { readonly index: number })[];
}) {
  const { row, kind } = given;
  const summary = objects.value.get(row.uid);
  return (
    <tr>
      {kind.namespaced && namespace.value === "" && <td>{row.namespace}</td>}
      {given.columns.map(({ name, index }) => (
        <td key={name}>
          {name === "Name" ? (
            <a href={objectLink({ ...kind, namespace: row.namespace, name: row.name })}>{row.name}</a>
          ) : name === "Age" && summary ? (
            <Age time={summary.created} />
          ) : (
            String(row.cells[index] ?? "")
          )}
        </td>
      ))}
      <td>{summary && <Health object={summary} />}</td>
    </tr>
  );
}

function follow({ group, version, plural }: KindInfo): () => void {
  columns.value = undefined;
  rows.value = new Map();
  problem.value = undefined;
  filter.value = "";
  const topic = {
    topic: "table",
    resource: { group, version, plural },
    namespace: namespace.value || undefined,
  } as const;
  return subscribe(
    topic,
    (update) => {
      const next = new Map(update.columns ? [] : rows.value);
      for (const row of update.changed) next.set(row.uid, row);
      for (const uid of update.removed) next.delete(uid);
      if (update.columns) columns.value = update.columns;
      rows.value = next;
      problem.value = update.problem;
    },
    ({ message }) => {
      problem.value = message;
    },
  );
}

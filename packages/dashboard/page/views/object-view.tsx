// Everything about one object.
import { useEffect, useState } from "preact/hooks";
import type { Failure, ObjectName, ObjectUpdate } from "../../src/protocol.js";
import { subscribe } from "../connection.js";
import { Health } from "../parts/health.js";
import { Notice } from "../parts/notice.js";
import { Reconcile } from "../parts/reconcile.js";
import { Scroll } from "../parts/scroll.js";
import { Age } from "../parts/time.js";
import { objectLink, objectOf, tableLink } from "../route.js";
import { objects, reconciles } from "../store.js";
import { Graph } from "./graph.js";
import { familiesOf } from "./graph-layout.js";
import { Members } from "./members.js";
import { YamlEditor } from "./yaml-editor.js";

const tabs = ["Status", "Members", "YAML", "Events", "Timeline", "Changes", "Fields", "Graph"] as const;
type Tab = (typeof tabs)[number];

export function ObjectView({ route }: { readonly route: readonly string[] }) {
  const name = objectOf(route);
  const [update, setUpdate] = useState<ObjectUpdate | undefined>();
  const [failure, setFailure] = useState<Failure | undefined>();
  const [tab, setTab] = useState<Tab>("Status");
  useEffect(
    () =>
      subscribe(
        { topic: "object", object: name },
        (next) => {
          setUpdate(next);
          setFailure(undefined);
        },
        setFailure,
      ),
    [],
  );
  return (
    <section class="object">
      <p class="quiet">
        <a href={tableLink(name.group, name.version, name.plural)}>{name.plural}</a>
        {name.namespace && ` in ${name.namespace}`}
      </p>
      <h1>
        {name.name} {update?.summary && <Health object={update.summary} />}
      </h1>
      {failure && <Notice kind="warning">{failure.message}</Notice>}
      {!update && !failure && <Notice>Reading.</Notice>}
      {update && !update.object && <Notice kind="warning">There is no such object, or not any more.</Notice>}
      {update && (
        <>
          <div class="tabs" role="tablist" aria-label="Parts of the object">
            {tabs
              .filter((each) => each !== "Members" || update.summary?.members)
              .map((each) => (
                <button
                  key={each}
                  type="button"
                  role="tab"
                  aria-selected={each === tab}
                  onClick={() => setTab(each)}
                >
                  {each}
                  {each === "Events" && update.events.length > 0 && ` (${update.events.length})`}
                </button>
              ))}
          </div>
          <div role="tabpanel" aria-label={tab}>
            <Panel tab={tab} name={name} update={update} />
          </div>
        </>
      )}
    </section>
  );
}

function Panel({
  tab,
  name,
  update,
}: {
  readonly tab: Tab;
  readonly name: ObjectName;
  readonly update: ObjectUpdate;
}) {
  switch (tab) {
    case "Status":
      return <Status update={update} />;
    case "Members":
      return <Members of={update.summary} />;
    case "YAML":
      return (
        <YamlEditor yaml={update.yaml ?? ""} isSecret={name.group === "" && name.plural === "secrets"} />
      );
    case "Events":
      return <Events update={update} />;
    case "Timeline":
      return <History name={name} kind={update.summary?.kind ?? ""} />;
    case "Changes":
      return <Changes update={update} />;
    case "Fields":
      return <Fields update={update} />;
    case "Graph":
      return update.summary ? <Graph objects={familiesOf(objects.value, [update.summary.uid])} /> : null;
  }
}

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

function Status({ update: { object, summary } }: { readonly update: ObjectUpdate }) {
  const status = object?.["status"] as { readonly conditions?: readonly Condition[] } | undefined;
  const conditions = Array.isArray(status?.conditions) ? (status.conditions as readonly Condition[]) : [];
  const { conditions: _, ...rest } = (status ?? {}) as Record<string, unknown>;
  const owners = (summary?.owners ?? [])
    .map((uid) => objects.value.get(uid))
    .filter((owner) => owner !== undefined);
  return (
    <>
      {summary?.message && <p>{summary.message}</p>}
      {owners.length > 0 && (
        <p>
          Owned by{" "}
          {owners.map((owner) => (
            <a key={owner.uid} href={objectLink(owner)}>
              {owner.kind} {owner.name}{" "}
            </a>
          ))}
        </p>
      )}
      {conditions.length === 0 ? (
        <Notice>It has no conditions.</Notice>
      ) : (
        <Scroll label="Conditions">
          <table>
            <thead>
              <tr>
                <th scope="col">Condition</th>
                <th scope="col">Status</th>
                <th scope="col">Since</th>
                <th scope="col">Reason</th>
                <th scope="col">Message</th>
              </tr>
            </thead>
            <tbody>
              {conditions.map((condition) => (
                <tr key={condition.type}>
                  <td>{condition.type}</td>
                  <td>{condition.status}</td>
                  <td>
                    <Age time={condition.lastTransitionTime} />
                  </td>
                  <td>{condition.reason}</td>
                  <td>{condition.message}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      {Object.keys(rest).length > 0 && <pre>{JSON.stringify(rest, undefined, 2)}</pre>}
    </>
  );
}

function Events({ update: { events } }: { readonly update: ObjectUpdate }) {
  if (events.length === 0) return <Notice>No events; the server keeps them for an hour.</Notice>;
  return (
    <Scroll label="Events">
      <table>
        <thead>
          <tr>
            <th scope="col">Last seen</th>
            <th scope="col">Type</th>
            <th scope="col">Reason</th>
            <th scope="col">Message</th>
            <th scope="col">From</th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <tr key={event.uid} class={event.type === "Warning" ? "warning" : ""}>
              <td>
                <Age time={event.last} /> {event.count > 1 && `(${event.count} times)`}
              </td>
              <td>{event.type}</td>
              <td>{event.reason}</td>
              <td>{event.message}</td>
              <td>{event.source}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function History({ name, kind }: { readonly name: ObjectName; readonly kind: string }) {
  const key = name.namespace === undefined ? name.name : `${name.namespace}/${name.name}`;
  const own = reconciles.value.filter((record) => record.kind === kind && record.key === key);
  const writers = reconciles.value.filter((record) =>
    record.writes.some((write) => write.kind === kind && write.key === key),
  );
  const all = [...new Set([...own, ...writers])].sort((one, other) => other.id - one.id);
  if (all.length === 0)
    return <Notice>No controller in this process has reconciled or written it lately.</Notice>;
  return (
    <ul class="reconciles">
      {all.slice(0, 50).map((record) => (
        <Reconcile key={record.id} record={record} />
      ))}
    </ul>
  );
}

function Changes({ update: { changes } }: { readonly update: ObjectUpdate }) {
  if (changes.length === 0) return <Notice>It has not changed since this page was opened.</Notice>;
  return (
    <ol class="changes">
      {changes.map((change) => (
        <li key={change.resourceVersion}>
          <Age time={change.seen} /> ago, version {change.resourceVersion}
          <Scroll label="Changed fields">
            <table>
              <tbody>
                {change.fields.map((field) => (
                  <tr key={field.path}>
                    <th scope="row">{field.path}</th>
                    <td>
                      {field.before !== undefined && <del>{field.before}</del>}{" "}
                      {field.after !== undefined && <ins>{field.after}</ins>}
                    </td>
                    <td class="quiet">{field.manager && `by ${field.manager}`}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        </li>
      ))}
    </ol>
  );
}

function Fields({ update: { managers } }: { readonly update: ObjectUpdate }) {
  if (managers.length === 0) return <Notice>The server keeps no managed fields of it.</Notice>;
  return (
    <>
      {managers.map((owner, index) => (
        <details key={index} open>
          <summary>
            <b>{owner.manager}</b> {owner.operation}
            {owner.subresource && ` of ${owner.subresource}`} · {owner.fields.length} fields ·{" "}
            <Age time={owner.time} /> ago
          </summary>
          <ul class="fields">
            {owner.fields.map((field) => (
              <li key={field}>
                <code>{field}</code>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </>
  );
}

// What can be done to the cluster: apply a text, and on an embedded one the controls it has.
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { Applied, Call, SnapshotInfo } from "../../src/protocol.js";
import { about, call } from "../connection.js";
import { Notice } from "../parts/notice.js";
import { Age } from "../parts/time.js";
import { namespace, objects } from "../store.js";

const message = signal<{ readonly text: string; readonly isProblem: boolean } | undefined>(undefined);

async function run(what: Call, done: (value: unknown) => string): Promise<void> {
  try {
    message.value = { text: done(await call(what)), isProblem: false };
  } catch (error) {
    message.value = { text: (error as Error).message, isProblem: true };
  }
}

export function Cluster() {
  const controls = new Set(about.value?.controls);
  return (
    <section class="cluster">
      <h1>Cluster</h1>
      <p class="quiet">
        {about.value?.server} · Kubernetes {about.value?.version}
      </p>
      {message.value && (
        <Notice kind={message.value.isProblem ? "warning" : "info"}>{message.value.text}</Notice>
      )}
      <ApplyBox />
      <DeletePod />
      {controls.has("advance-time") && <AdvanceTime />}
      {controls.has("stop-node") && <Nodes />}
      {controls.has("faults") && <Faults />}
      {controls.has("snapshots") && <Snapshots />}
    </section>
  );
}

function Control({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <fieldset>
      <legend>{title}</legend>
      {children}
    </fieldset>
  );
}

const text = signal("");

function ApplyBox() {
  const apply = (force: boolean): void =>
    void run(
      { call: "apply", yaml: text.value, force, namespace: namespace.value || undefined },
      (value) =>
        `Applied ${(value as readonly Applied[]).map(({ kind, name }) => `${kind} ${name}`).join(", ")}.`,
    );
  return (
    <Control title="Apply YAML">
      <textarea
        class="yaml"
        rows={8}
        aria-label="YAML to apply"
        spellcheck={false}
        placeholder={"apiVersion: …\nkind: …"}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
      />
      <div class="actions">
        <button type="button" onClick={() => apply(false)}>
          Apply
        </button>
        <button type="button" onClick={() => apply(true)}>
          Apply and take fields over
        </button>
      </div>
    </Control>
  );
}

const pod = signal("");

function DeletePod() {
  const pods = [...objects.value.values()].filter((object) => object.kind === "Pod" && object.group === "");
  const chosen = pods.find(({ uid }) => uid === pod.value);
  return (
    <Control title="Kill a pod">
      <label>
        Pod{" "}
        <select
          value={pod.value}
          onChange={(event) => {
            pod.value = event.currentTarget.value;
          }}
        >
          <option value="">choose</option>
          {pods.map((each) => (
            <option key={each.uid} value={each.uid}>
              {each.namespace}/{each.name}
            </option>
          ))}
        </select>
      </label>
      <button
        type="button"
        disabled={!chosen}
        onClick={() =>
          chosen && void run({ call: "delete", object: chosen }, () => `Pod ${chosen.name} is being deleted.`)
        }
      >
        Delete
      </button>
    </Control>
  );
}

const steps = [
  ["1 minute", 60_000],
  ["10 minutes", 600_000],
  ["1 hour", 3_600_000],
  ["1 day", 86_400_000],
] as const;

function AdvanceTime() {
  return (
    <Control title="Advance time">
      {steps.map(([name, milliseconds]) => (
        <button
          key={name}
          type="button"
          onClick={() =>
            void run({ call: "advance-time", milliseconds }, () => `The cluster is ${name} further.`)
          }
        >
          {name}
        </button>
      ))}
    </Control>
  );
}

function Nodes() {
  const nodes = [...objects.value.values()].filter((object) => object.kind === "Node" && object.group === "");
  return (
    <Control title="Nodes">
      {nodes.map(({ uid, name }) => (
        <p key={uid}>
          {name}{" "}
          <button
            type="button"
            onClick={() =>
              void run(
                { call: "stop-node", node: name, stopped: true },
                () => `Node ${name} no longer answers.`,
              )
            }
          >
            Stop
          </button>
          <button
            type="button"
            onClick={() =>
              void run({ call: "stop-node", node: name, stopped: false }, () => `Node ${name} answers again.`)
            }
          >
            Start
          </button>
        </p>
      ))}
    </Control>
  );
}

const fault = signal({ verb: "update", resource: "*", status: 500, percent: 50 });

function Faults() {
  const { verb, resource, status, percent } = fault.value;
  const change = (part: Partial<typeof fault.value>): void => {
    fault.value = { ...fault.value, ...part };
  };
  return (
    <Control title="Let requests fail">
      <label>
        Verb{" "}
        <select value={verb} onChange={(event) => change({ verb: event.currentTarget.value })}>
          {["*", "get", "list", "watch", "create", "update", "patch", "delete"].map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      <label>
        Resource{" "}
        <input value={resource} onInput={(event) => change({ resource: event.currentTarget.value })} />
      </label>
      <label>
        Status{" "}
        <select
          value={String(status)}
          onChange={(event) => change({ status: Number(event.currentTarget.value) })}
        >
          {[409, 429, 500, 503].map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      <label>
        Percent{" "}
        <input
          type="number"
          min="1"
          max="100"
          value={percent}
          onInput={(event) => change({ percent: Number(event.currentTarget.value) })}
        />
      </label>
      <button
        type="button"
        onClick={() =>
          void run(
            { call: "inject-fault", fault: fault.value },
            () => `${percent} % of ${verb} ${resource} fail with ${status}.`,
          )
        }
      >
        Inject
      </button>
      <button
        type="button"
        onClick={() => void run({ call: "clear-faults" }, () => "All requests are served again.")}
      >
        Clear
      </button>
    </Control>
  );
}

const snapshots = signal<readonly SnapshotInfo[]>([]);
const snapshotName = signal("");

async function readSnapshots(): Promise<void> {
  try {
    snapshots.value = (await call({ call: "snapshots" })) as readonly SnapshotInfo[];
  } catch (error) {
    message.value = { text: (error as Error).message, isProblem: true };
  }
}

function Snapshots() {
  useEffect(() => void readSnapshots(), []);
  const name = snapshotName.value.trim() || `snapshot ${snapshots.value.length + 1}`;
  const take = async (): Promise<void> => {
    await run({ call: "take-snapshot", name }, () => `The state of now is kept as ${name}.`);
    snapshotName.value = "";
    await readSnapshots();
  };
  return (
    <Control title="Snapshots">
      <label>
        Name{" "}
        <input
          value={snapshotName.value}
          placeholder={name}
          onInput={(event) => {
            snapshotName.value = event.currentTarget.value;
          }}
        />
      </label>
      <button type="button" onClick={() => void take()}>
        Take
      </button>
      {snapshots.value.length > 0 && (
        <ul class="snapshots">
          {snapshots.value.map((each) => (
            <li key={each.name}>
              <button
                type="button"
                aria-label={`Restore ${each.name}`}
                onClick={() =>
                  void run(
                    { call: "restore-snapshot", name: each.name },
                    () => `All objects are as they were in ${each.name}; time goes on.`,
                  )
                }
              >
                Restore
              </button>
              {each.name}{" "}
              <span class="quiet">
                {each.objects} objects, <Age time={each.time} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Control>
  );
}

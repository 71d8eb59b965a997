// Controllers at work: queues, retries, rates and latencies, and which objects take most.
import { signal } from "@preact/signals";
import type { ControllerInfo, ManagerInfo, ReconcileInfo } from "../../src/protocol.js";
import { call } from "../connection.js";
import { Notice } from "../parts/notice.js";
import { Plot } from "../parts/plot.js";
import { Age, duration } from "../parts/time.js";
import { managers, reconciles, samples } from "../store.js";

const problem = signal<string | undefined>(undefined);

export function Controllers() {
  if (managers.value.length === 0)
    return (
      <Notice>
        No manager runs in the process that serves this page. `kubewright dev` and `make run` show theirs
        here.
      </Notice>
    );
  return (
    <>
      {problem.value && <Notice kind="warning">{problem.value}</Notice>}
      {managers.value.map((manager) => (
        <section key={manager.name}>
          <h1>
            {manager.name} <span class="quiet">{manager.isLeader ? "works" : "waits for its lease"}</span>
          </h1>
          {manager.controllers.map((controller) => (
            <Controller key={controller.name} manager={manager} controller={controller} />
          ))}
        </section>
      ))}
    </>
  );
}

function Controller({
  manager,
  controller,
}: {
  readonly manager: ManagerInfo;
  readonly controller: ControllerInfo;
}) {
  const known = samples.value.get(`${manager.name}/${controller.name}`) ?? [];
  const times = known.map(({ time }) => time);
  return (
    <article class="controller">
      <h2>
        {controller.name} <span class="quiet">for {controller.kind}</span>{" "}
        <button
          type="button"
          aria-pressed={controller.paused}
          onClick={() => void pause(manager, controller)}
        >
          {controller.paused ? "Resume" : "Pause"}
        </button>
      </h2>
      <dl class="figures">
        <Figure name="waiting" value={controller.waiting} />
        <Figure name="in flight" value={controller.inFlight} />
        <Figure name="due later" value={controller.delayed} />
        <Figure name="retries" value={controller.retries.length} />
      </dl>
      <div class="plots">
        <Plot
          title="reconciles per second"
          times={times}
          lines={[
            { label: "all", colour: "#2f6fdd", values: known.map((sample) => sample.reconciles) },
            { label: "failed", colour: "#c8353a", values: known.map((sample) => sample.failures) },
          ]}
        />
        <Plot
          title="milliseconds"
          times={times}
          lines={[
            { label: "median", colour: "#2f6fdd", values: known.map((sample) => sample.median) },
            { label: "longest", colour: "#b06f00", values: known.map((sample) => sample.longest) },
          ]}
        />
        <Plot
          title="queue"
          times={times}
          lines={[{ label: "waiting", colour: "#2f6fdd", values: known.map((sample) => sample.waiting) }]}
        />
      </div>
      {controller.retries.length > 0 && (
        <ul>
          {controller.retries.map(({ key, failures, due }) => (
            <li key={key}>
              {key}: failed {failures} times
              {due && (
                <>
                  , next <Age time={due} />
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      <Worst
        records={reconciles.value.filter(
          (record) => record.manager === manager.name && record.controller === controller.name,
        )}
      />
    </article>
  );
}

const Figure = ({ name, value }: { readonly name: string; readonly value: number }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);

/** The slowest and the most failing objects of the reconciles that are known. */
function Worst({ records }: { readonly records: readonly ReconcileInfo[] }) {
  if (records.length === 0) return null;
  const byKey = Map.groupBy(records, ({ key }) => key);
  const slowest = [...records].sort((one, other) => other.duration - one.duration).slice(0, 3);
  const failing = [...byKey]
    .map(([key, all]) => ({ key, count: all.filter(({ outcome }) => outcome === "failure").length }))
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.count - one.count)
    .slice(0, 3);
  return (
    <p class="quiet">
      Slowest: {slowest.map(({ key, duration: took }) => `${key} (${duration(took)})`).join(", ")}.
      {failing.length > 0 &&
        ` Failed most: ${failing.map(({ key, count }) => `${key} (${count} times)`).join(", ")}.`}
    </p>
  );
}

async function pause({ name }: ManagerInfo, { name: controller, paused }: ControllerInfo): Promise<void> {
  try {
    await call({ call: "pause-controller", manager: name, controller, paused: !paused });
    problem.value = undefined;
  } catch (error) {
    problem.value = (error as Error).message;
  }
}

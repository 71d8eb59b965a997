// The operators that are measured: what is installed for each, what one of its schedules is, and what else goes on meanwhile.
import { CustomResourceDefinition, Job } from "@kubewright/api";
import { customKindsOf } from "@kubewright/runtime";
import crontab from "../../operators/crontab/dist/main.js";
import scaler from "../../operators/scheduled-scaler/dist/main.js";

const namespace = "default";
const Hpa = customKindsOf(scaler).find(({ kind }) => kind === "Hpa");
const [CronTab] = customKindsOf(crontab);
const target = { group: "bench.example.com", version: "v1", kind: "Counter", plural: "counters" };
const Counter = {
  ...target,
  singular: "counter",
  scope: "Namespaced",
  shortNames: [],
  categories: [],
  verbs: [],
  subresources: [],
};

export const subjects = {
  "scheduled-scaler": {
    manager: scaler,
    async install(client) {
      await client.create(CustomResourceDefinition, counterDefinition);
      for (const kind of customKindsOf(scaler)) await installed(client, kind);
    },
    /** Sizes alternate from run to run, so that every run scales. */
    async create(client, name, { second, every }) {
      const scaleTarget = { apiVersion: "bench.example.com/v1", kind: "Counter", name };
      const jobs = [
        { name: "even", schedule: `${second} */${2 * every} * * * *`, size: 3 },
        {
          name: "odd",
          schedule: `${second} ${every}/${2 * every} * * * *`,
          size: 5,
          timeZone: "Europe/Berlin",
        },
      ];
      await client.create(Counter, { metadata: { name, namespace }, spec: { count: 1 } });
      await client.create(Hpa, { metadata: { name, namespace }, spec: { scaleTarget, jobs } });
    },
  },
  crontab: {
    manager: crontab,
    install: (client) => installed(client, CronTab),
    create: (client, name, { second, every }) =>
      client.create(CronTab, {
        metadata: { name, namespace },
        spec: { cronSpec: `${second} */${every} * * * *`, image: "busybox" },
      }),
    accompany: finishJobs,
  },
};

async function installed(client, kind) {
  await client.create(CustomResourceDefinition, kind.crd());
  await new Promise((resolve) => setTimeout(resolve, 1_000));
}

/** What nodes and the Job controller would do: every Job succeeds, as soon as there is time for it. */
function finishJobs(client) {
  const stop = new AbortController();
  const waiting = [];
  const finish = async () => {
    while (!stop.signal.aborted) {
      const name = waiting.shift();
      if (name === undefined) await new Promise((resolve) => setTimeout(resolve, 100));
      else await succeed(client, name).catch((error) => error.code === 404 || console.error(error.message));
    }
  };
  const watch = async () => {
    for await (const { type, object } of client.watch(Job, { namespace, signal: stop.signal }))
      if (type === "ADDED") waiting.push(object.metadata.name);
  };
  const all = [watch().catch(() => undefined), ...Array.from({ length: 16 }, finish)];
  return async () => {
    stop.abort(new Error("enough"));
    await Promise.all(all);
  };
}

function succeed(client, name) {
  const now = new Date().toISOString().replace(/\.\d+Z$/, "Z");
  const about = { status: "True", lastProbeTime: now, lastTransitionTime: now };
  const conditions = ["SuccessCriteriaMet", "Complete"].map((type) => ({ type, ...about }));
  const status = { startTime: now, completionTime: now, succeeded: 1, conditions };
  return client.patch(Job, name, { merge: { status } }, { namespace, subresource: "status" });
}

const counterDefinition = {
  metadata: { name: "counters.bench.example.com" },
  spec: {
    group: target.group,
    scope: "Namespaced",
    names: { plural: target.plural, singular: "counter", kind: target.kind },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { scale: { specReplicasPath: ".spec.count", statusReplicasPath: ".status.count" } },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", properties: { count: { type: "integer" } } } },
          },
        },
      },
    ],
  },
};

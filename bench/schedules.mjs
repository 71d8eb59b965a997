// 10,000 timetables that fire in the same second of every minute, each scaling an object of its own: how long after that second
// the last reconcile begins and ends, and how much memory the operator's process takes. The API server, over TLS, has a
// process of its own. COUNT=1000 does less.
import { fileURLToPath } from "node:url";
import { CustomResourceDefinition } from "@kubewright/api";
import { Client, undiciTransport } from "@kubewright/client";
import { customKindsOf, startManager } from "@kubewright/runtime";
import scaler from "../operators/scheduled-scaler/dist/main.js";
import { ask, end, next, start, unbundled } from "./operator-suite/processes.mjs";

const namespace = "default";
const count = Number(process.env.COUNT ?? (process.env.QUICK ? 1_000 : 10_000));
const second = 30;
/** As a container of limited memory would start it: what is no longer needed goes sooner. */
const heap = "--max-old-space-size=128 --max-semi-space-size=4";
const limits = { beginMs: 1_000, memoryMb: 200 };
const [Hpa] = customKindsOf(scaler);
const target = {
  group: "bench.example.com",
  version: "v1",
  kind: "Counter",
  plural: "counters",
  singular: "counter",
};
const Counter = {
  ...target,
  scope: "Namespaced",
  shortNames: [],
  categories: [],
  verbs: [],
  subresources: [],
};

if (process.env.BENCH) await operate(JSON.parse(process.env.BENCH));
else await main();

async function main() {
  const server = start(unbundled("server"));
  const { url, ca, token } = await next(server);
  const client = new Client({ transport: undiciTransport({ server: url, ca, token }) });
  await install(client);
  await fill(client);
  // The first life of the operator looks at everything once; what is measured is the second.
  const first = start(fileURLToPath(import.meta.url), { url, ca, token });
  await next(first);
  await end(first);
  const operator = start(fileURLToPath(import.meta.url), { url, ca, token }, { NODE_OPTIONS: heap });
  await next(operator);
  const results = [];
  for (let round = 0; round < 2; round++) results.push(await ask(operator, round));
  for (const result of results) console.log(describe(result));
  await end(operator);
  await end(server);
  await client.close();
  const isGood = results.every(
    ({ last, rss, begun }) => begun === count && last < limits.beginMs && rss < limits.memoryMb,
  );
  console.log(isGood ? "within the limits" : `beyond the limits: ${JSON.stringify(limits)}`);
  process.exitCode = isGood || count !== 10_000 ? 0 : 1;
}

function describe({ begun, median, last, ended, rss }) {
  const [p50, p100, all] = [median, last, ended].map((time) => `${time.toFixed(0)} ms`);
  return `${begun} reconciles began ${p50} (median) to ${p100} (last) after they were due; all had ended after ${all}; ${rss.toFixed(0)} MB`;
}

async function install(client) {
  const crd = {
    metadata: { name: "counters.bench.example.com" },
    spec: {
      group: target.group,
      scope: "Namespaced",
      names: { plural: target.plural, singular: target.singular, kind: target.kind },
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
  await client.create(CustomResourceDefinition, crd);
  await client.create(CustomResourceDefinition, Hpa.crd());
  await new Promise((resolve) => setTimeout(resolve, 1_000));
}

/** Sizes alternate from minute to minute, so that every run scales. */
async function fill(client) {
  let index = 0;
  const worker = async () => {
    while (index < count) {
      const name = `s-${index++}`;
      const scaleTarget = { apiVersion: "bench.example.com/v1", kind: "Counter", name };
      const jobs = [
        { name: "even", schedule: `${second} */2 * * * *`, size: 3 },
        { name: "odd", schedule: `${second} 1/2 * * * *`, size: 5, timeZone: "Europe/Berlin" },
      ];
      await client.create(Counter, { metadata: { name, namespace }, spec: { count: 1 } });
      await client.create(Hpa, { metadata: { name, namespace }, spec: { scaleTarget, jobs } });
    }
  };
  await Promise.all(Array.from({ length: 32 }, worker));
}

/** The operator's process. Asked, it tells what happened at the next moment at which all is due. */
async function operate({ url, ca, token }) {
  const client = new Client({ transport: undiciTransport({ server: url, ca, token }) });
  let began = [];
  let finished = 0;
  let lastEnd = 0;
  const controllers = scaler.controllers.map((controller) => ({
    ...controller,
    async reconcile(object, ctx) {
      began.push(Date.now());
      const result = await controller.reconcile(object, ctx);
      finished += 1;
      lastEnd = Date.now();
      return result;
    },
  }));
  const options = {
    client,
    webhooks: false,
    preflight: "off",
    onError: (where, error) => console.error(where, error),
  };
  await startManager({ ...scaler, controllers, webhooks: [] }, options);
  let seen = -1;
  // Until everything was looked at, and the last of it has come to rest.
  while (finished < count || seen !== finished) {
    seen = finished;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  process.on("message", async () => {
    const due = Math.ceil((Date.now() + 2_000 - second * 1_000) / 60_000) * 60_000 + second * 1_000;
    while (Date.now() < due - 500) await new Promise((resolve) => setTimeout(resolve, 100));
    began = [];
    finished = 0;
    let rss = 0;
    while (finished < count && Date.now() < due + 50_000) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      rss = Math.max(rss, process.memoryUsage.rss() / 1e6);
    }
    const late = began.map((time) => time - due).sort((a, b) => a - b);
    const median = late[Math.floor(late.length / 2)] ?? 0;
    process.send({ begun: late.length, median, last: late.at(-1) ?? 0, ended: lastEnd - due, rss });
  });
  process.send("ready");
}

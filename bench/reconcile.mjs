// How fast a controller works: 10,000 reconciles that do nothing, 10,000 that find their child settled, and the latency
// from the answer of a write to the reconcile it causes. One worker, the embedded server in the same process.
import { ConfigMap, Secret } from "@kubewright/api";
import { createApiServer } from "@kubewright/apiserver";
import { Client } from "@kubewright/client";
import { channel, defineController, defineManager, startManager } from "@kubewright/runtime";

const count = 10_000;
const rounds = 30;
const namespace = "default";
const server = createApiServer();
const client = new Client({ transport: server.transport() });
const names = Array.from({ length: count }, (_, index) => `object-${index}`);
const data = { text: "x".repeat(1_000) };
for (const name of names) await client.create(ConfigMap, { metadata: { name, namespace }, data });

await drain("reconciles that do nothing", { reconcile: () => undefined }, 150_000);
await drain("async reconciles that do nothing", { reconcile: async () => undefined }, 0);
await drain("reconciles that find their child settled", {
  owns: [Secret],
  reconcile: (map, ctx) =>
    ctx.apply(Secret, {
      metadata: { name: map.metadata.name, labels: { app: "bench", tier: "one" } },
      data: { password: "c2VjcmV0", user: "YWRtaW4=" },
    }),
});
await latency();
server.close();

/** Wakes every key at once, over and over; what counts is the median round. */
async function drain(what, options, floor = 0) {
  const pokes = channel("pokes");
  let left = count;
  let finish;
  const reconcile = options.reconcile;
  const controller = defineController(ConfigMap, {
    ...options,
    labelSelector: "!kubernetes.io/ignored",
    sources: [pokes],
    reconcile(map, ctx) {
      if (--left === 0) finish();
      return reconcile(map, ctx);
    },
  });
  const done = new Promise((resolve) => {
    finish = resolve;
  });
  const manager = await startManager(defineManager({ name: "bench", controllers: [controller] }), {
    client,
    preflight: "off",
    onError: (where, error) => console.error(where, error),
  });
  await done;
  const times = [];
  const costs = [];
  for (let round = 0; round < rounds; round++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    left = count;
    const again = new Promise((resolve) => {
      finish = resolve;
    });
    const cpu = process.cpuUsage();
    const start = performance.now();
    for (const name of names) pokes.send(`${namespace}/${name}`);
    await again;
    times.push(performance.now() - start);
    const { user, system } = process.cpuUsage(cpu);
    costs.push((user + system) / count);
  }
  await manager.close();
  const rate = Math.round((count / median(times)) * 1000);
  const aim = floor ? ` (aim: at least ${floor.toLocaleString("en")}/s)` : "";
  console.log(`${what}: ${rate.toLocaleString("en")}/s, ${median(costs).toFixed(1)} µs of CPU each${aim}`);
}

function median(values) {
  return values.sort((one, other) => one - other)[values.length >> 1];
}

/** 50 updates a second with everything cached. */
async function latency() {
  let written = 0;
  const taken = [];
  const waiting = new Map();
  const controller = defineController(ConfigMap, {
    reconcile(map) {
      const at = waiting.get(map.metadata.resourceVersion);
      if (at !== undefined) taken.push(performance.now() - at);
      waiting.delete(map.metadata.resourceVersion);
    },
  });
  const manager = await startManager(defineManager({ name: "bench", controllers: [controller] }), {
    client,
    preflight: "off",
  });
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  while (written < 200) {
    const name = names[(written * 37) % count];
    const answer = await client.patch(
      ConfigMap,
      name,
      { merge: { data: { n: String(written++) } } },
      { namespace },
    );
    waiting.set(answer.metadata.resourceVersion, performance.now());
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await manager.close();
  taken.sort((a, b) => a - b);
  const at = (share) => taken[Math.min(taken.length - 1, Math.floor(taken.length * share))]?.toFixed(2);
  console.log(
    `from a write's answer to its reconcile: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms (${taken.length} of ${written})`,
  );
}

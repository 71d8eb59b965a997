// How late reconciles start while the API server works on 100 of the largest requests: with the cluster in the operator's process, and
// with the cluster in a thread of its own, as `kubewright dev` and `kubewright run --embedded` have it. The requests come from a child process.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const requests = 100;
const connections = 4;
/** Milliseconds between two reconciles of one object. */
const interval = 20;

/** About the largest objects that can be stored: each key of a map is written twice, the second time in the managed fields. */
const contents = [
  () => Object.fromEntries(many(50_000, (index) => [`k${index}`, index])),
  () => ({ list: many(40_000, (index) => ({ name: `n${index}`, value: index })) }),
];
const many = (count, make) => Array.from({ length: count }, (_, index) => make(index));

/** The child: sends the requests, a few at a time, and reports how long each took. */
async function load() {
  const { clientFromKubeConfig, loadKubeConfig } = await import("@kubewright/client");
  const client = clientFromKubeConfig(await loadKubeConfig({ env: process.env }));
  const resource = await client.resource({ apiVersion: "bench.example.com/v1", kind: "Probe" });
  const bodies = contents.map((make) => make());
  const times = [];
  let next = 0;
  const send = async () => {
    while (next < requests) {
      const index = next++;
      const begin = performance.now();
      await client.create(resource, {
        apiVersion: "bench.example.com/v1",
        kind: "Probe",
        metadata: { name: `large-${index}`, namespace: "default", labels: { large: "true" } },
        spec: { free: bodies[index % bodies.length] },
      });
      times.push(performance.now() - begin);
    }
  };
  await Promise.all(many(connections, send));
  process.send(times);
  await client.close();
}

async function measure(cluster) {
  const { defineController, defineManager, startManager } = await import("@kubewright/runtime");
  const { defineResource, z } = await import("@kubewright/schema");
  const { clientFromKubeConfig, hasCondition, loadKubeConfig, waitFor } = await import("@kubewright/client");
  const { CustomResourceDefinition } = await import("@kubewright/api");
  const Probe = defineResource({
    group: "bench.example.com",
    version: "v1",
    kind: "Probe",
    spec: z.object({ free: z.looseObject({}).optional() }),
  });
  const folder = mkdtempSync(join(tmpdir(), "kubewright-bench-"));
  const path = join(folder, "kubeconfig");
  writeFileSync(path, cluster.kubeconfig, { mode: 0o600 });
  const client = clientFromKubeConfig(await loadKubeConfig({ path }));
  const crd = Probe.crd();
  await client.apply(CustomResourceDefinition, crd, { fieldManager: "bench", force: true });
  await waitFor(client, CustomResourceDefinition, crd.metadata.name, hasCondition("Established"));
  const delays = [];
  let due;
  const controller = defineController(Probe, {
    labelSelector: "!large",
    reconcile: () => {
      if (due !== undefined) delays.push(performance.now() - due);
      due = performance.now() + interval;
      return { requeueAfter: interval };
    },
  });
  const manager = await startManager(defineManager({ name: "probe", controllers: [controller] }), { client });
  await client.create(Probe, { metadata: { name: "small", namespace: "default" }, spec: {} });
  delays.length = 0;
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), "load"], {
    env: { ...process.env, KUBECONFIG: path },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const times = await new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("exit", (code) => reject(new Error(`the load ended with code ${code}`)));
  });
  await manager.close();
  await client.close();
  rmSync(folder, { recursive: true });
  return { delays, times };
}

const quantile = (values, share) => values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)];

if (process.argv[2] === "load") await load();
else {
  const { startCluster } = await import("@kubewright/cluster");
  const { startClusterThread } = await import("@kubewright/cluster/thread");
  const shared = async () => {
    const cluster = await startCluster();
    return { ...(await cluster.listen()), close: () => cluster.close() };
  };
  for (const [name, start] of [
    ["in the operator's process", shared],
    ["in a thread of its own", startClusterThread],
  ]) {
    const cluster = await start();
    const { delays, times } = await measure(cluster);
    await cluster.close();
    const [p50, p99, most] = [0.5, 0.99, 1].map((share) => quantile(delays, share).toFixed(0));
    console.log(
      `cluster ${name}: reconciles start ${p50} ms late (median), ${p99} ms (p99), ${most} ms (most), of ${delays.length}; the large requests take ${quantile(times, 0.5).toFixed(0)} ms (median), ${quantile(times, 1).toFixed(0)} ms (most)`,
    );
  }
}

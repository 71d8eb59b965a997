// Simulated nodes for an API server in another process, as `kubewright nodes` runs them: how fast nodes register and pods come to run, and
// what a pod costs. node bench/nodes.mjs [NODES] [PODS]; 1000 and 20000 unless given, 100 and 1000 with QUICK=1.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Pod } from "@kubewright/api";
import { clientFromKubeConfig, parseKubeConfig } from "@kubewright/client";
import { startCluster, startNodes } from "@kubewright/cluster";

const self = fileURLToPath(import.meta.url);
const namespace = "default";

if (process.argv[2] === "--server") {
  const cluster = await startCluster({ nodes: 0, controllers: ["serviceaccount", "csrsigning"] });
  const { kubeconfig } = await cluster.listen();
  process.send({ kubeconfig });
  process.on("message", () => process.send({ memory: process.memoryUsage().rss }));
} else {
  const quick = process.env.QUICK === "1";
  await measure(
    Number(process.argv[2] ?? (quick ? 100 : 1000)),
    Number(process.argv[3] ?? (quick ? 1000 : 20_000)),
  );
}

async function measure(nodeCount, podCount) {
  const server = fork(self, ["--server"], { execArgv: ["--max-old-space-size=8000"] });
  const { kubeconfig } = await new Promise((resolve) => server.once("message", resolve));
  const client = clientFromKubeConfig(await parseKubeConfig(kubeconfig, "bench"));
  const begun = performance.now();
  const perNode = Math.ceil(podCount / nodeCount);
  const specs = Array.from({ length: nodeCount }, () => ({
    capacity: { pods: String(Math.max(110, perNode)) },
  }));
  const nodes = await startNodes({ client, nodes: specs, kubelet: { anonymous: true } });
  const registered = (performance.now() - begun) / 1000;
  console.log(
    `${nodeCount} nodes in ${registered.toFixed(1)} s: ${Math.round(nodeCount / registered)} nodes/s`,
  );
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const running = counted(client, podCount);
  const start = performance.now();
  const places = Array.from({ length: podCount }, (_, at) => at);
  await Promise.all(Array.from({ length: 32 }, () => create(client, places, nodeCount)));
  const created = (performance.now() - start) / 1000;
  await running;
  const took = (performance.now() - start) / 1000;
  globalThis.gc?.();
  const memory = process.memoryUsage().rss - before;
  server.send("memory");
  const { memory: ofServer } = await new Promise((resolve) => server.once("message", resolve));
  console.log(
    `${podCount} pods created in ${created.toFixed(1)} s, all running after ${took.toFixed(1)} s: ${Math.round(podCount / took)} pods/s`,
  );
  console.log(
    `memory of the nodes: ${(memory / podCount / 1024).toFixed(1)} KiB per pod (${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB in all); of the API server: ${Math.round(ofServer / 2 ** 20)} MiB`,
  );
  await nodes.close();
  await client.close();
  server.kill("SIGKILL");
}

async function create(client, places, nodeCount) {
  for (let at = places.pop(); at !== undefined; at = places.pop())
    await client.create(Pod, {
      metadata: { name: `p-${at}`, namespace },
      spec: {
        nodeName: `node-${(at % nodeCount) + 1}`,
        automountServiceAccountToken: false,
        containers: [{ name: "c", image: "nginx:1.27" }],
      },
    });
}

/** Resolves when so many pods were seen running. */
async function counted(client, count) {
  const seen = new Set();
  const start = performance.now();
  for (;;) {
    for await (const { object } of client.watch(Pod, { namespace })) {
      if (object.status?.phase !== "Running" || seen.has(object.metadata.name)) continue;
      seen.add(object.metadata.name);
      if (seen.size % 10_000 === 0)
        console.error(`${seen.size} pods run after ${((performance.now() - start) / 1000).toFixed(0)} s`);
      if (seen.size === count) return;
    }
  }
}

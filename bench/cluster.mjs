// How fast the embedded cluster is: an empty suite, the first Ready pod, a large cluster, and a month in virtual time.
// node bench/cluster.mjs [start] [large] [month]: all of them unless named. Each runs in a process of its own.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { CronJob, Deployment, Job, Node, Pod, VirtualClock } from "@kubewright/api";
import { startCluster } from "@kubewright/cluster";

const namespace = "default";
const scenarios = { start, large, month };
const self = fileURLToPath(import.meta.url);

if (process.argv[2] === "--run") await scenarios[process.argv[3]]();
else {
  const wanted = process.argv.slice(2);
  let failed = false;
  for (const name of Object.keys(scenarios)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const flags = name === "large" ? ["--max-old-space-size=800"] : [];
    const { status } = spawnSync(process.execPath, [...flags, self, "--run", name], { stdio: "inherit" });
    failed ||= status !== 0;
  }
  process.exit(failed ? 1 : 0);
}

/** Prints a figure beside its bound; a figure out of bounds fails the run. */
function tell(what, value, bound, unit) {
  const isGood = value <= bound;
  console.log(`${isGood ? "ok  " : "SLOW"} ${what}: ${Math.round(value)} ${unit} (at most ${bound})`);
  if (!isGood) process.exitCode = 1;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

/** Milliseconds of CPU since a measurement: what a busy machine says of a run that its clock on the wall cannot. */
function cpuSince(before) {
  const { user, system } = process.cpuUsage(before);
  return Math.round((user + system) / 1000);
}

/** The first run is told apart: it compiles what the others reuse. */
async function start() {
  const suites = [];
  const pods = [];
  for (let round = 0; round < 9; round++) {
    const before = performance.now();
    const empty = await startCluster();
    await empty.close();
    suites.push(performance.now() - before);
    const again = performance.now();
    const cluster = await startCluster();
    await cluster.client.create(Pod, {
      metadata: { name: "first", namespace },
      spec: { containers: [{ name: "c", image: "web:1" }] },
    });
    for await (const { object } of cluster.client.watch(Pod, { namespace })) {
      if (object.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True")) break;
    }
    pods.push(performance.now() - again);
    await cluster.close();
  }
  tell("an empty suite, first", suites[0], 500, "ms");
  tell("an empty suite, median", median(suites), 150, "ms");
  tell("start to first Ready pod, first", pods[0], 250, "ms");
  tell("start to first Ready pod, median", median(pods), 250, "ms");
}

/** 1,000 nodes and 10,000 pods of 100 Deployments. */
async function large() {
  const nodes = 1_000;
  const deployments = 100;
  const replicas = 100;
  const before = performance.now();
  const cpu = process.cpuUsage();
  const cluster = await startCluster({ nodes });
  tell(`${nodes} nodes`, performance.now() - before, 20_000, "ms");
  for (let index = 0; index < deployments; index++) {
    const labels = { app: `web-${index}` };
    await cluster.client.create(Deployment, {
      metadata: { name: `web-${index}`, namespace },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "web:1" }] } },
      },
    });
  }
  let most = 0;
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    most = Math.max(most, process.memoryUsage().rss);
    const { items } = await cluster.client.list(Deployment, { namespace });
    const ready = items.reduce((sum, { status }) => sum + (status?.availableReplicas ?? 0), 0);
    if (process.env.VERBOSE)
      console.log(Math.round(performance.now() - before), ready, Math.round(most / 1e6));
    if (ready === deployments * replicas) break;
  }
  tell(`${nodes} nodes and ${deployments * replicas} pods Ready`, performance.now() - before, 60_000, "ms");
  tell("memory of the process at most", most / 1e6, 1_000, "MB");
  console.log(`     ${cpuSince(cpu)} ms of CPU`);
  console.log(`     ${(await cluster.client.list(Node)).items.length} nodes`);
  await cluster.close();
}

/** Every five minutes a Job whose pod ends at once. */
async function month() {
  const days = 30;
  const clock = new VirtualClock();
  const cluster = await startCluster({ clock, seed: "month" });
  await clock.settle();
  const container = { name: "c", image: "tool:1", command: ["sh", "-c", "true"] };
  const podSpec = { restartPolicy: "Never", containers: [container] };
  await cluster.client.create(CronJob, {
    metadata: { name: "tick", namespace },
    spec: { schedule: "*/5 * * * *", jobTemplate: { spec: { template: { spec: podSpec } } } },
  });
  const completed = new Set();
  const stop = new AbortController();
  const watch = { namespace, signal: stop.signal, timeoutSeconds: 40 * 86_400 };
  const counting = (async () => {
    for await (const { object } of cluster.client.watch(Job, watch))
      if (object.status?.succeeded === 1) completed.add(object.metadata?.uid);
  })().catch(() => undefined);
  const before = performance.now();
  const cpu = process.cpuUsage();
  await clock.advance(days * 24 * 60 * 60_000);
  const spent = cpuSince(cpu);
  tell(`${days} days of a five-minute CronJob`, performance.now() - before, 60_000, "ms");
  console.log(`     ${spent} ms of CPU, ${Math.round(process.memoryUsage().rss / 1e6)} MB`);
  if (completed.size !== days * 288) {
    console.log(`WRONG ${completed.size} runs completed instead of ${days * 288}`);
    process.exitCode = 1;
  } else console.log(`     ${completed.size} runs completed`);
  stop.abort();
  await counting;
  await cluster.close();
}

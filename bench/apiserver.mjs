// The embedded API server: how fast it is ready, what it carries, and how long it keeps others waiting. The server runs in
// a child process of its own; the load comes from this one, over TLS, on loopback. With QUICK=1 there is less of it.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { fileURLToPath } from "node:url";

const quick = Boolean(process.env.QUICK);
const objects = quick ? 2_000 : 10_000;
const connections = 16;

/** The child: a cluster, and answers to questions about its memory, its work and its delays since the last question. */
async function serve() {
  const started = performance.now();
  const { startCluster } = await import("@kubewright/cluster");
  const imported = performance.now();
  const cluster = await startCluster({ nodes: 0, controllers: "none" });
  const ready = performance.now();
  const endpoint = await cluster.listen();
  process.send({
    kubeconfig: endpoint.kubeconfig,
    importing: imported - started,
    ready: ready - imported,
    listening: performance.now() - ready,
  });
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  let before = process.cpuUsage();
  const stretches = stretchMeter();
  process.on("message", (what) => {
    if (what === "stretches") stretches.start();
    const { user, system } = process.cpuUsage(before);
    const report = {
      cpu: (user + system) / 1e6,
      longest: delays.max / 1e6,
      p99: delays.percentile(99) / 1e6,
      stretch: stretches.take(),
    };
    if (what === "memory") globalThis.gc?.();
    process.send({ ...report, ...process.memoryUsage() });
    before = process.cpuUsage();
    delays.reset();
  });
}

/** The most processor time one round of the event loop took: what others wait on a machine with nothing else to do. Linux only. */
function stretchMeter() {
  const file = `/proc/self/task/${process.pid}/schedstat`;
  const spent = () => Number(readFileSync(file, "latin1").split(" ")[0]) / 1e6;
  let most;
  let last;
  const round = () => {
    const now = spent();
    most = Math.max(most, now - last);
    last = now;
    setImmediate(round);
  };
  const start = () => {
    if (most !== undefined || !existsSync(file)) return;
    most = 0;
    last = spent();
    round();
  };
  const take = () => {
    const taken = most;
    if (most !== undefined) most = 0;
    return taken;
  };
  return { start, take };
}

async function main() {
  await commandStarts();
  const started = performance.now();
  const child = spawn(process.execPath, ["--expose-gc", fileURLToPath(import.meta.url), "serve"], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const hello = await once(child);
  row(
    "ready in process",
    `${hello.ready.toFixed(0)} ms (after ${hello.importing.toFixed(0)} ms of imports)`,
    "≤ 100 ms",
  );
  row(
    "process start to port, own program",
    `${(performance.now() - started).toFixed(0)} ms`,
    "≤ 300 ms as a command",
  );
  const idle = await memory(child);
  row("idle memory", `${mb(idle.rss)} MB RSS`, "≤ 90 MB");
  const call = await caller(hello.kubeconfig);
  await install(call);
  await creates(call, child, idle);
  await lists(call, child);
  await podLists(call, child);
  await watches(call, child);
  await longRequests(call, child);
  child.disconnect();
  child.kill();
}

/** The command as people run it, until it says that its port is open: an API server alone, and with controllers and a node. */
async function commandStarts() {
  const directory = mkdtempSync(join(tmpdir(), "kubewright-bench-"));
  const command = [
    fileURLToPath(new URL("../packages/cli/bin/kubewright.js", import.meta.url)),
    "cluster",
    "--kubeconfig",
    join(directory, "kubeconfig"),
  ];
  const alone = [];
  const whole = [];
  const floor = [];
  for (let round = 0; round < (quick ? 3 : 11); round++) {
    floor.push(await timeUntilOutput(["-e", "console.log(0); setInterval(() => 0, 1000)"]));
    alone.push(await timeUntilOutput([...command, "--nodes", "0", "--controllers", "none"]));
    whole.push(await timeUntilOutput(command));
  }
  rmSync(directory, { recursive: true });
  const text = (times) => `${median(times).toFixed(0)} ms, at best ${times[0].toFixed(0)} ms`;
  const node = median(floor);
  row("process start to first port", `${text(alone)} (Node.js alone: ${node.toFixed(0)} ms)`, "≤ 300 ms");
  row("the same, controllers and a node", text(whole), "≤ 300 ms");
}

async function timeUntilOutput(command) {
  const started = performance.now();
  const child = spawn(process.execPath, command, { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  const time = performance.now() - started;
  child.kill("SIGKILL");
  await new Promise((resolve) => child.once("close", resolve));
  return time;
}

async function creates(call, child, idle) {
  await since(child);
  const started = performance.now();
  let next = 0;
  const worker = async () => {
    while (next < objects)
      await call("POST", "/apis/bench.example.com/v1/namespaces/default/widgets", widget(`w-${next++}`));
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const seconds = (performance.now() - started) / 1000;
  row("creates of 1.5 KB", `${Math.round(objects / seconds)} /s`, "≥ 3,000 /s");
  costs("creates", await since(child), objects);
  const full = await memory(child);
  row(
    "heap per stored object",
    `${((full.heapUsed - idle.heapUsed) / objects / 1024).toFixed(1)} KB`,
    "≤ 6 KB",
  );
}

async function lists(call, child) {
  await call("GET", "/apis/bench.example.com/v1/widgets");
  await since(child);
  const times = [];
  for (let round = 0; round < 5; round++) {
    const started = performance.now();
    const text = await call("GET", "/apis/bench.example.com/v1/widgets");
    times.push(performance.now() - started);
    if (!text.includes(`w-${objects - 1}`)) throw new Error("the list is not whole");
  }
  row(`list of ${objects}`, `${(median(times) / 1000).toFixed(2)} s`, "≤ 0.3 s for 10,000");
  costs("lists", await since(child), 5);
}

const protobuf = "application/vnd.kubernetes.protobuf";

/** The same pods for clients that take JSON, and for those that take protobuf, as Go's do by default. */
async function podLists(call, child) {
  await call("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } }).catch(
    () => undefined,
  );
  let next = 0;
  const worker = async () => {
    while (next < objects) await call("POST", "/api/v1/namespaces/default/pods", pod(`p-${next++}`));
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const encodings = { JSON: { accept: "application/json" }, protobuf: { accept: protobuf } };
  const seen = { JSON: [], protobuf: [] };
  for (let round = 0; round < 6; round++) {
    for (const [name, how] of Object.entries(encodings)) {
      await since(child);
      const started = performance.now();
      const { length } = await call("GET", "/api/v1/pods", undefined, how);
      const { cpu } = await since(child);
      if (round > 0) seen[name].push({ time: performance.now() - started, cpu, length });
    }
  }
  for (const [name, rounds] of Object.entries(seen)) {
    const each = (field) => median(rounds.map((round) => round[field]));
    const measured = `${(each("length") / 1e6).toFixed(1)} MB, ${each("time").toFixed(0)} ms, ${(each("cpu") * 1000).toFixed(0)} ms of CPU`;
    row(`list of ${objects} pods in ${name}`, measured, "protobuf no dearer than JSON");
  }
}

const pod = (name) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, labels: { app: "bench", "pod-template-hash": "5d4f8c7b9" } },
  spec: {
    containers: [
      {
        name: "web",
        image: "registry.example.com/app:1.0",
        ports: [{ containerPort: 8080 }],
        env: Array.from({ length: 8 }, (_, index) => ({ name: `VAR_${index}`, value: `value ${index}` })),
        resources: { requests: { cpu: "100m", memory: "64Mi" } },
        readinessProbe: { httpGet: { path: "/", port: 8080 } },
      },
    ],
  },
});

async function watches(call, child) {
  const watchers = 100;
  const updates = quick ? 200 : 1000;
  await since(child);
  const streams = await Promise.all(
    Array.from({ length: watchers }, () =>
      call(
        "GET",
        `/apis/bench.example.com/v1/namespaces/default/widgets?watch=true&resourceVersion=${version}`,
        undefined,
        true,
      ),
    ),
  );
  const started = performance.now();
  const counts = streams.map((stream) => count(stream, updates));
  let next = 0;
  const worker = async () => {
    while (next < updates) {
      const index = next++;
      await call("PATCH", `/apis/bench.example.com/v1/namespaces/default/widgets/w-${index}`, {
        spec: { size: index + 10 },
      });
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  await Promise.all(counts);
  const seconds = (performance.now() - started) / 1000;
  row(
    `${watchers} watchers × ${updates} updates`,
    `${Math.round((watchers * updates) / seconds)} events/s, none lost`,
    "≥ 60,000 /s",
  );
  costs("watches", await since(child), watchers * updates);
}

/** Requests that take long, a few at a time: how long do they keep small requests waiting? */
async function longRequests(call, child) {
  const base = "/apis/bench.example.com/v1/namespaces/default/widgets";
  const items = (count) =>
    Array.from({ length: count }, (_, index) => ({ name: `item-${index}`, value: index }));
  const deep = (levels) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
  const long = (name, spec) => JSON.stringify({ ...widget(name), spec });
  const config = (name) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name },
    data: entries(15_000),
  });
  await call("POST", base, { ...widget("patched"), spec: { list: [] } });
  const operations = Array.from({ length: 10_000 }, (_, value) => ({
    op: "add",
    path: "/spec/list/-",
    value,
  }));
  const configs = "/api/v1/namespaces/default/configmaps";
  const deployments = "/apis/apps/v1/namespaces/default/deployments";
  await call("POST", deployments, deployment("d", 3_000));
  const cases = [
    ["3 MiB of JSON", (n) => ["POST", base, long(`long-${n}`, { items: items(60_000) })]],
    ["1 MiB of JSON in 15,000 fields", (n) => ["POST", configs, JSON.stringify(config(`c-${n}`))]],
    [
      "the same, applied",
      (n) => ["PATCH", `${configs}/a-${n}?fieldManager=b`, JSON.stringify(config(`a-${n}`)), apply],
    ],
    ["10,000 operations", () => ["PATCH", `${base}/patched`, JSON.stringify(operations), jsonPatch]],
    ["500 levels", (n) => ["POST", base, long(`deep-${n}`, { a: 0 }).replace('"a":0', `"a":${deep(500)}`)]],
    ["500,000 levels, refused", (n) => ["POST", base, `{"spec":${deep(500_000)}}`, undefined, n]],
    ["10,000 lines of YAML", (n) => ["POST", configs, yaml(`y-${n}`), "application/yaml"]],
    ["16,000 lines, a list", (n) => ["POST", base, yamlList(`l-${n}`), "application/yaml"]],
    [
      "3,000 containers, patched",
      (n) => ["PATCH", `${deployments}/d`, JSON.stringify(containers(3_000, n)), strategic],
    ],
    [
      "90,000 empty containers, refused",
      (n) => ["POST", "/api/v1/namespaces/default/pods", emptyContainers(`p-${n}`, 90_000)],
    ],
  ];
  child.send("stretches");
  await once(child);
  for (const [what, request] of cases) {
    const requests = Array.from({ length: quick ? 4 : 16 }, (_, index) => request(index));
    await since(child);
    let left = requests.length;
    const waits = [];
    const asking = (async () => {
      while (left > 0) {
        const started = performance.now();
        await call("GET", "/version");
        waits.push(performance.now() - started);
      }
    })();
    const next = requests[Symbol.iterator]();
    const worker = async () => {
      for (const args of next) {
        await call(...args).catch(() => undefined);
        left--;
      }
    };
    await Promise.all([...Array.from({ length: 4 }, worker), asking]);
    const { longest, stretch } = await since(child);
    const wait = `others wait ${median(waits).toFixed(0)} ms, at most ${Math.max(...waits).toFixed(0)} ms`;
    const work = stretch === undefined ? "" : `, longest stretch of work ${stretch.toFixed(0)} ms`;
    row(`while ${what}`, `${wait}; longest delay ${longest.toFixed(0)} ms${work}`, "a few ms");
  }
}

const apply = "application/apply-patch+yaml";
const jsonPatch = "application/json-patch+json";
const strategic = "application/strategic-merge-patch+json";
const containers = (count, version) => ({
  spec: {
    template: {
      spec: {
        containers: Array.from({ length: count }, (_, index) => ({
          name: `c${index}`,
          image: `i:${version}`,
        })),
      },
    },
  },
});
function deployment(name, count) {
  const { spec } = containers(count, "old");
  spec.template.metadata = { labels: { app: name } };
  spec.selector = { matchLabels: { app: name } };
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name }, spec };
}
const emptyContainers = (name, count) =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { containers: Array.from({ length: count }, () => ({})) },
  });
const yamlList = (name) =>
  `apiVersion: bench.example.com/v1\nkind: Widget\nmetadata:\n  name: ${name}\nspec:\n  items:\n` +
  Array.from({ length: 8_000 }, (_, index) => `  - name: n${index}\n    value: v${index}\n`).join("");
const entries = (count) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, "v".repeat(40)]));
const yaml = (name) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n` +
  Array.from({ length: 10_000 }, (_, index) => `  key-${index}: ${"v".repeat(40)}\n`).join("");

/** What it took the server. */
function costs(what, { cpu, longest, p99 }, count) {
  const each = `${((cpu * 1e6) / count).toFixed(0)} µs each`;
  const delay = `event loop late by ${p99.toFixed(0)} ms (p99), ${longest.toFixed(0)} ms (longest)`;
  row(`  of the server, for ${what}`, `${cpu.toFixed(2)} s of CPU, ${each}; ${delay}`, "none");
}

async function count(stream, expected) {
  let seen = 0;
  for await (const chunk of stream) {
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) seen++;
    if (seen >= expected) break;
  }
}

let version = "0";

async function caller(kubeconfig) {
  const { Agent, request } = await import("undici");
  const field = (name) => new RegExp(`${name}: "?([^"\\s]+)`).exec(kubeconfig)?.[1] ?? "";
  const ca = Buffer.from(field("certificate-authority-data"), "base64").toString();
  const agent = new Agent({ connections: 200, pipelining: 1, connect: { ca } });
  const server = field("server");
  const headers = { authorization: `Bearer ${field("token")}` };
  return async (method, path, body, how) => {
    const streaming = how === true;
    const patch = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const type = typeof how === "string" ? how : patch;
    const accept = how?.accept ?? "application/json";
    const response = await request(server + path, {
      method,
      dispatcher: agent,
      headers: { ...headers, "content-type": type, accept },
      body: typeof body === "object" ? JSON.stringify(body) : body,
      bodyTimeout: 0,
    });
    if (response.statusCode >= 300)
      throw new Error(`${method} ${path}: ${response.statusCode} ${await response.body.text()}`);
    if (streaming) return response.body;
    if (accept !== "application/json") return Buffer.from(await response.body.arrayBuffer());
    const text = await response.body.text();
    const found = /"resourceVersion":"(\d+)"/.exec(text)?.[1];
    if (found && Number(found) > Number(version)) version = found;
    return text;
  };
}

async function install(call) {
  const schema = {
    type: "object",
    properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
  };
  const names = { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" };
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }];
  const spec = { group: "bench.example.com", scope: "Namespaced", names, versions };
  const metadata = { name: "widgets.bench.example.com" };
  await call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata,
    spec,
  });
  for (let attempt = 0; attempt < 50; attempt++) {
    const ready = await call("GET", "/apis/bench.example.com/v1/widgets").catch(() => undefined);
    if (ready) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("the custom kind was not served");
}

function widget(name) {
  const items = Array.from({ length: 20 }, (_, index) => ({
    name: `item-${index}`,
    value: `value of item ${index}`,
    enabled: index % 2 === 0,
  }));
  return {
    apiVersion: "bench.example.com/v1",
    kind: "Widget",
    metadata: { name, labels: { app: "bench", tier: "backend" }, annotations: { note: "x".repeat(100) } },
    spec: { size: 1, image: "registry.example.com/app:1.0", items },
  };
}

const once = (child) => new Promise((resolve) => child.once("message", resolve));
const memory = (child) => {
  child.send("memory");
  return once(child);
};
const since = (child) => {
  child.send("report");
  return once(child);
};
const mb = (bytes) => Math.round(bytes / 1024 / 1024);
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const row = (what, measured, aim) => console.log(`${what.padEnd(38)}${measured.padEnd(60)}  aim: ${aim}`);

if (process.argv[2] === "serve") await serve();
else await main();

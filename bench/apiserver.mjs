// The embedded API server: how fast it is ready, and what it carries. The server runs in a child process of its own; the
// load comes from this one, over TLS, on loopback.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Agent, request } from "undici";

const objects = 10_000;
const connections = 16;

/** The child: a cluster, and answers to questions about its memory. */
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
  process.on("message", () => {
    globalThis.gc?.();
    process.send(process.memoryUsage());
  });
}

async function main() {
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
  row("process start to first port", `${(performance.now() - started).toFixed(0)} ms`, "≤ 300 ms");
  const idle = await memory(child);
  row("idle memory", `${mb(idle.rss)} MB RSS`, "≤ 90 MB");
  const call = caller(hello.kubeconfig);
  await install(call);
  await creates(call, child, idle);
  await lists(call);
  await watches(call);
  child.disconnect();
  child.kill();
}

async function creates(call, child, idle) {
  const started = performance.now();
  let next = 0;
  const worker = async () => {
    while (next < objects)
      await call("POST", "/apis/bench.example.com/v1/namespaces/default/widgets", widget(`w-${next++}`));
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const seconds = (performance.now() - started) / 1000;
  row("creates of 1.5 KB", `${Math.round(objects / seconds)} /s`, "≥ 3,000 /s");
  const full = await memory(child);
  row(
    "heap per stored object",
    `${((full.heapUsed - idle.heapUsed) / objects / 1024).toFixed(1)} KB`,
    "≤ 6 KB",
  );
}

async function lists(call) {
  await call("GET", "/apis/bench.example.com/v1/widgets");
  const times = [];
  for (let round = 0; round < 5; round++) {
    const started = performance.now();
    const text = await call("GET", "/apis/bench.example.com/v1/widgets");
    times.push(performance.now() - started);
    if (!text.includes("w-9999")) throw new Error("the list is not whole");
  }
  row(`list of ${objects}`, `${(median(times) / 1000).toFixed(2)} s`, "≤ 0.3 s");
}

async function watches(call) {
  const watchers = 100;
  const updates = 1000;
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
}

async function count(stream, expected) {
  let seen = 0;
  for await (const chunk of stream) {
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) seen++;
    if (seen >= expected) break;
  }
}

let version = "0";

function caller(kubeconfig) {
  const field = (name) => new RegExp(`${name}: "?([^"\\s]+)`).exec(kubeconfig)?.[1] ?? "";
  const ca = Buffer.from(field("certificate-authority-data"), "base64").toString();
  const agent = new Agent({ connections: 200, pipelining: 1, connect: { ca } });
  const server = field("server");
  const headers = { authorization: `Bearer ${field("token")}` };
  return async (method, path, body, streaming = false) => {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const response = await request(server + path, {
      method,
      dispatcher: agent,
      headers: { ...headers, "content-type": type, accept: "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
      bodyTimeout: 0,
    });
    if (response.statusCode >= 300)
      throw new Error(`${method} ${path}: ${response.statusCode} ${await response.body.text()}`);
    if (streaming) return response.body;
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
const mb = (bytes) => Math.round(bytes / 1024 / 1024);
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const row = (what, measured, aim) => console.log(`${what.padEnd(34)}${measured.padEnd(44)}aim ${aim}`);

if (process.argv[2] === "serve") await serve();
else await main();

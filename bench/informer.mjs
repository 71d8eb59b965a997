// Our informer against @kubernetes/client-node's on one embedded server, over TLS, each in processes of its own: a cold sync
// of custom resources of 1.5 KB, what they cost in memory, and what following changes costs. What is printed is the median
// over rounds and the ratio of the two.
//
//   node bench/informer.mjs [--objects 10000] [--rounds 3] [--updates 1000] [--only kubewright]
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    objects: { type: "string", default: "10000" },
    rounds: { type: "string", default: "3" },
    updates: { type: "string", default: "1000" },
    only: { type: "string" },
  },
});
const self = fileURLToPath(import.meta.url);
const objects = Number(options.objects);
const updates = Number(options.updates);
const widgets = "/apis/bench.example.com/v1/widgets";
const clients = ["kubewright", "client-node"].filter((name) => !options.only || name === options.only);

const [mode = "run", ...rest] = positionals;
await { run, serve, follow }[mode](...rest);

async function run() {
  const server = start("serve");
  try {
    const where = await next(server);
    const call = await caller(where);
    await install(call);
    const size = await fill(call);
    const results = Object.fromEntries(clients.map((name) => [name, []]));
    for (let round = 0; round < Number(options.rounds); round++) {
      // Turn about, so that neither always comes first.
      for (const name of round % 2 ? clients : clients.toReversed())
        results[name].push(await measure(name, where, call));
    }
    print(results, size);
  } finally {
    server.kill();
  }
}

/** One informer, from the start of its process. */
async function measure(name, where, call) {
  const started = performance.now();
  const child = start("follow", [name, JSON.stringify(where)]);
  try {
    const synced = await next(child);
    const time = performance.now() - started;
    child.send("updates");
    await next(child);
    await change(call);
    const followed = await next(child);
    child.send("memory");
    return { time, ...synced, ...followed, ...(await next(child)) };
  } finally {
    child.kill();
  }
}

function print(results, size) {
  const rows = [
    ["cold sync: time from process start", (result) => result.time, "ms", "≤ 0.5"],
    ["cold sync: CPU", (result) => result.syncCpu, "ms", ""],
    ["resident memory when synced", (result) => result.syncRss / 1e6, "MB", "≤ 0.45"],
    ["largest resident memory", (result) => result.maxRss / 1e3, "MB", ""],
    ["heap of one cached object", (result) => result.heapPerObject / 1024, "KB", "≤ 2.0 KB"],
    [`CPU of ${updates} updates`, (result) => result.updateCpu, "ms", "≤ 0.3"],
  ];
  console.log(
    `node ${process.version}; ${objects} objects of ${size} bytes; medians of ${options.rounds} rounds`,
  );
  console.log(`${"".padEnd(40)}${clients.map((name) => name.padStart(13)).join("")}     ratio   aim`);
  for (const [label, read, unit, aim] of rows) {
    const values = clients.map((name) => median(results[name].map(read)));
    const shown = values.map((value) => `${value.toFixed(1)} ${unit}`.padStart(13)).join("");
    const ratio = values.length > 1 ? (values[0] / values[1]).toFixed(2) : "-";
    console.log(`${label.padEnd(40)}${shown}${ratio.padStart(10)}   ${aim}`);
  }
}

/** The child that serves. */
async function serve() {
  const { startCluster } = await import("@kubewright/cluster");
  const cluster = await startCluster({ nodes: 0, controllers: "none" });
  const { kubeconfig } = await cluster.listen();
  const field = (name) => new RegExp(`${name}: "?([^"\\s]+)`).exec(kubeconfig)[1];
  const ca = Buffer.from(field("certificate-authority-data"), "base64").toString();
  process.send({ url: field("server"), ca, token: field("token") });
}

/** The child that follows: says when it is synced, when it has seen the updates, and what an object costs. */
async function follow(name, where) {
  const { start, count, drop } = await (name === "kubewright" ? ours : official)(JSON.parse(where));
  let seen = 0;
  let onUpdates = () => undefined;
  await start(() => {
    if (++seen === updates) onUpdates();
  });
  if (count() !== objects) throw new Error(`${count()} objects`);
  const cpu = process.cpuUsage();
  process.send({
    syncCpu: (cpu.user + cpu.system) / 1000,
    syncRss: process.memoryUsage().rss,
    maxRss: process.resourceUsage().maxRSS,
  });
  await message();
  globalThis.gc();
  const before = process.cpuUsage();
  const followed = new Promise((resolve) => {
    onUpdates = resolve;
  });
  process.send("ready");
  await followed;
  const used = process.cpuUsage(before);
  process.send({ updateCpu: (used.user + used.system) / 1000 });
  await message();
  const full = await heap();
  await drop();
  process.send({ heapPerObject: (full - (await heap())) / objects });
}

async function heap() {
  await new Promise((resolve) => setTimeout(resolve, 200));
  for (let round = 0; round < 3; round++) globalThis.gc();
  return process.memoryUsage().heapUsed;
}

async function ours({ url, ca, token }) {
  const { Client, undiciTransport } = await import("@kubewright/client");
  const { Informer } = await import("@kubewright/runtime");
  const { systemClock } = await import("@kubewright/api");
  const client = new Client({ transport: undiciTransport({ server: url, ca, token }) });
  const names = {
    group: "bench.example.com",
    version: "v1",
    kind: "Widget",
    plural: "widgets",
    singular: "widget",
  };
  const resource = {
    ...names,
    scope: "Namespaced",
    shortNames: [],
    categories: [],
    verbs: [],
    subresources: [],
  };
  let informer = new Informer({ client, resource, clock: systemClock });
  return {
    async start(onUpdate) {
      let added = 0;
      let onAdded = () => undefined;
      informer.onChange(({ previous }) => {
        if (previous) onUpdate();
        else if (++added === objects) onAdded();
      });
      informer.start();
      await new Promise((resolve) => {
        onAdded = resolve;
      });
    },
    count: () => informer.store.size,
    async drop() {
      await informer.close();
      informer = undefined;
    },
  };
}

async function official({ url, ca, token }) {
  const { CustomObjectsApi, KubeConfig, makeInformer } = await import("@kubernetes/client-node");
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: [{ name: "bench", server: url, caData: Buffer.from(ca).toString("base64") }],
    users: [{ name: "bench", token }],
    contexts: [{ name: "bench", cluster: "bench", user: "bench" }],
    currentContext: "bench",
  });
  const api = config.makeApiClient(CustomObjectsApi);
  const kind = { group: "bench.example.com", version: "v1", plural: "widgets" };
  let informer = makeInformer(config, widgets, () => api.listCustomObjectForAllNamespaces(kind));
  return {
    async start(onUpdate) {
      informer.on("update", onUpdate);
      await informer.start();
    },
    count: () => informer.list().length,
    async drop() {
      await informer.stop();
      informer = undefined;
    },
  };
}

async function caller({ url, ca, token }) {
  const { Agent, request } = await import("undici");
  const dispatcher = new Agent({ connections: 32, pipelining: 1, connect: { ca } });
  const authorization = `Bearer ${token}`;
  return async (method, path, body, type = "application/json") => {
    const response = await request(url + path, {
      method,
      dispatcher,
      headers: { authorization, "content-type": type, accept: "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.body.text();
    if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
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
  await call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.bench.example.com" },
    spec: { group: "bench.example.com", scope: "Namespaced", names, versions },
  });
  for (let attempt = 0; attempt < 100; attempt++) {
    if (await call("GET", widgets).catch(() => undefined)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("the custom kind was not served");
}

/** Creates the objects; returns the size of one as it is served. */
async function fill(call) {
  await workers(objects, (index) => call("POST", path(), widget(index)));
  return (await call("GET", path(0))).length;
}

async function change(call) {
  await workers(updates, (index) =>
    call(
      "PATCH",
      path(index),
      { spec: { size: Math.floor(Math.random() * 1e9) } },
      "application/merge-patch+json",
    ),
  );
}

async function workers(count, work) {
  let at = 0;
  const worker = async () => {
    while (at < count) await work(at++);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

function path(index) {
  return `/apis/bench.example.com/v1/namespaces/default/widgets${index === undefined ? "" : `/w-${index}`}`;
}

/** Texts that repeat as those of real objects do: some the same everywhere, some in a few, some in one only. */
function widget(index) {
  const containers = ["main", "proxy", "metrics"].map((name, at) => ({
    name,
    image: `registry.example.com/team-${index % 7}/${name}:1.${index % 20}.${at}`,
    resources: {
      requests: { cpu: "100m", memory: "128Mi" },
      limits: { memory: `${128 + (index % 8) * 64}Mi` },
    },
    ports: [{ name: "http", containerPort: 8080 + at, protocol: "TCP" }],
  }));
  return {
    apiVersion: "bench.example.com/v1",
    kind: "Widget",
    metadata: {
      name: `w-${index}`,
      labels: {
        "app.kubernetes.io/name": "widget",
        "app.kubernetes.io/instance": `w-${index}`,
        tier: "backend",
      },
      annotations: { "example.com/checksum": checksum(index), "example.com/team": `team-${index % 7}` },
    },
    spec: { size: index, schedule: "*/5 * * * *", owner: `user-${index % 50}@example.com`, containers },
  };
}

function checksum(index) {
  const words = Array.from({ length: 8 }, (_, at) => ((index + 1) * 2654435761 * (at + 1)) % 2 ** 32);
  return words.map((word) => word.toString(16).padStart(8, "0")).join("");
}

function start(step, words = []) {
  const sizes = ["--objects", options.objects, "--updates", options.updates];
  return spawn(process.execPath, ["--expose-gc", self, step, ...words, ...sizes], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
}

/** The next message of a child; fails if it ends. */
function next(child) {
  return new Promise((resolve, reject) => {
    const onExit = (code) => reject(new Error(`a child ended with ${code}`));
    child.once("exit", onExit);
    child.once("message", (text) => {
      child.off("exit", onExit);
      resolve(text);
    });
  });
}

function message() {
  return new Promise((resolve) => process.once("message", resolve));
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

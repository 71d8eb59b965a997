// Our client against @kubernetes/client-node on one server: sequential gets, 16-way creates, a list of 10,000 pods, a watch
// of 10,000 events, and the cost of importing. Each client runs in processes of its own; what is printed is the median over
// rounds and the ratio of the two.
//
//   node bench/client.mjs                                a small TLS server of its own, in another process
//   node bench/client.mjs --server URL --token T --ca F  any API server; pods are made in the namespace `bench` first
//   options: --rounds 5 --gets 1000 --creates 1000 --pods 10000 --lists 3
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    server: { type: "string" },
    token: { type: "string", default: "bench" },
    ca: { type: "string" },
    rounds: { type: "string", default: "5" },
    gets: { type: "string", default: "1000" },
    creates: { type: "string", default: "1000" },
    pods: { type: "string", default: "10000" },
    lists: { type: "string", default: "3" },
  },
});
const self = fileURLToPath(import.meta.url);
const count = Object.fromEntries(
  ["rounds", "gets", "creates", "pods", "lists"].map((name) => [name, Number(options[name])]),
);
const namespace = "bench";
const clients = ["kubewright", "client-node"];

/** What a list returned, so that it stays in memory while that is measured. */
let kept;

const [mode = "run", ...rest] = positionals;
await { run, serve, measure, load, seed }[mode](...rest);

/** Runs everything and prints the table. */
async function run() {
  const directory = mkdtempSync(join(tmpdir(), "bench-client-"));
  const server = options.server ? undefined : await startServer(directory);
  const where = server ?? { url: options.server, ca: options.ca };
  try {
    if (!server) child("seed", [], where);
    const results = { kubewright: [], "client-node": [] };
    for (let round = 0; round < count.rounds; round++) {
      // Turn about, so that neither always comes first.
      for (const name of round % 2 ? clients : clients.toReversed()) {
        results[name].push({
          ...child("measure", [name, String(round)], where),
          ...child("load", [name], where),
        });
      }
    }
    print(results);
  } finally {
    server?.process.kill();
    rmSync(directory, { recursive: true });
  }
}

/** One step in a process of its own; its last line is its result. */
function child(step, words, { url, ca }) {
  const sizes = ["gets", "creates", "pods", "lists"].flatMap((name) => [`--${name}`, options[name]]);
  const args = ["--expose-gc", self, step, ...words, "--server", url, "--token", options.token, ...sizes];
  const { stdout, status, stderr } = spawnSync(process.execPath, ca ? [...args, "--ca", ca] : args, {
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  if (status !== 0) throw new Error(`${step} ${words.join(" ")} failed: ${stderr}`);
  return JSON.parse(stdout.trim().split("\n").at(-1));
}

function print(results) {
  const rows = [
    ["get, one after the other", "gets", "ms"],
    ["create, 16 at once", "creates", "ms"],
    ["list of pods", "lists", "ms"],
    ["watch, all events", "watch", "ms"],
  ];
  const pick = (read) => clients.map((name) => median(results[name].map(read)));
  const line = (label, [ours, theirs], unit, digits = 2) =>
    console.log(
      `${label.padEnd(44)}${ours.toFixed(digits).padStart(10)}${theirs.toFixed(digits).padStart(12)} ${unit.padEnd(8)}${(theirs / ours).toFixed(1).padStart(6)}x`,
    );
  console.log(`node ${process.version}; ${count.pods} pods; medians of ${count.rounds} rounds`);
  console.log(
    `${"".padEnd(44)}${"kubewright".padStart(10)}${"client-node".padStart(12)}${"ratio".padStart(16)}`,
  );
  for (const [label, key] of rows) {
    line(
      `${label}: CPU each`,
      pick((result) => result[key].cpu),
      "ms",
      3,
    );
    line(
      `${label}: time each`,
      pick((result) => result[key].wall),
      "ms",
      3,
    );
  }
  line(
    "memory held by one list",
    pick((result) => result.listHeap / 1e6),
    "MB",
  );
  line(
    "largest resident size over all of it",
    pick((result) => result.maxRss / 1024),
    "MB",
  );
  line(
    "import: time",
    pick((result) => result.importMs),
    "ms",
    1,
  );
  line(
    "import: resident memory",
    pick((result) => result.importRss / 1e6),
    "MB",
  );
  line(
    "import and first call: time",
    pick((result) => result.firstMs),
    "ms",
    1,
  );
  line(
    "import and first call: resident memory",
    pick((result) => result.firstRss / 1e6),
    "MB",
  );
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** The calls of one client, each under the same name. */
async function measure(name, round) {
  const api = await (name === "kubewright" ? ourClient() : officialClient());
  const result = {};
  const timed = async (key, times, work) => {
    globalThis.gc();
    const cpu = process.cpuUsage();
    const start = performance.now();
    await work();
    const used = process.cpuUsage(cpu);
    result[key] = {
      wall: (performance.now() - start) / times,
      cpu: (used.user + used.system) / 1000 / times,
    };
  };
  for (let i = 0; i < 100; i++) await api.get("pod-0");
  await timed("gets", count.gets, async () => {
    for (let i = 0; i < count.gets; i++) await api.get("pod-0");
  });
  let next = 0;
  const creator = async () => {
    while (next < count.creates) await api.create(`config-${name}-${round}-${process.pid}-${next++}`);
  };
  await timed("creates", count.creates, () => Promise.all(Array.from({ length: 16 }, creator)));
  await api.list();
  await timed("lists", count.lists, async () => {
    for (let i = 0; i < count.lists; i++) await api.list();
  });
  kept = undefined;
  await api.watch(count.pods);
  await timed("watch", 1, () => api.watch(count.pods));
  kept = undefined;
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  const held = await api.list();
  globalThis.gc();
  result.listHeap = process.memoryUsage().heapUsed - before;
  if (held !== count.pods) throw new Error(`${held} pods`);
  result.maxRss = process.resourceUsage().maxRSS;
  await api.close();
  console.log(JSON.stringify(result));
  process.exit(0);
}

async function ourClient() {
  const { Client, undiciTransport } = await import("@kubewright/client");
  const { ConfigMap, Pod } = await import("@kubewright/api");
  const transport = undiciTransport({
    server: options.server,
    token: options.token,
    ca: readFileSync(options.ca, "utf8"),
  });
  const client = new Client({ transport, defaultNamespace: namespace });
  return {
    get: (name) => client.get(Pod, name),
    create: (name) => client.create(ConfigMap, { metadata: { name }, data: { key: "value" } }),
    async list() {
      kept = await client.list(Pod, { namespace });
      return kept.items.length;
    },
    async watch(wanted) {
      let seen = 0;
      for await (const _event of client.watch(Pod, { namespace, resourceVersion: "0" }))
        if (++seen === wanted) break;
    },
    close: () => client.close(),
  };
}

async function officialClient() {
  const { CoreV1Api, KubeConfig, Watch } = await import("@kubernetes/client-node");
  const config = officialConfig(KubeConfig);
  const api = config.makeApiClient(CoreV1Api);
  const watch = new Watch(config);
  return {
    get: (name) => api.readNamespacedPod({ name, namespace }),
    create: (name) =>
      api.createNamespacedConfigMap({ namespace, body: { metadata: { name }, data: { key: "value" } } }),
    async list() {
      kept = await api.listNamespacedPod({ namespace });
      return kept.items.length;
    },
    async watch(wanted) {
      let seen = 0;
      await new Promise((resolve, reject) => {
        let stop;
        const onEvent = () => {
          if (++seen === wanted) resolve();
        };
        watch
          .watch(`/api/v1/namespaces/${namespace}/pods`, { resourceVersion: "0" }, onEvent, (error) =>
            seen >= wanted ? stop?.abort() : reject(error),
          )
          .then((controller) => {
            stop = controller;
          }, reject);
      });
    },
    close: async () => undefined,
  };
}

function officialConfig(KubeConfig) {
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: [{ name: "bench", server: options.server, caFile: options.ca }],
    users: [{ name: "bench", token: options.token }],
    contexts: [{ name: "bench", cluster: "bench", user: "bench" }],
    currentContext: "bench",
  });
  return config;
}

/** What importing costs, and what importing and one call cost, from nothing. */
async function load(name) {
  await import("data:text/javascript,export%20const%20warm%20=%20true");
  globalThis.gc();
  const before = process.memoryUsage().rss;
  const start = performance.now();
  await import(name === "kubewright" ? "@kubewright/client" : "@kubernetes/client-node");
  const importMs = performance.now() - start;
  const importRss = process.memoryUsage().rss - before;
  const api = await (name === "kubewright" ? ourClient() : officialClient());
  await api.get("pod-0");
  const result = {
    importMs,
    importRss,
    firstMs: performance.now() - start,
    firstRss: process.memoryUsage().rss - before,
  };
  console.log(JSON.stringify(result));
  process.exit(0);
}

/** Fills a server that is not ours. */
async function seed() {
  const { Client, undiciTransport, createOrUpdate } = await import("@kubewright/client");
  const { Namespace, Pod, ServiceAccount } = await import("@kubewright/api");
  const ca = options.ca && readFileSync(options.ca, "utf8");
  const client = new Client({
    transport: undiciTransport({ server: options.server, token: options.token, ca }),
  });
  await createOrUpdate(
    client,
    Namespace,
    { name: namespace },
    (now) => now ?? { metadata: { name: namespace } },
  );
  await client.create(ServiceAccount, { metadata: { name: "default", namespace } }).catch(() => undefined);
  let next = 0;
  const create = async () => {
    while (next < count.pods) {
      const { status, ...object } = pod(next++);
      const { name, labels, annotations } = object.metadata;
      await client
        .create(Pod, { ...object, metadata: { name, namespace, labels, annotations } })
        .catch((error) => {
          if (error.reason !== "AlreadyExists") throw error;
        });
    }
  };
  await Promise.all(Array.from({ length: 16 }, create));
  await client.close();
  console.log("{}");
}

async function startServer(directory) {
  const { createCertificateAuthority } = await import("@kubewright/api/x509");
  const validity = { notBefore: Date.now() - 3_600_000, notAfter: Date.now() + 86_400_000 };
  const authority = createCertificateAuthority({ commonName: "bench", ...validity });
  const { certificate, key } = authority.issue({
    commonName: "api",
    hosts: ["127.0.0.1"],
    usage: "server",
    ...validity,
  });
  const ca = join(directory, "ca.pem");
  writeFileSync(ca, authority.certificate);
  writeFileSync(join(directory, "cert.pem"), certificate);
  writeFileSync(join(directory, "key.pem"), key);
  const process_ = spawn(process.execPath, [self, "serve", directory, "--pods", options.pods], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [port] = await once(process_.stdout, "data");
  return { process: process_, url: `https://127.0.0.1:${String(port).trim()}`, ca };
}

/** Answers from memory, so that what is measured is the client. */
async function serve(directory) {
  const pods = Array.from({ length: count.pods }, (_, i) => pod(i));
  const one = Buffer.from(JSON.stringify({ apiVersion: "v1", kind: "Pod", ...pods[0] }));
  const list = Buffer.from(
    JSON.stringify({ apiVersion: "v1", kind: "PodList", metadata: { resourceVersion: "9" }, items: pods }),
  );
  const events = Buffer.from(
    pods
      .map(
        (each) =>
          `${JSON.stringify({ type: "ADDED", object: { apiVersion: "v1", kind: "Pod", ...each } })}\n`,
      )
      .join(""),
  );
  const created = Buffer.from(
    JSON.stringify({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: pods[0].metadata,
      data: { key: "value" },
    }),
  );
  // The API server compresses answers over 128 KiB, quickly rather than well.
  const compressed = gzipSync(list, { level: 1 });
  const json = { "content-type": "application/json" };
  const server = createServer(
    { cert: readFileSync(join(directory, "cert.pem")), key: readFileSync(join(directory, "key.pem")) },
    (request, response) => {
      if (request.method === "POST") {
        request.resume().on("end", () => response.writeHead(201, json).end(created));
      } else if (request.url.includes("watch")) response.writeHead(200, json).end(events);
      else if (request.url.includes("pods/")) response.writeHead(200, json).end(one);
      else if (request.headers["accept-encoding"]?.includes("gzip")) {
        response.writeHead(200, { ...json, "content-encoding": "gzip" }).end(compressed);
      } else response.writeHead(200, json).end(list);
    },
  );
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
}

/** A pod of the usual size. */
function pod(i) {
  const time = "2026-01-01T00:00:00Z";
  const condition = (type) => ({ type, status: "True", lastProbeTime: null, lastTransitionTime: time });
  return {
    metadata: {
      name: `pod-${i}`,
      generateName: "pod-",
      namespace,
      uid: `00000000-0000-4000-8000-${String(i).padStart(12, "0")}`,
      resourceVersion: String(1000 + i),
      creationTimestamp: time,
      labels: { app: "bench", "pod-template-hash": "5d59d67564", tier: i % 2 ? "odd" : "even" },
      annotations: {
        "prometheus.io/scrape": "true",
        "example.com/checksum": "9f86d081884c7d659a2feaa0c55ad015",
      },
      ownerReferences: [
        {
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          name: "bench-5d59d67564",
          uid: "11111111-0000-4000-8000-000000000000",
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: [
        {
          manager: "kube-controller-manager",
          operation: "Update",
          apiVersion: "v1",
          time,
          fieldsType: "FieldsV1",
          fieldsV1: {
            "f:metadata": { "f:labels": { ".": {}, "f:app": {} } },
            "f:spec": {
              "f:containers": {
                'k:{"name":"main"}': { ".": {}, "f:image": {}, "f:name": {}, "f:resources": {} },
              },
            },
          },
        },
      ],
    },
    spec: {
      containers: [
        {
          name: "main",
          image: "registry.example.com/team/app:1.2.3",
          ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
          env: [
            { name: "MODE", value: "fast" },
            { name: "NODE", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "spec.nodeName" } } },
          ],
          resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
          volumeMounts: [{ name: "config", mountPath: "/etc/app" }],
          livenessProbe: { httpGet: { path: "/healthz", port: 8080, scheme: "HTTP" }, periodSeconds: 10 },
          imagePullPolicy: "IfNotPresent",
        },
      ],
      volumes: [{ name: "config", configMap: { name: "app-config", defaultMode: 420 } }],
      restartPolicy: "Always",
      nodeSelector: { bench: "nowhere" },
      tolerations: [
        {
          key: "node.kubernetes.io/not-ready",
          operator: "Exists",
          effect: "NoExecute",
          tolerationSeconds: 300,
        },
      ],
    },
    status: {
      phase: "Running",
      conditions: ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map(condition),
      hostIP: "10.0.0.1",
      podIP: "10.244.0.7",
      podIPs: [{ ip: "10.244.0.7" }],
      startTime: time,
      containerStatuses: [
        {
          name: "main",
          ready: true,
          started: true,
          restartCount: 0,
          image: "registry.example.com/team/app:1.2.3",
          imageID: "sha256:9f86d081",
          containerID: "containerd://abc",
          state: { running: { startedAt: time } },
          lastState: {},
        },
      ],
      qosClass: "Burstable",
    },
  };
}

// The informer's decoder beside JSON.parse: a list of 10,000 objects and 20,000 watch events, in a process of its own each. Pods, as
// Deployments make them, and ConfigMaps in which no value comes twice: the best and the worst case of a decoder that shares equal parts.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const objects = process.env.QUICK ? 2_000 : 10_000;
const events = 2 * objects;
const root = fileURLToPath(new URL("..", import.meta.url));

async function main() {
  const folder = mkdtempSync(join(root, "node_modules", ".decoding-"));
  const bundle = join(folder, "decoder.mjs");
  await build({
    entryPoints: [join(root, "packages/runtime/src/informer/decoding/object-decoder.ts")],
    outfile: bundle,
    bundle: true,
    format: "esm",
    platform: "node",
    conditions: ["kubewright-source"],
    logLevel: "error",
  });
  for (const kind of ["pod", "configMap"])
    for (const decoder of ["ObjectDecoder", "JSON.parse"])
      spawnSync(process.execPath, ["--expose-gc", fileURLToPath(import.meta.url), bundle, kind, decoder], {
        stdio: "inherit",
      });
  rmSync(folder, { recursive: true });
}

async function measure(bundle, kind, name) {
  const { ObjectDecoder } = await import(bundle);
  const make = { pod, configMap }[kind];
  const decoder = new ObjectDecoder({ ownManager: "bench" });
  const decode = name === "JSON.parse" ? parse : (bytes) => decoder.decode(bytes);
  const pages = Array.from({ length: objects / 500 }, (_, page) =>
    Buffer.from(JSON.stringify({ items: Array.from({ length: 500 }, (_, at) => make(page * 500 + at, 1)) })),
  );
  const store = new Map();
  const keep = (object) => store.set(object.metadata.uid, object);
  const before = heap();
  const list = cpuOf(() => pages.forEach((page) => void decode(page).items.forEach(keep)));
  const memory = heap() - before;
  const changes = Array.from({ length: events }, (_, at) =>
    Buffer.from(JSON.stringify({ type: "MODIFIED", object: make(at % objects, at + 2) })),
  );
  const watch = cpuOf(() => changes.forEach((change) => void keep(decode(change).object)));
  const size = pages.reduce((sum, { length }) => sum + length, 0) / objects;
  console.log(
    `${kind.padEnd(11)}${name.padEnd(15)}${objects} of ${size.toFixed(0)} bytes: list ${(list / 1000).toFixed(0)} ms, ` +
      `heap ${(memory / 2 ** 20).toFixed(1)} MB; watch event ${(watch / events).toFixed(1)} µs (processor time)`,
  );
}

/** What an informer without a decoder of its own would do: managed fields are not cached. */
function parse(bytes) {
  const document = JSON.parse(bytes.toString("utf8"));
  for (const { metadata } of document.items ?? [document.object]) delete metadata.managedFields;
  return document;
}

function heap() {
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

function cpuOf(run) {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

const uid = (index) => `0a1b2c3d-0000-4abc-8def-${String(index).padStart(12, "0")}`;
const time = "2026-01-01T00:00:00Z";
const manager = (name, fieldsV1) => ({
  manager: name,
  operation: "Update",
  apiVersion: "v1",
  time,
  fieldsV1,
});

function pod(index, version) {
  const app = `app-${index % 200}`;
  const image = `registry.example.com/shop/${app}:1.4.2`;
  const address = `10.1.${index >> 8}.${index & 255}`;
  const condition = (type) => ({ type, status: "True", lastProbeTime: null, lastTransitionTime: time });
  const toleration = (key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 });
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `${app}-6d4cf56db6-${index}`,
      namespace: `ns-${index % 50}`,
      uid: uid(index),
      resourceVersion: String(version),
      creationTimestamp: time,
      labels: { app, "pod-template-hash": "6d4cf56db6", "app.kubernetes.io/part-of": "shop" },
      ownerReferences: [
        { apiVersion: "apps/v1", kind: "ReplicaSet", name: app, uid: uid(index % 200), controller: true },
      ],
      managedFields: [
        manager("kube-controller-manager", { "f:spec": { "f:containers": { 'k:{"name":"main"}': {} } } }),
        manager("kubelet", { "f:status": { "f:conditions": { 'k:{"type":"Ready"}': {} }, "f:phase": {} } }),
      ],
    },
    spec: {
      containers: [
        {
          name: "main",
          image,
          ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
          env: [{ name: "LOG_LEVEL", value: "info" }],
          resources: { limits: { memory: "256Mi" }, requests: { cpu: "100m", memory: "128Mi" } },
          volumeMounts: [{ name: "config", mountPath: "/etc/app", readOnly: true }],
          livenessProbe: { httpGet: { path: "/healthz", port: "http", scheme: "HTTP" }, periodSeconds: 10 },
          imagePullPolicy: "IfNotPresent",
        },
      ],
      volumes: [{ name: "config", configMap: { name: `${app}-config`, defaultMode: 420 } }],
      restartPolicy: "Always",
      nodeName: `node-${index % 100}`,
      serviceAccountName: "default",
      schedulerName: "default-scheduler",
      tolerations: ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"].map(toleration),
    },
    status: {
      phase: "Running",
      conditions: ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map(condition),
      podIP: address,
      podIPs: [{ ip: address }],
      containerStatuses: [
        { name: "main", state: { running: { startedAt: time } }, ready: true, restartCount: 0, image },
      ],
      qosClass: "Burstable",
    },
  };
}

function configMap(index, version) {
  const value = (key) => Buffer.from(`a value of ${key} that nobody else has: ${index}`).toString("base64");
  const keys = Array.from({ length: 30 }, (_, at) => `key-${at}`);
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `c-${index}`, namespace: "default", uid: uid(index), resourceVersion: String(version) },
    data: Object.fromEntries(keys.map((key) => [key, value(key)])),
  };
}

const [bundle, kind, name] = process.argv.slice(2);
if (bundle) await measure(bundle, kind, name);
else await main();

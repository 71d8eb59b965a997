// What the merge engines of the API server cost per write, on objects of about 1.5 KB (aim: well under 100 µs each).
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const engines = await load(`
  export * from "./packages/machinery/src/index.ts";
  export { typeInfoFromSchema, kindTypeInfo } from "./packages/api/src/type-info/index.ts";
`);
const { applyConfiguration, applyJsonPatch, applyMergePatch, applyStrategicMergePatch } = engines;
const { typeInfoFromSchema, kindTypeInfo, trackUpdate, withManagedFields } = engines;

const time = "2026-01-02T12:00:00Z";
const text = { type: "string" };
const keyed = {
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["name"],
  items: { type: "object", properties: { name: text, value: text } },
};
const customTypeInfo = typeInfoFromSchema({
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        image: text,
        replicas: { type: "integer" },
        env: keyed,
        labels: { type: "object", additionalProperties: text },
        args: { type: "array", items: text },
      },
    },
    status: { type: "object", properties: { phase: text } },
  },
});

const custom = (spec = {}) => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name: "widget-1", namespace: "default", labels: { app: "widget", tier: "backend" } },
  spec: {
    image: "registry.example.com/team/widget:1.2.3",
    replicas: 3,
    env: Array.from({ length: 20 }, (_, index) => ({
      name: `VARIABLE_${index}`,
      value: `some value ${index}`,
    })),
    labels: Object.fromEntries(
      Array.from({ length: 8 }, (_, index) => [`example.com/label-${index}`, `v${index}`]),
    ),
    args: ["--verbose", "--listen=:8080", "--timeout=30s"],
    ...spec,
  },
});

const container = (name, image) => ({
  name,
  image,
  ports: [{ containerPort: 80, protocol: "TCP" }],
  env: Array.from({ length: 10 }, (_, index) => ({
    name: `VARIABLE_${index}`,
    value: `some value ${index}`,
  })),
  resources: { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "100m", memory: "128Mi" } },
});
const deployment = (image = "i:1") => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "d", namespace: "default", labels: { app: "d" } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "d" } },
    template: {
      metadata: { labels: { app: "d" } },
      spec: { containers: [container("c", image), container("sidecar", "s:1")] },
    },
  },
});

const kinds = {
  "custom resource": { typeInfo: customTypeInfo, kind: "Widget", apiVersion: "example.com/v1", make: custom },
  Deployment: {
    typeInfo: kindTypeInfo({ group: "apps", version: "v1", kind: "Deployment" }),
    kind: "Deployment",
    apiVersion: "apps/v1",
    make: deployment,
  },
};

for (const [name, { typeInfo, kind, apiVersion, make }] of Object.entries(kinds)) {
  const common = { typeInfo, kind, apiVersion, time, force: false, resetFields: ["status"] };
  const apply = (live, manager, applied, force = false) =>
    applyConfiguration({ ...common, live, manager, applied, force }).object;
  const track = (live, manager, updated) => trackUpdate({ ...common, live, manager, updated });
  const stored = (object) => freeze({ ...object, metadata: { ...object.metadata, uid: "u" } });

  const applied = freeze(make());
  const live = stored(apply(undefined, "alice", applied));
  const mine = {
    apiVersion,
    kind,
    metadata: { name: applied.metadata.name, annotations: { "example.com/a": "b" } },
  };
  const shared = stored(apply(live, "bob", freeze(mine)));
  const updated = withManagedFields(make(), undefined);
  const created = stored(withManagedFields(make(), track(undefined, "alice", make())));
  const other = freeze(name === "Deployment" ? make("i:2") : make({ replicas: 4 }));
  const fewer = freeze({ ...make(), metadata: { name: applied.metadata.name } });

  console.log(
    `${name} (${JSON.stringify(applied).length} bytes, ${JSON.stringify(live).length} with managedFields)`,
  );
  measure("  apply: create", () => apply(undefined, "alice", applied));
  measure("  apply: nothing changes", () => apply(live, "alice", applied));
  measure("  apply: one field changes", () => apply(live, "alice", other));
  measure("  apply: fields are given up", () => apply(live, "alice", fewer));
  measure("  apply: a second manager", () => apply(shared, "bob", mine));
  measure("  update: create", () => track(undefined, "alice", updated));
  measure("  update: nothing changes", () => track(created, "alice", updated));
  measure("  update: one field changes", () => track(created, "bob", other));
}

const live = freeze(deployment());
const typeInfo = kinds.Deployment.typeInfo;
const replicas = freeze([{ op: "replace", path: "/spec/replicas", value: 5 }]);
const image = freeze({ spec: { template: { spec: { containers: [{ name: "c", image: "i:2" }] } } } });
const appends = freeze(
  Array.from({ length: 10_000 }, (_, value) => ({ op: "add", path: "/spec/list/-", value })),
);
console.log("patches of the Deployment");
measure("  JSON patch, one operation", () => applyJsonPatch(live, replicas));
measure("  merge patch", () => applyMergePatch(live, { spec: { replicas: 5 } }));
measure("  strategic merge patch", () => applyStrategicMergePatch(live, image, typeInfo));
measure("  JSON patch, 10,000 operations", () => applyJsonPatch({ spec: { list: [] } }, appends));

/** Prints the median time of one call. */
function measure(name, act) {
  const warm = performance.now() + 300;
  while (performance.now() < warm) act();
  const batch = Math.max(1, Math.round(2 / timeOf(act, 20)));
  const times = Array.from({ length: 60 }, () => timeOf(act, batch)).sort((a, b) => a - b);
  const micros = (times[30] ?? 0) * 1000;
  console.log(`${name.padEnd(34)} ${micros.toFixed(micros < 100 ? 1 : 0).padStart(8)} µs`);
}

function timeOf(act, calls) {
  const start = performance.now();
  for (let call = 0; call < calls; call++) act();
  return (performance.now() - start) / calls;
}

function freeze(value) {
  if (typeof value === "object" && value !== null) {
    Object.freeze(value);
    for (const item of Object.values(value)) freeze(item);
  }
  return value;
}

/** The engines are not exported by their package, so their sources are bundled for this. */
async function load(contents) {
  const directory = mkdtempSync(join(tmpdir(), "bench-apply-"));
  try {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: root, loader: "ts" },
      bundle: true,
      write: false,
      format: "esm",
      platform: "node",
      conditions: ["kubewright-source"],
    });
    const file = join(directory, "engines.mjs");
    writeFileSync(file, outputFiles[0].text);
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

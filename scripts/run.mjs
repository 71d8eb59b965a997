// `make run`: the embedded cluster with every operator of this repository and its samples, until Ctrl-C. With RUNTIME=process, etcd and
// what the image map of IMAGES names run as processes of this machine; all else is simulated, as without it.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { nextSteps } from "./next-steps.mjs";
import { stopSignal } from "./stop-signal.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const namespace = "default";

const built = spawnSync(process.execPath, [join(root, "scripts", "build.mjs")], { stdio: "inherit" });
if (built.status !== 0) process.exit(built.status ?? 1);
const { KubeconfigFile } = await import("@kubewright/cluster");
const { startClusterThread } = await import("@kubewright/cluster/thread");
const { customKindsOf, startManager } = await import("@kubewright/runtime");
const { clientFromKubeConfig, dashboardUserAgent, hasCondition, loadKubeConfig, waitFor } = await import(
  "@kubewright/client"
);
const { AdjustableClock, CustomResourceDefinition } = await import("@kubewright/api");
const { serveDashboard } = await import("@kubewright/dashboard");
const { parseAllDocuments } = await import("yaml");

const stop = stopSignal();
const stopped = new Promise((resolve) => {
  stop.addEventListener("abort", resolve, { once: true });
});
const file = await KubeconfigFile.reserve(join(root, ".kubewright", "kubeconfig"), { orAnother: true });
const clock = new AdjustableClock();
/** The images whose programs run in pods, so that no model has to stand for them. */
let programs = [];
const cluster = await startCluster().catch((error) => {
  file.remove();
  say(`the cluster did not start: ${error.message}`);
  process.exit(1);
});
file.write(cluster.kubeconfig);
const client = clientFromKubeConfig(await loadKubeConfig({ path: file.path }));
const watcher = clientFromKubeConfig(await loadKubeConfig({ path: file.path }), {
  userAgent: dashboardUserAgent,
});
const { gitVersion } = await client.raw("/version");
const controls = cluster.controls;
const dashboard = await serveDashboard({
  client: watcher,
  server: cluster.url,
  version: gitVersion,
  controls,
});
const managers = [];
const kinds = [];
try {
  for (const line of cluster.isolation) say(`process nodes: ${line}`);
  say(`cluster ready at ${cluster.url}`);
  say(`dashboard at ${dashboard.url}`);
  await Promise.race([stopped, startAll()]);
  await stopped;
  say("\nstopping");
} finally {
  await dashboard.close();
  for (const manager of managers) await manager.close();
  await Promise.all([client.close(), watcher.close()]);
  await cluster.close();
  file.remove();
}

async function startCluster() {
  return startClusterThread({ process: await processOptions() }, { clock });
}

/** The options of process nodes where they are asked for: etcd, and what the image map of IMAGES names. */
async function processOptions() {
  const { RUNTIME: runtime = "simulated", IMAGES: images, PATH: path } = process.env;
  if (runtime === "simulated") return undefined;
  if (runtime !== "process") throw new Error(`RUNTIME=${runtime}: it is "simulated" or "process"`);
  const { builtInImages, parseImageMap } = await import("@kubewright/cluster/process");
  const given = [...fetchedEtcd(), ...(images ? parseImageMap(readFileSync(images, "utf8"), images) : [])];
  programs = [...given, ...builtInImages(path, ["etcd"])].map(({ image }) => image);
  if (programs.length === 0)
    say(
      "process nodes: there is no etcd on the PATH, so that its containers are simulated, too; npm run etcd:fetch unpacks one",
    );
  return { path, builtIns: ["etcd"], images: given };
}

/** The etcd that `npm run etcd:fetch` has unpacked, a tag for each version; the newest stands for all others. */
function fetchedEtcd() {
  const folder = join(root, ".kubewright", "etcd");
  const versions = existsSync(folder) ? readdirSync(folder).sort(byNumber) : [];
  const entry = (version, image) => {
    const names = ["etcd", "etcdctl", "etcdutl"].filter((name) => existsSync(join(folder, version, name)));
    const programs = Object.fromEntries(names.map((name) => [name, join(folder, version, name)]));
    return { image, programs, command: ["etcd"] };
  };
  const all = versions.map((version) => entry(version, `etcd:v${version}`));
  return versions.length === 0 ? [] : [entry(versions.at(-1), "etcd"), ...all];
}

function byNumber(a, b) {
  return a.localeCompare(b, "en", { numeric: true });
}

/** Starts the operators one after the other, and shows what became of their samples. */
async function startAll() {
  for (const name of readdirSync(join(root, "operators"))) {
    if (stop.aborted) return;
    await startOperator(name);
  }
  await showProgress();
  if (!stop.aborted) await showNext();
}

async function showNext() {
  const { items } = await client.list(kinds.find(({ kind }) => kind === "Guestbook") ?? kinds[0]);
  const [sample] = items;
  say(
    nextSteps({
      operators: managers.length,
      kinds,
      sample,
      kubeconfig: file.path,
      dashboard: dashboard.url,
    }),
  );
}

/** Installs the operator's kinds, starts it and applies its samples. */
async function startOperator(name) {
  const directory = join(root, "operators", name);
  if (!existsSync(join(directory, "dist", "main.js"))) return;
  const module = await import(join(directory, "dist", "main.js"));
  // Where no program runs, an operator that talks to one may bring a model of it, and says so in its status.
  const isReal = programs.some((image) => image.split(":")[0].endsWith(module.programImage ?? "etcd"));
  const definition = (isReal ? undefined : module.simulated) ?? module.default;
  const own = customKindsOf(definition);
  for (const resource of own) {
    const crd = resource.crd();
    await client.apply(CustomResourceDefinition, crd);
    await waitFor(client, CustomResourceDefinition, crd.metadata.name, hasCondition("Established"));
  }
  const report = (where, error) => {
    const text = error instanceof Error ? error.message : String(error);
    say(`${name}: ${text.startsWith(`${where}: `) ? text : `${where}: ${text}`}`);
  };
  const webhooks = process.env.ENABLE_WEBHOOKS === "false" ? false : { mode: "url", port: 0 };
  const manager = await startManager(definition, { client, clock, namespace, webhooks, onError: report });
  managers.push(manager);
  dashboard.addManager(name, manager);
  kinds.push(...own);
  say(`operator ${name} started`);
  await applySamples(join(directory, "config", "samples"), module.needOwnImage ?? []);
}

/** Kinds whose work pods of the operator's own image do are left out: there is no such image here, and they could only fail. */
async function applySamples(directory, needOwnImage) {
  if (!existsSync(directory)) return;
  for (const file of readdirSync(directory).filter(
    (entry) => /\.ya?ml$/.test(entry) && entry !== "kustomization.yaml",
  )) {
    for (const document of parseAllDocuments(readFileSync(join(directory, file), "utf8"))) {
      const object = document.toJS();
      if (needOwnImage.includes(object.kind)) {
        say(`${object.kind} ${object.metadata.name} is not applied: it needs the image of its operator`);
        continue;
      }
      const resource = await client.resource(object);
      if (resource.scope === "Namespaced") object.metadata.namespace ??= namespace;
      await client.apply(resource, object, { fieldManager: "samples", force: true });
      say(`applied ${object.kind} ${object.metadata.name}`);
    }
  }
}

/** Waits for the objects of the samples, then shows what there is as kubectl would. */
async function showProgress() {
  for (const resource of kinds.filter(({ subresources }) => subresources.includes("status"))) {
    for await (const { metadata } of client.items(resource)) {
      const options = { namespace: metadata.namespace, timeout: 60_000, signal: stop };
      await waitFor(
        client,
        resource,
        metadata.name,
        (object) => isReady(object) || hasFailed(object),
        options,
      ).then(
        (object) => say(`${resource.kind} ${metadata.name} ${hasFailed(object)?.message ?? "is ready"}`),
        (error) => stop.aborted || say(error.message),
      );
    }
  }
  for (const resource of kinds) await showTable(resource);
}

/** Workloads are available, policies are accepted, what is done once is complete, others are ready. */
function isReady(object) {
  return ["Available", "Accepted", "Ready", "Complete"].some((type) => hasCondition(type)(object));
}

/** The condition of something that is done once and has failed for good. */
function hasFailed({ status }) {
  return status?.phase === "Failed" && status.conditions?.find(({ type }) => type === "Complete");
}

async function showTable(resource) {
  const { columnDefinitions = [], rows = [] } = await client.table(resource);
  if (rows.length === 0) return;
  const shown = columnDefinitions
    .map(({ priority }, index) => (priority ? -1 : index))
    .filter((index) => index >= 0);
  const lines = [
    shown.map((index) => columnDefinitions[index].name.toUpperCase()),
    ...rows.map(({ cells }) => shown.map((index) => String(cells[index] ?? "<none>"))),
  ];
  const widths = shown.map((_, column) => Math.max(...lines.map((line) => line[column].length)) + 3);
  say(
    `\n${resource.plural}.${resource.group}\n${lines
      .map((line) =>
        line
          .map((cell, column) => cell.padEnd(widths[column]))
          .join("")
          .trimEnd(),
      )
      .join("\n")}`,
  );
}

function say(text) {
  process.stdout.write(`${text}\n`);
}

// A controller of ours beside @kubernetes/client-node's informer, kubernetes-fluent-client's watch and, where there is a Go with
// the sources of client-go, a controller of client-go: on one server over TLS, each in a process of its own, in turn.
// A cold sync of custom resources of 1.5 KB, what they cost in memory, what changes cost, how soon they are heard of, and how
// fast children are made. What is printed are medians over rounds, and ratios. Ours runs as in production: one bundled file;
// `packages` is the same program unbundled. The server is an embedded one in a process of its own, or the cluster of KUBECONFIG, where a CRD
// and its objects are created and deleted at the end.
//
//   node bench/informer.mjs [--server embedded|kubeconfig] [--objects 10000] [--rounds 3] [--updates 1000] [--large 100000]
//                           [--only kubewright,client-node]
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { caller, change, fill, install, touch, uninstall } from "./operator-suite/objects.mjs";
import { ask, end, next, removeBundles, start } from "./operator-suite/processes.mjs";
import { operatorPrograms } from "./operator-suite/programs.mjs";
import { embeddedServer, kubeconfigServer } from "./operator-suite/servers.mjs";
import { compare, median, printComparison, quantile } from "./report/comparison.mjs";
import { saveResults } from "./report/results.mjs";

const { values: options } = parseArgs({
  options: {
    server: { type: "string", default: "embedded" },
    objects: { type: "string", default: "10000" },
    rounds: { type: "string", default: "3" },
    updates: { type: "string", default: "1000" },
    large: { type: "string", default: "100000" },
    only: { type: "string" },
  },
});
const objects = Number(options.objects);
const updates = Number(options.updates);
const rounds = Number(options.rounds);

const folder = mkdtempSync(join(tmpdir(), "kubewright-bench-"));
const {
  names,
  files,
  server: serverFile,
  goProgram,
} = await operatorPrograms(folder, options.only?.split(","));
const server = options.server === "embedded" ? await embeddedServer(serverFile) : await kubeconfigServer();
try {
  await run();
} finally {
  await server.close();
  rmSync(folder, { recursive: true });
  removeBundles();
}

async function run() {
  const { where } = server;
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, where.kubeconfig, { mode: 0o600 });
  const call = caller(where);
  const context = { where, call, environment: { KUBECONFIG: kubeconfig } };
  await install(call);
  try {
    await measureAll(context);
  } finally {
    if (options.server !== "embedded") await uninstall(call);
  }
}

async function measureAll(context) {
  const { call } = context;
  const size = await fill(call, 0, objects);
  await warm(context);
  const results = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    // Turn about, so that none always comes first.
    for (const name of round % 2 ? names.toReversed() : names)
      results[name].push(await measure(name, context, round));
  }
  const titles = { packages: "unbundled" };
  console.log(`node ${process.version}; ${objects} objects of ${size} bytes; medians of ${rounds} rounds`);
  const comparison = compare(rows(), results);
  printComparison(comparison, names, titles);
  if (!goProgram.file) console.log(`client-go: skipped, ${goProgram.why}`);
  const title = `${objects} custom resources of ${size} bytes on ${server.title}.`;
  console.log(`saved in ${saveResults("informer", { title, names: published(), comparison })}`);
  await large(context);
}

/** The programs to publish: the unbundled one is for us. */
function published() {
  return names.filter((name) => name !== "packages");
}

/** Nobody who is measured pays for the server's first list. */
async function warm({ where, environment }) {
  for (const name of names) {
    const child = start(files[name], { ...where, objects }, environment);
    await next(child).finally(() => end(child));
  }
  await settle();
}

/** One program, from the start of its process. */
async function measure(name, { where, call, environment }, round) {
  const serverBefore = await server.cpu();
  const began = performance.now();
  const child = start(files[name], { ...where, objects }, environment);
  try {
    const { cpu, rss, maxRss, count } = await next(child);
    const result = { time: performance.now() - began, cpu, rss, maxRss };
    if (serverBefore !== undefined) result.serverCpu = (await server.cpu()) - serverBefore;
    if (count !== objects) throw new Error(`${name} has ${count} objects`);
    await settle();
    const first = await ask(child, { step: "first" });
    if (first !== "none") result.first = (objects / first) * 1000;
    await ask(child, { step: "updates", count: updates });
    await change(call, updates);
    result.updateCpu = (await next(child)).cpu;
    await settle();
    const patches = await ask(child, { step: "patches", count: updates });
    result.patchCpu = patches.cpu;
    result.patchRate = (updates / patches.time) * 1000;
    Object.assign(result, await latency(child, call));
    const times = await ask(child, { step: "drain", rounds: 30 });
    if (times !== "none") result.drain = (objects / median(times)) * 1000;
    result.heap = await ask(child, { step: "heap" });
    return round > 0 ? result : { ...result, ...(await children(name, where, environment)) };
  } finally {
    await end(child);
  }
}

/** 50 changes a second by somebody else: from the answer to that somebody until it is heard of here. */
async function latency(child, call) {
  await ask(child, { step: "latency" });
  const answered = [];
  for (let at = 0; at < 200; at++) {
    const version = await touch(call, (at * 37) % objects);
    answered.push([version, Number(process.hrtime.bigint())]);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const heard = new Map(await ask(child, { step: "stop" }));
  const delays = answered
    .filter(([version]) => heard.has(version))
    .map(([version, at]) => Math.max(0, heard.get(version) - at) / 1e6);
  return { p50: quantile(delays, 0.5), p99: quantile(delays, 0.99), heard: delays.length };
}

/** Children for a tenth of the objects, in a process of its own. */
async function children(name, where, environment) {
  const child = start(files[name], { ...where, objects, makesChildren: true }, environment);
  try {
    await next(child);
    await settle();
    const count = Math.min(1000, objects);
    const { time, cpu } = await ask(child, { step: "children", count });
    return { childRate: (count / time) * 1000, childCpu: (cpu / count) * 1000 };
  } finally {
    await end(child);
  }
}

/** What a cache of many objects weighs, for ours only: the others would not end. */
async function large({ where, call, environment }) {
  const count = Number(options.large);
  if (count <= objects || !names.includes("kubewright")) return;
  await fill(call, objects, count);
  const began = performance.now();
  const child = start(files.kubewright, { ...where, objects: count }, environment);
  try {
    const { rss, cpu, maxRss } = await next(child);
    const time = (performance.now() - began) / 1000;
    await settle();
    console.log(
      `${count} objects: ${mb(rss)} resident when synced (aim ≤ 330 MB), ${mb(maxRss)} at most, ` +
        `after ${time.toFixed(1)} s and ${(cpu / 1000).toFixed(1)} s of CPU`,
    );
  } finally {
    await end(child);
  }
}

/** Title, value of a result, unit, and the aim as a largest ratio to client-node or as a bound of our own. */
function rows() {
  return [
    ["cold sync: time from process start", ({ time }) => time, "ms", { ratio: 0.5 }],
    ["cold sync: CPU", ({ cpu }) => cpu, "ms"],
    ["cold sync: CPU of the server", ({ serverCpu }) => serverCpu, "ms"],
    ["resident memory when synced", ({ rss }) => rss / 1e6, "MB", { ratio: 0.45 }],
    ["largest resident memory until then", ({ maxRss }) => maxRss / 1e6, "MB"],
    ["heap of one cached object", ({ heap }) => heap / 1024, "KB", { most: 2 }],
    [`CPU of seeing ${updates} updates`, ({ updateCpu }) => updateCpu, "ms"],
    [`CPU of making and seeing ${updates} patches`, ({ patchCpu }) => patchCpu, "ms", { ratio: 0.3 }],
    ["patches, one after the other", ({ patchRate }) => patchRate, "/s", { better: "more" }],
    ["from a write's answer to hearing of it, p50", ({ p50 }) => p50, "ms"],
    ["the same, p99", ({ p99 }) => p99, "ms", { most: 2 }],
    ["drain: the first reconciles", ({ first }) => first, "/s", { better: "more" }],
    ["drain: no-op reconciles, one worker", ({ drain }) => drain, "/s", { better: "more", least: 150_000 }],
    ["children made, eight at once", ({ childRate }) => childRate, "/s", { better: "more" }],
    ["CPU of one child", ({ childCpu }) => childCpu, "µs"],
  ];
}

function mb(bytes) {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

function settle() {
  return new Promise((resolve) => setTimeout(resolve, 500));
}

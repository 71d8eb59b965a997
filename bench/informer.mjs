// A controller of ours beside @kubernetes/client-node's informer, kubernetes-fluent-client's watch and, where there is a Go with
// the sources of client-go, a controller of client-go: on one server over TLS, each in a process of its own, in turn.
// A cold sync of custom resources of 1.5 KB, what they cost in memory, what changes cost, how soon they are heard of, and how
// fast children are made. What is printed are medians over rounds, and ratios. Ours runs as in production: one bundled file;
// `packages` is the same program unbundled. The server is an embedded one in a process of its own, or the cluster of KUBECONFIG, where a CRD
// and its objects are created and deleted at the end.
//
//   node bench/informer.mjs [--server embedded|kubeconfig] [--objects 10000] [--rounds 3] [--updates 1000] [--large 100000]
//                           [--only kubewright,client-node]
import { parseArgs } from "node:util";
import { benchSession, measureInTurn, reportComparison } from "./operator-suite/bench-session.mjs";
import { change, fill, touch } from "./operator-suite/objects.mjs";
import { ask, end, next, start } from "./operator-suite/processes.mjs";
import { compare, median, quantile } from "./report/comparison.mjs";

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

await benchSession(options, async (session) => {
  const { names, call, server, goProgram } = session;
  const size = await fill(call, 0, objects);
  await warm(session);
  const results = await measureInTurn(names, rounds, (name) => measure(name, session));
  console.log(`node ${process.version}; ${objects} objects of ${size} bytes; medians of ${rounds} rounds`);
  const title = `${objects} custom resources of ${size} bytes on ${server.title}.`;
  const benchmark = options.server === "embedded" ? "informer" : "informer-kubeconfig";
  reportComparison(benchmark, { title, comparison: compare(rows(), results), names, goProgram });
  await large(session);
});

/** Nobody who is measured pays for the server's first list. */
async function warm({ names, files, server, environment }) {
  for (const name of names) {
    const child = start(files[name], { ...server.where, objects }, environment);
    await next(child).finally(() => end(child));
  }
  await settle();
}

/** One program, from the start of its process. */
async function measure(name, session) {
  const { files, server, call, environment } = session;
  const serverBefore = await server.cpu();
  const began = performance.now();
  const child = start(files[name], { ...server.where, objects }, environment);
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
    return { ...result, ...(await children(files[name], session)) };
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
async function children(file, { server, environment }) {
  const child = start(file, { ...server.where, objects, makesChildren: true }, environment);
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
async function large({ names, files, server, call, environment }) {
  const count = Number(options.large);
  if (count <= objects || !names.includes("kubewright")) return;
  await fill(call, objects, count);
  const began = performance.now();
  const child = start(files.kubewright, { ...server.where, objects: count }, environment);
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
    ["from the response of a write to its event, p50", ({ p50 }) => p50, "ms"],
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

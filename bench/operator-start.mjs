// What an operator with nothing to do costs: how long its process takes from its start until its caches are synced, its CPU until then,
// and what it holds and uses while idle. Beside the same operator written with other libraries, each in a process of its own, in turn.
//
//   node bench/operator-start.mjs [--rounds 5] [--idle 10] [--only kubewright,client-node]
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { caller, install } from "./operator-suite/objects.mjs";
import { end, next, removeBundles, start } from "./operator-suite/processes.mjs";
import { operatorPrograms } from "./operator-suite/programs.mjs";
import { embeddedServer } from "./operator-suite/servers.mjs";
import { compare, printComparison } from "./report/comparison.mjs";
import { saveResults } from "./report/results.mjs";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: process.env.QUICK ? "1" : "5" },
    idle: { type: "string", default: process.env.QUICK ? "2" : "10" },
    // kubernetes-fluent-client does not say when a list without objects is done.
    only: { type: "string", default: "kubewright,packages,client-node,client-go" },
  },
});
const idle = Number(options.idle);
const rows = [
  ["from process start until synced", ({ time }) => time, "ms"],
  ["CPU until then", ({ cpu }) => cpu, "ms"],
  ["resident memory when synced", ({ rss }) => rss / 1e6, "MB"],
  [`resident memory after ${idle} idle seconds`, ({ idleRss }) => idleRss / 1e6, "MB"],
  [`CPU of ${idle} idle seconds`, ({ idleCpu }) => idleCpu, "ms"],
];
if (process.platform !== "linux") throw new Error("the memory of other processes is read as Linux shows it");

const folder = mkdtempSync(join(tmpdir(), "kubewright-bench-"));
const {
  names,
  files,
  server: serverFile,
  goProgram,
} = await operatorPrograms(folder, options.only?.split(","));
const server = await embeddedServer(serverFile);
try {
  await run();
} finally {
  await server.close();
  rmSync(folder, { recursive: true });
  removeBundles();
}

async function run() {
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, server.where.kubeconfig, { mode: 0o600 });
  await install(caller(server.where));
  const results = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < Number(options.rounds); round++)
    for (const name of round % 2 ? names.toReversed() : names)
      results[name].push(await measure(name, { KUBECONFIG: kubeconfig }));
  const comparison = compare(rows, results);
  printComparison(comparison, names, { packages: "unbundled" });
  if (!goProgram.file) console.log(`client-go: skipped, ${goProgram.why}`);
  const published = names.filter((name) => name !== "packages");
  const title = "An operator with nothing to do on an embedded API server.";
  console.log(`saved in ${saveResults("operator-start", { title, names: published, comparison })}`);
}

async function measure(name, environment) {
  const began = performance.now();
  const child = start(files[name], { ...server.where, objects: 0 }, environment);
  try {
    const { cpu, rss } = await next(child);
    const time = performance.now() - began;
    const before = cpuOf(child.pid);
    await new Promise((resolve) => setTimeout(resolve, idle * 1000));
    return { time, cpu, rss, idleRss: memoryOf(child.pid), idleCpu: cpuOf(child.pid) - before };
  } finally {
    await end(child);
  }
}

/** Milliseconds of CPU: user and system, in hundredths of a second. */
function cpuOf(pid) {
  const [, after] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const fields = after.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function memoryOf(pid) {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) * 1024;
}

// What an operator with nothing to do costs: how long its process takes from its start until its caches are synced, its CPU until then,
// and what it holds and uses while idle. Beside the same operator written with other libraries, each in a process of its own, in turn.
//
//   node bench/operator-start.mjs [--rounds 5] [--idle 10] [--only kubewright,client-node]
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { benchSession, measureInTurn, reportComparison } from "./operator-suite/bench-session.mjs";
import { end, next, start } from "./operator-suite/processes.mjs";
import { compare } from "./report/comparison.mjs";

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

await benchSession(options, async ({ names, files, server, goProgram, environment }) => {
  const results = await measureInTurn(names, Number(options.rounds), (name) =>
    measure(files[name], { ...server.where, objects: 0 }, environment),
  );
  const title = `An operator with nothing to do on ${server.title}.`;
  reportComparison("operator-start", { title, comparison: compare(rows, results), names, goProgram });
});

async function measure(file, bench, environment) {
  const began = performance.now();
  const child = start(file, bench, environment);
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

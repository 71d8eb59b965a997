// How the cost of an object grows with their number: creating one, keeping it in memory, listing it among all, and a page of 500, as kubectl asks
// for it, at 1,000, 10,000 and 100,000 custom resources of 1.5 KB. An embedded API server in a process of its own, over TLS.
//
//   node bench/growth.mjs [--sizes 1000,10000,100000]
import { parseArgs } from "node:util";
import { caller, fill, install } from "./operator-suite/objects.mjs";
import { bundle, removeBundles } from "./operator-suite/processes.mjs";
import { embeddedServer } from "./operator-suite/servers.mjs";
import { median } from "./report/comparison.mjs";

const { values } = parseArgs({ options: { sizes: { type: "string", default: "1000,10000,100000" } } });
const sizes = values.sizes.split(",").map(Number);
/** How much dearer an object may be among many than among few. */
const limit = 1.2;
const collection = "/apis/bench.example.com/v1/widgets";

const { server: file } = await bundle(["server"]);
const server = await embeddedServer(file);
try {
  await run();
} finally {
  await server.close();
  removeBundles();
}

async function run() {
  const call = caller(server.where);
  await install(call);
  await fill(call, 0, sizes[0] / 2);
  const empty = await server.memory();
  const results = [];
  let count = sizes[0] / 2;
  for (const size of sizes) {
    results.push(await measure(call, count, size, empty));
    count = size;
  }
  print(results);
}

async function measure(call, from, to, empty) {
  const began = await server.cpu();
  await fill(call, from, to);
  const create = ((await server.cpu()) - began) / (to - from);
  const memory = ((await server.memory()) - empty) / (to - sizes[0] / 2);
  const list = (await costOf(() => call("GET", collection), 5)) / to;
  const page = await costOf(() => call("GET", `${collection}?limit=500`), 20);
  return { size: to, create: create * 1000, memory: memory / 1024, list: list * 1000, page };
}

/** Milliseconds of the server's CPU for one of several calls. */
async function costOf(work, times) {
  const costs = [];
  for (let round = 0; round < times; round++) {
    const before = await server.cpu();
    await work();
    costs.push((await server.cpu()) - before);
  }
  return median(costs);
}

function print(results) {
  const rows = [
    ["CPU of one create", "create", "µs"],
    ["heap of one object", "memory", "KB"],
    ["CPU of a full list, per object", "list", "µs"],
    ["CPU of a page of 500", "page", "ms"],
  ];
  const head = results.map(({ size }) => size.toLocaleString("en").padStart(12)).join("");
  console.log(`${"objects".padEnd(34)}${head}   last to the one before`);
  for (const [title, name, unit] of rows) {
    const figures = results.map((result) => result[name]);
    const growth = figures.at(-1) / figures.at(-2);
    const cells = figures.map((figure) => `${figure.toFixed(1)} ${unit}`.padStart(12)).join("");
    console.log(`${title.padEnd(34)}${cells}   ${growth.toFixed(2)} ${growth <= limit ? "" : "GROWS"}`);
    if (growth > limit) process.exitCode = 1;
  }
}

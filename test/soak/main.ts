// A managed operator under load for a long time, through a network that fails: node soak.mjs OPERATOR --minutes N --rate N
//
// It changes objects at a rate, breaks connections meanwhile, and in the end lets the network be well and counts the objects that the
// operator has lost sight of. It reports heap, descriptors, lost keys and duplicates, and fails on lost keys and duplicates, and on
// a heap or descriptors that keep growing.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ConfigMap } from "@kubewright/api";
import { type Cluster, startCluster } from "@kubewright/cluster";
import { FaultyProxy } from "./faulty-proxy.js";
import type { OperatorReport } from "./operator.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: "string", default: "30" }, rate: { type: "string", default: "100" } },
});
const duration = Number(values.minutes) * 60_000;
const rate = Number(values.rate);
const objects = 200;
const namespace = "default";
const written = new Map<string, string>();

const cluster = await startCluster({ nodes: 0, controllers: "none" });
const { kubeconfig, port } = await cluster.listen();
const proxy = new FaultyProxy(port, Math.random);
const folder = mkdtempSync(join(tmpdir(), "kubewright-soak-"));
const file = join(folder, "kubeconfig");
writeFileSync(file, kubeconfig.replaceAll(`:${port}`, `:${await proxy.listen()}`), { mode: 0o600 });
for (let index = 0; index < objects; index++)
  await cluster.client.create(ConfigMap, {
    metadata: { name: nameOf(index), namespace, labels: { soak: "yes" } },
  });
const operator = fork(positionals[0] ?? "", [file], { execArgv: ["--expose-gc"] });
await once(operator, "message");
const first = await settledReport();
await load();
proxy.isFaulty = false;
const lost = await lostKeys(cluster);
const last = await report();
operator.send("stop");
await once(operator, "exit");
proxy.close();
await cluster.close();
rmSync(folder, { recursive: true });
print(first, last, lost);

function nameOf(index: number): string {
  return `c-${index}`;
}

async function report(): Promise<OperatorReport> {
  const answer = once(operator, "message");
  operator.send("report");
  const [found] = (await answer) as [OperatorReport];
  return found;
}

/** The state to compare with: caches are filled, code is compiled. */
async function settledReport(): Promise<OperatorReport> {
  for (let index = 0; index < 10 * objects; index++) await change(index);
  await sleep(10_000);
  return report();
}

async function change(count: number): Promise<void> {
  const name = nameOf(count % objects);
  const text = `${count} ${Date.now()}`;
  await cluster.client.patch(ConfigMap, name, { merge: { data: { count: text } } }, { namespace });
  written.set(name, text);
}

/** Changes objects at the rate; every minute a line about the operator. */
async function load(): Promise<void> {
  const began = Date.now();
  let minute = 1;
  for (let count = 0; Date.now() - began < duration; count++) {
    await change(count);
    const ahead = began + (count * 1_000) / rate - Date.now();
    if (ahead > 0) await sleep(ahead);
    if (Date.now() - began < minute * 60_000) continue;
    minute += 1;
    process.stdout.write(`${minute - 1} min: ${line(await report())}\n`);
  }
}

/** The objects whose copy is not up to date a minute after the network is well. */
async function lostKeys({ client }: Cluster): Promise<readonly string[]> {
  for (let second = 0; ; second++) {
    const { items } = await client.list(ConfigMap, { namespace });
    const copies = new Map(items.map(({ metadata, data }) => [metadata?.name, data?.["count"]]));
    const stale = [...written]
      .filter(([name, text]) => copies.get(`${name}-copy`) !== text)
      .map(([name]) => name);
    if (stale.length === 0 || second === 60) return stale;
    await sleep(1_000);
  }
}

function line({ reconciles, duplicates, errors, heapBytes, descriptors }: OperatorReport): string {
  return `${reconciles} reconciles, ${duplicates} duplicates, ${errors} errors, heap ${(heapBytes / 1e6).toFixed(1)} MB, ${descriptors ?? "?"} descriptors`;
}

function print(before: OperatorReport, after: OperatorReport, stale: readonly string[]): void {
  const { refused, cut, stalled } = proxy.faults;
  process.stdout.write(
    [
      `faults: ${refused} connections refused, ${cut} cut, ${stalled} held up`,
      `begin: ${line(before)}`,
      `end: ${line(after)}`,
      `lost keys: ${stale.length}${stale.length > 0 ? ` (${stale.slice(0, 5).join(", ")})` : ""}`,
      "",
    ].join("\n"),
  );
  const grown = after.heapBytes > before.heapBytes * 1.5 + 5e6;
  const leaked = (after.descriptors ?? 0) > (before.descriptors ?? 0) + 20;
  process.exitCode = stale.length > 0 || after.duplicates > 0 || grown || leaked ? 1 : 0;
}

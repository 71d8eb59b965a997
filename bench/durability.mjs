// What a data directory costs: creates per second over TLS at 16 connections, with everything in memory and with every write on disk
// before it is answered. Two servers, each in a process of its own, take turns, so that both meet the same machine. With QUICK=1 there is less of it.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Agent, request } from "undici";

const quick = Boolean(process.env.QUICK);
const rounds = quick ? 3 : 7;
const objects = quick ? 500 : 2_000;
const connections = 16;

/** The child: a cluster, in memory or in a folder. */
async function serve(dataDir) {
  const { startCluster } = await import("@kubewright/cluster");
  const cluster = await startCluster({ nodes: 0, controllers: "none", ...(dataDir ? { dataDir } : {}) });
  process.send((await cluster.listen()).kubeconfig);
}

async function main() {
  const folder = mkdtempSync(join(tmpdir(), "kubewright-bench-"));
  const servers = { memory: await start(), disk: await start(join(folder, "data")) };
  const rates = { memory: [], disk: [] };
  const ratios = [];
  try {
    for (let round = -1; round < rounds; round++) {
      const rate = {};
      for (const name of round % 2 === 0 ? ["disk", "memory"] : ["memory", "disk"])
        rate[name] = await creates(servers[name].call, `r${round + 1}`);
      // The first round warms up.
      if (round < 0) continue;
      for (const name of Object.keys(rates)) rates[name].push(rate[name]);
      ratios.push(rate.disk / rate.memory);
    }
  } finally {
    for (const { child } of Object.values(servers)) child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`creates of 1.5 KB in memory: ${Math.round(median(rates.memory))} /s`);
  console.log(`with a data directory:       ${Math.round(median(rates.disk))} /s`);
  console.log(`ratio, median of ${rounds} rounds: ${median(ratios).toFixed(2)} (wanted: ≥ 0.60)`);
}

async function start(dataDir) {
  const child = spawn(
    process.execPath,
    [fileURLToPath(import.meta.url), "serve", ...(dataDir ? [dataDir] : [])],
    {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    },
  );
  const kubeconfig = await new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return { child, call: caller(kubeconfig) };
}

async function creates(call, round) {
  const started = performance.now();
  let next = 0;
  const worker = async () => {
    while (next < objects)
      await call("POST", "/api/v1/namespaces/default/configmaps", configMap(`${round}-${next++}`));
  };
  await Promise.all(Array.from({ length: connections }, worker));
  return objects / ((performance.now() - started) / 1000);
}

const configMap = (name) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, labels: { app: name } },
  data: Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`key-${index}`, "v".repeat(120)])),
});

function caller(kubeconfig) {
  const server = /server: "([^"]+)"/.exec(kubeconfig)[1];
  const token = /token: "([^"]+)"/.exec(kubeconfig)[1];
  const ca = Buffer.from(/certificate-authority-data: (\S+)/.exec(kubeconfig)[1], "base64");
  const dispatcher = new Agent({ connect: { ca }, connections });
  return async (method, path, body) => {
    const answer = await request(`${server}${path}`, {
      dispatcher,
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(text);
  };
}

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

if (process.argv[2] === "serve") await serve(process.argv[3]);
else await main();

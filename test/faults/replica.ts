// A replica of an operator in a process of its own, to be stopped and continued: node replica.mjs KUBECONFIG IDENTITY leader|shards LEASE-MS
//
// It answers every change of a ConfigMap with a write. A line on standard output says which object a reconcile was begun for, and when.

import { existsSync, rmSync, writeSync } from "node:fs";
import { ConfigMap } from "@kubewright/api";
import { clientFromKubeConfig, loadKubeConfig } from "@kubewright/client";
import { defineController, defineManager, startManager } from "@kubewright/runtime";

const [, , kubeconfig = "", identity = "", mode = "", lease = ""] = process.argv;
const leaseDuration = Number(lease);
const durations = { leaseDuration, renewDeadline: leaseDuration * 0.6, retryPeriod: leaseDuration * 0.15 };
let count = 0;
const controller = defineController(ConfigMap, {
  name: "counter",
  namespaces: ["default"],
  labelSelector: "counted=yes",
  concurrency: 8,
  reconcile: async ({ metadata }, ctx) => {
    writeSync(1, `${Date.now()} ${metadata?.name}\n`);
    const data = { by: identity, at: String(count++) };
    await ctx.apply(ConfigMap, { metadata: { name: `${metadata?.name}-count`, namespace: "default" }, data });
  },
  owns: [ConfigMap],
});
const manager = defineManager({
  name: "counter",
  controllers: [controller],
  ...(mode === "leader" ? { leaderElection: durations } : { sharding: { ...durations, handover: 1_000 } }),
});
const client = clientFromKubeConfig(await loadKubeConfig({ env: { KUBECONFIG: kubeconfig } }), {
  userAgent: identity,
  maxConnections: 8,
});
await startManager(manager, { client, namespace: "default", identity, preflight: "off" });
writeSync(1, "started\n");
// "b" blocks the event loop until a file is there; "s", which comes meanwhile, and what the server sends are then found in the same round. The process
// stops at the first, and goes on with the others.
process.stdin.on("data", (bytes: Buffer) => {
  if (bytes.includes("b")) {
    writeSync(1, "blocked\n");
    const pause = new Int32Array(new SharedArrayBuffer(4));
    while (!existsSync(`${kubeconfig}.go`)) Atomics.wait(pause, 0, 0, 5);
    rmSync(`${kubeconfig}.go`);
  }
  if (bytes.includes("s")) process.kill(process.pid, "SIGSTOP");
});

// The code of docs/guides/operating.md, with one manager on an embedded cluster. Ports are free ones, and all listen on loopback.
import { EventEmitter } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigMap, CustomResourceDefinition, Namespace } from "@kubewright/api";
import { clientFromKubeConfig, type KubeConfig, loadKubeConfig } from "@kubewright/client";
import { type Cluster, startCluster } from "@kubewright/cluster";
import * as managers from "@kubewright/runtime";
import {
  Counter,
  defineController,
  defineManager,
  type ManagerDefinition,
  MetricsRegistry,
  requestMetrics,
  type StartOptions,
} from "@kubewright/runtime";
import { runManager } from "@kubewright/runtime/main";
import { defineResource, z } from "@kubewright/schema";
import { afterAll, beforeAll, expect, test } from "vitest";

const ModelBox = defineResource({
  group: "model.github.com",
  version: "v1",
  kind: "ModelBox",
  plural: "modelboxes",
  spec: z.object({ text: z.string() }),
  status: z.object({ text: z.string().optional() }),
});
const controllers = [
  defineController(ModelBox, {
    name: "modelbox",
    owns: [ConfigMap],
    async reconcile(box, ctx) {
      await ctx.apply(ConfigMap, {
        metadata: { name: box.metadata.name ?? "" },
        data: { text: box.spec.text },
      });
      ctx.status({ text: box.spec.text });
    },
  }),
];

const repaired = new Counter({ name: "shop_repaired_total", help: "Shops repaired", labels: ["region"] });
export default defineManager({ name: "shop", controllers, metrics: [repaired] });
repaired.labels("north").inc();

const folder = mkdtempSync(join(tmpdir(), "kubewright-operating-guide-"));
let cluster: Cluster;
let config: KubeConfig;
beforeAll(async () => {
  cluster = await startCluster({ nodes: 0 });
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, (await cluster.listen()).kubeconfig);
  config = await loadKubeConfig({ env: {}, path: kubeconfig });
  await cluster.client.create(Namespace, { metadata: { name: "shop-system" } });
  await cluster.client.create(Namespace, { metadata: { name: "shop" } });
  await cluster.client.create(CustomResourceDefinition, ModelBox.crd());
});
afterAll(async () => {
  await cluster.close();
  rmSync(folder, { recursive: true });
});

const startManager = (definition: ManagerDefinition, { health, metrics, ...options }: StartOptions) =>
  managers.startManager(definition, {
    ...options,
    health: { ...health, host: "127.0.0.1", port: 0 },
    metrics: { ...metrics, host: "127.0.0.1", port: 0 },
  });

test("docs/guides/operating.md: a manager serves probes, metrics and its timeline", async () => {
  const definition = defineManager({ name: "shop", controllers, metrics: [repaired] });

  const registry = new MetricsRegistry();
  const client = clientFromKubeConfig(config, { onRequest: requestMetrics(registry) });
  const manager = await startManager(definition, {
    client,
    namespace: "shop-system",
    health: { port: 8081, host: "0.0.0.0" }, // the kubelet probes from outside the pod
    metrics: { port: 8443, host: "0.0.0.0", secure: true, registry },
  });
  manager.addresses; // { health: "http://0.0.0.0:8081", metrics: "https://0.0.0.0:8443", webhooks: "https://127.0.0.1:9443" }

  const { health, metrics } = manager.addresses;
  expect({ health, metrics }).toEqual({
    health: expect.stringMatching(/^http:/),
    metrics: expect.stringMatching(/^https:/),
  });
  await client.create(ModelBox, { metadata: { name: "web", namespace: "shop" }, spec: { text: "a" } });
  await expect.poll(() => manager.timeline.records({ controller: "modelbox" }).length).toBeGreaterThan(0);

  manager.timeline.explain({ kind: "ModelBox", key: "shop/web" });
  // [{ controller: "modelbox", history: [{ began, reasons: ["Deployment shop/web changed"], outcome: "success", duration, requeueAfter,
  //    writes: [{ verb: "status", kind: "ModelBox", key: "shop/web", resourceVersion: "712", … }], events }, …],
  //    next: { state: "delayed", due: "2026-01-01T00:10:00.000Z", failures: 0, … } }]
  manager.timeline.records({ controller: "modelbox" }); // the latest reconciles
  manager.timeline.queues(); // what waits, what is due later, what has failed how often

  const [explained] = manager.timeline.explain({ kind: "ModelBox", key: "shop/web" });
  expect([explained?.controller, explained?.history[0]?.outcome]).toEqual(["modelbox", "success"]);
  expect(registry.format()).toContain('shop_repaired_total{region="north"} 1');
  expect(registry.format()).toContain("rest_client_requests_total");
  await manager.close();
  await client.close();
});

test("docs/guides/operating.md: two lines start a process", async () => {
  const definition = defineManager({ name: "shop", controllers });
  const process = Object.assign(new EventEmitter(), {
    argv: ["node", "main.js", "--kubeconfig", join(folder, "kubeconfig"), "--tune=false"],
    env: {},
    pid: 1,
    exitCode: undefined as number | undefined,
    stdout: { write: () => undefined },
    stderr: {
      write: (line: string) => void (/"msg":"started"/.test(line) && process.emit("SIGTERM")),
    },
    exit: (code: number): never => {
      throw new Error(`exit ${code}`);
    },
  });

  process.exitCode = await runManager(definition, process);

  expect(process.exitCode).toBe(0);
});

test("docs/guides/operating.md: a check makes a manager unready", async () => {
  const bank = { ping: () => Promise.reject(new Error("the bank is closed")) };

  defineManager({ name: "shop", controllers, checks: { ready: { bank: () => bank.ping() } } }); // throws when it is not

  const definition = defineManager({
    name: "shop",
    controllers,
    checks: { ready: { bank: () => bank.ping() } },
  });
  const manager = await startManager(definition, { client: cluster.client, namespace: "shop-system" });
  const answer = await fetch(`${manager.addresses.health}/readyz/bank`);
  expect([answer.status, await answer.text()]).toEqual([500, expect.stringContaining("the bank is closed")]);
  await manager.close();
});

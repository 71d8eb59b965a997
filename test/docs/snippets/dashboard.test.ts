// The code of docs/guides/dashboard.md and of the README of the package: pages that are served, built from their sources.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigMap } from "@kubewright/api";
import { type Cluster, startCluster } from "@kubewright/cluster";
import type { DashboardOptions } from "@kubewright/dashboard";
import * as dashboards from "@kubewright/dashboard";
import { defineController, defineManager, startManager } from "@kubewright/runtime";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dashboardFrom } from "../../../packages/dashboard/src/manager-dashboard.js";
// @ts-expect-error a script without types
import { buildPage } from "../../../scripts/build-page.mjs";

const page = mkdtempSync(join(tmpdir(), "kubewright-dashboard-guide-"));
const dashboard = dashboardFrom(page);
const serveDashboard = (options: DashboardOptions) => dashboards.serveDashboard({ ...options, page });
const orders = defineController(ConfigMap, { name: "orders", reconcile: () => undefined });

export default defineManager({ name: "shop", controllers: [orders], dashboard });

const shop = defineManager({ name: "shop", controllers: [orders], dashboard });
let cluster: Cluster;
beforeAll(async () => {
  await buildPage(page);
  cluster = await startCluster({ nodes: 0 });
}, 60_000);
afterAll(async () => {
  await cluster.close();
  rmSync(page, { recursive: true });
});

test("docs/guides/dashboard.md: a manager serves its dashboard where it is asked to", async () => {
  const manager = await startManager(shop, {
    client: cluster.client,
    dashboard: { port: 0, server: "here", connect: () => cluster.connect({}) },
  });
  const answer = await fetch(manager.addresses.dashboard ?? "");
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("<html")]);
  await manager.close();
});

test("packages/dashboard/README.md: a dashboard shows the managers that it is given", async () => {
  const { client } = cluster;
  const printed: string[] = [];
  const console = { log: (text: string) => void printed.push(text) };

  const dashboard = await serveDashboard({ client, server: "my cluster", version: "v1.36" });
  dashboard.addManager("shop", await startManager(shop, { client }));
  console.log(dashboard.url);

  expect(printed).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#token=/)]);
  await dashboard.close();
});

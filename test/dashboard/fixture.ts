// A dashboard over an embedded cluster with a small operator, and ways to look at it: by its stream, and in a browser where there is one.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AdjustableClock, ConfigMap, CustomResourceDefinition } from "@kubewright/api";
import { type Client, hasCondition, waitFor } from "@kubewright/client";
import { type Cluster, clusterControls, startCluster } from "@kubewright/cluster";
import { type Dashboard, serveDashboard } from "@kubewright/dashboard";
import { defineController, defineManager, type RunningManager, startManager } from "@kubewright/runtime";
import { defineResource, z } from "@kubewright/schema";
import { type Browser, chromium, type Page } from "playwright-core";
// @ts-expect-error a script without types
import { buildPage } from "../../scripts/build-page.mjs";
import { Box, boxNamed, copiesOf } from "../runtime-controllers/harness.js";

export { Box, boxNamed };

/** A kind with members, as operators of databases have. */
export const Ring = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Ring",
  spec: z.object({}),
  status: z.object({
    members: z.array(
      z.object({
        name: z.string(),
        role: z.string(),
        health: z.string(),
        dbSize: z.int(),
        version: z.string(),
      }),
    ),
  }),
});

/** Copies its text into ConfigMaps; `bad` cannot be reconciled. */
const controller = defineController(Box, {
  owns: [ConfigMap],
  backoff: { base: 60_000, max: 60_000 },
  async reconcile(box, ctx) {
    if (box.spec.text === "bad") throw new Error("this text cannot be copied");
    for (const copy of copiesOf(box)) await ctx.apply(ConfigMap, copy);
    ctx.children(ConfigMap);
    await ctx.prune();
    ctx.status({ ready: box.spec.copies });
  },
});

export class DashboardFixture {
  readonly cluster: Cluster;
  readonly manager: RunningManager;
  readonly #page: string;
  dashboard: Dashboard;

  private constructor(cluster: Cluster, manager: RunningManager, dashboard: Dashboard, page: string) {
    this.cluster = cluster;
    this.manager = manager;
    this.dashboard = dashboard;
    this.#page = page;
  }

  static async start(): Promise<DashboardFixture> {
    const page = mkdtempSync(join(tmpdir(), "kubewright-page-"));
    await buildPage(page);
    const clock = new AdjustableClock();
    const cluster = await startCluster({ nodes: 1, clock });
    const { client } = cluster;
    await client.apply(CustomResourceDefinition, Box.crd());
    await client.apply(CustomResourceDefinition, Ring.crd());
    for (const { plural, group } of [Box, Ring])
      await waitFor(client, CustomResourceDefinition, `${plural}.${group}`, hasCondition("Established"));
    const definition = defineManager({ name: "boxes", controllers: [controller] });
    const manager = await startManager(definition, { client, leaderElection: false });
    const controls = clusterControls(cluster, clock);
    const dashboard = await serveDashboard({ client, server: "test", version: "v1.36", page, controls });
    dashboard.addManager("boxes", manager);
    return new DashboardFixture(cluster, manager, dashboard, page);
  }

  get client(): Client {
    return this.cluster.client;
  }

  get page(): string {
    return this.#page;
  }

  /** Another server on the same port, as after a restart of the process. */
  async restart(): Promise<void> {
    const port = Number(new URL(this.dashboard.url).port);
    await this.dashboard.close();
    this.dashboard = await serveDashboard({
      client: this.client,
      server: "test",
      version: "v1.36",
      page: this.#page,
      port,
    });
    this.dashboard.addManager("boxes", this.manager);
  }

  async close(): Promise<void> {
    await this.dashboard.close();
    await this.manager.close();
    await this.cluster.close();
    rmSync(this.#page, { recursive: true, force: true });
  }
}

/** Debian's, or one named by the environment. */
export const browserPath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
export const hasBrowser = existsSync(browserPath);

export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: browserPath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** A page that fails the test that uses it when a script of it throws or asks another host for anything. */
export async function openPage(
  browser: Browser,
  url: string,
): Promise<{ readonly page: Page; readonly problems: string[] }> {
  const problems: string[] = [];
  const page = await browser.newPage({ viewport: { width: 1280, height: 850 } });
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("request", (request) => {
    if (new URL(request.url()).hostname !== "127.0.0.1") problems.push(`request to ${request.url()}`);
  });
  await page.goto(url);
  return { page, problems };
}

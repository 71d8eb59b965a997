// The dashboard in a browser: how fast it is there, and whether it stays fluid while 1,000 objects, and a graph of 500, change 20 times a
// second. Needs Chromium (CHROMIUM=/path, or Debian's). Long tasks are counted by the browser itself.
import { existsSync } from "node:fs";
import { get } from "node:http";
import { ConfigMap, CustomResourceDefinition } from "@kubewright/api";
import { hasCondition, waitFor } from "@kubewright/client";
import { startCluster } from "@kubewright/cluster";
import { serveDashboard } from "@kubewright/dashboard";
import { defineResource, z } from "@kubewright/schema";
import { chromium } from "playwright-core";

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
if (!existsSync(executablePath)) {
  console.log(`skipped: there is no browser at ${executablePath}`);
  process.exit(0);
}
const rows = 1_000;
const owners = 50;
const owned = 450;
const seconds = Number(process.env.SECONDS ?? 10);
const changesPerSecond = 20;
const rounds = 3;

const Widget = defineResource({
  group: "bench.example.com",
  version: "v1",
  kind: "Widget",
  spec: z.object({ size: z.int().default(1) }),
});

const cluster = await startCluster({ nodes: 0, controllers: "none" });
const { client } = cluster;
await client.apply(CustomResourceDefinition, Widget.crd());
await waitFor(client, CustomResourceDefinition, "widgets.bench.example.com", hasCondition("Established"));
const namespace = "default";
const parents = [];
for (let index = 0; index < owners; index++)
  parents.push(await client.create(Widget, { metadata: { name: `widget-${index}`, namespace }, spec: {} }));
for (let index = 0; index < owned; index++) {
  const { metadata, apiVersion, kind } = parents[index % owners];
  const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true }];
  await client.create(ConfigMap, {
    metadata: { name: `owned-${index}`, namespace, ownerReferences },
    data: {},
  });
}
for (let index = 0; index < rows; index++)
  await client.create(ConfigMap, { metadata: { name: `row-${index}`, namespace: "kube-public" }, data: {} });

const dashboard = await serveDashboard({ client, server: "bench", version: "" });
const browser = await chromium.launch({
  executablePath,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
  ],
});
try {
  const table = "#/resources/-/v1/configmaps";
  console.log(`${"script, compressed".padEnd(24)} ${await scriptSize()} KB`);
  await report("first paint", async (page) => `${Math.round(await firstPaint(page))} ms`, "#/");
  await report("table of 1,000 rows", (page) => longTasks(page, "kube-public", "row"), table);
  await report("graph of 500 objects", (page) => longTasks(page, namespace, "owned"), "#/graph");
} finally {
  await browser.close();
  await dashboard.close();
  await cluster.close();
}

async function report(name, measure, hash) {
  const results = [];
  for (let round = 0; round < rounds; round++) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 850 } });
    await page.goto(dashboard.url);
    await page.waitForSelector("main");
    await page.evaluate((next) => location.assign(next), hash);
    await page.waitForTimeout(3_000);
    results.push(await measure(page));
    await page.close();
  }
  console.log(`${name.padEnd(24)} ${results.join("   ")}`);
}

/** As browsers get it. */
function scriptSize() {
  return new Promise((resolve, reject) => {
    get(new URL("/app.js", dashboard.url), { headers: { "accept-encoding": "gzip" } }, async (response) => {
      let bytes = 0;
      for await (const chunk of response) bytes += chunk.length;
      resolve(Math.round(bytes / 1000));
    }).on("error", reject);
  });
}

function firstPaint(page) {
  return page.evaluate(
    () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
  );
}

/** Changes objects for some seconds and reports what the browser calls long tasks (over 50 ms). */
async function longTasks(page, where, prefix) {
  await page.evaluate(() => {
    globalThis.tasks = [];
    new PerformanceObserver((list) =>
      globalThis.tasks.push(...list.getEntries().map(({ duration }) => duration)),
    ).observe({
      type: "longtask",
    });
  });
  const end = Date.now() + seconds * 1_000;
  for (let count = 0; Date.now() < end; count++) {
    const name = `${prefix}-${count % 400}`;
    await client.patch(ConfigMap, name, { merge: { data: { count: `${count}` } } }, { namespace: where });
    await new Promise((resolve) => setTimeout(resolve, 1_000 / changesPerSecond));
  }
  const tasks = await page.evaluate(() => globalThis.tasks);
  const over = tasks.filter((duration) => duration > 100).length;
  return `${tasks.length} long tasks, longest ${Math.round(Math.max(0, ...tasks))} ms, ${over} over 100 ms`;
}

// Every view of the dashboard in a real browser, with real data from an embedded cluster. Without Chromium it is skipped, out loud.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  Box,
  boxNamed,
  browserPath,
  DashboardFixture,
  hasBrowser,
  openBrowser,
  openPage,
  Ring,
} from "./fixture.js";

if (!hasBrowser)
  console.warn(`skipped: there is no browser at ${browserPath}; install chromium, or set CHROMIUM`);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const hostile = `<img src=x onerror="document.title='owned'">`;

describe.skipIf(!hasBrowser)("the dashboard in a browser", { timeout: 60_000 }, () => {
  let fixture: DashboardFixture;
  let browser: Browser;
  let page: Page;
  let problems: string[];

  beforeAll(async () => {
    fixture = await DashboardFixture.start();
    browser = await openBrowser();
    await fixture.client.create(Box, boxNamed("well", { copies: 2 }));
    await fixture.client.create(Box, boxNamed("failing", { text: "bad" }));
    await fixture.client.create(Box, boxNamed("hostile", { copies: 1, text: hostile }));
    await fixture.client.create(
      await fixture.client.resource({ apiVersion: "batch/v1", kind: "CronJob" }),
      cronJob,
    );
    await fixture.client.create(Ring, { metadata: { name: "db", namespace: "default" }, spec: {} });
    await fixture.client.patch(
      Ring,
      "db",
      { merge: { status: { members } } },
      { namespace: "default", subresource: "status" },
    );
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await fixture?.close();
  });
  beforeEach(async () => {
    ({ page, problems } = await openPage(browser, fixture.dashboard.url));
    await page.getByRole("link", { name: "default/well", exact: true }).waitFor();
  });
  afterEach(async () => {
    expect(problems).toEqual([]);
    expect(await page.title()).toBe("Kubewright");
    await page.close();
  });

  const go = (hash: string): Promise<unknown> => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  const text = (): Promise<string> => page.locator("main").innerText();
  const seen = (words: string | RegExp) => page.locator("main").getByText(words).first().waitFor();
  const boxLink = (name: string): string =>
    `#/object/${Box.group}/${Box.version}/${Box.plural}/default/${name}`;

  test("the first screen shows objects, what fails, and what was done and why", async () => {
    await seen("this text cannot be copied");
    await seen(/apply ConfigMap default\/well-0/);
    await seen(/Box default\/well added/);
    expect(await page.evaluate("location.hash"), "the token is no longer in the address").toBe("#/");
    expect(await page.getByRole("link", { name: "Overview" }).getAttribute("aria-current")).toBe("page");
  });

  test("a table follows the cluster", async () => {
    await go("#/resources/-/v1/configmaps");
    await seen("well-0");
    await fixture.client.create(Box, boxNamed("late", { copies: 1 }));
    await seen("late-0");
    await fixture.client.delete(Box, "late", { namespace: "default" });
    await page.locator("main").getByText("late-0").first().waitFor({ state: "detached" });
    await page.getByLabel("Filter").fill("well-1");
    expect(await page.getByRole("row").count()).toBe(2);
  });

  test("an object is shown with status, events, timeline and managed fields; markup in it stays text", async () => {
    await go(boxLink("hostile"));
    await page.getByRole("tab", { name: "YAML" }).click();
    await seen("onerror");
    await page.getByRole("tab", { name: "Timeline" }).click();
    await seen(/apply ConfigMap default\/hostile-0/);
    await page.getByRole("tab", { name: "Fields" }).click();
    await seen("spec.text");
    await page.getByRole("tab", { name: "Events" }).click();
    await seen("Created");
    await page.getByRole("tab", { name: "Graph" }).click();
    await page.getByRole("link", { name: "ConfigMap hostile-0, ready" }).waitFor();
  });

  test("an edit that meets another manager shows the conflict, and can take the field over", async () => {
    await fixture.client.apply(Box, boxNamed("edited", { text: "a" }), { fieldManager: "somebody" });
    await go(boxLink("edited"));
    await page.getByRole("tab", { name: "YAML" }).click();
    await page.getByRole("button", { name: "Edit" }).click();
    const editor = page.getByLabel("The object as YAML");
    await editor.fill((await editor.inputValue()).replace("text: a", "text: changed"));
    await page.getByRole("button", { name: "Apply" }).click();
    await seen(/conflict with "somebody"/);
    await page.getByRole("button", { name: "Take the fields over" }).click();
    await page.getByRole("button", { name: "Edit" }).waitFor();
    await page.getByRole("tab", { name: "Changes" }).click();
    await seen("by kubewright-dashboard");
    expect(await fixture.client.get(Box, "edited", { namespace: "default" })).toMatchObject({
      spec: { text: "changed" },
    });
  });

  test("the graph goes from an object to what it owns", async () => {
    await go("#/graph");
    await page.getByRole("link", { name: "Box well, ready" }).waitFor();
    await page.getByRole("link", { name: "ConfigMap well-1, ready" }).click();
    await seen("well-1");
  });

  test("a controller can be paused: work waits, and is done when it resumes", async () => {
    await go("#/controllers");
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Resume" }).waitFor();
    await fixture.client.create(Box, boxNamed("paused", { copies: 1 }));
    await page.locator("dl.figures div", { hasText: "waiting" }).getByText("1").waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await go("#/timeline");
    await seen(/apply ConfigMap default\/paused-0/);
    await go("#/controllers");
    await seen(/failing: failed/);
  });

  test("reads, writes and their durations are in the timeline while a page is open", async () => {
    await fixture.client.create(Box, boxNamed("read", { copies: 1 }));
    await go("#/timeline");
    const steps = page.locator(".steps", { hasText: "apply ConfigMap default/read-0" });
    await steps.first().waitFor();
    expect(await steps.first().innerText()).toMatch(
      /Box default\/read added[\s\S]*apply ConfigMap default\/read-0 (<1|\d+) ms[\s\S]*list ConfigMap children \(1\) cache[\s\S]*status Box default\/read (<1|\d+) ms[\s\S]*success in/,
    );
  });

  test("the members of an object are a table, and other objects have no such tab", async () => {
    await go(`#/object/${Ring.group}/${Ring.version}/${Ring.plural}/default/db`);
    await page.getByRole("tab", { name: "Members" }).click();
    const rows = await page.locator(".members tbody tr").allInnerTexts();
    expect(rows.map((row) => row.split(/\s+/).slice(0, 7).join(" "))).toEqual([
      "db-0 leader ✓ healthy 20 MiB 3.5.30",
      "db-1 learner ✕ unreachable 512 B 3.5.30",
    ]);
    await go(boxLink("well"));
    await page.getByRole("tab", { name: "YAML" }).waitFor();
    expect(await page.getByRole("tab", { name: "Members" }).count()).toBe(0);
  });

  test("a snapshot is taken and restored", async () => {
    await go("#/cluster");
    await page.getByLabel("Name", { exact: true }).fill("with typed");
    await page.getByRole("button", { name: "Take", exact: true }).click();
    await seen("The state of now is kept as with typed.");
    await fixture.client.create(Box, boxNamed("after-snapshot", { copies: 1 }));
    await page.getByRole("button", { name: "Restore with typed" }).click();
    await seen("All objects are as they were in with typed");
    await expect(fixture.client.get(Box, "after-snapshot", { namespace: "default" })).rejects.toThrow(
      /not found/,
    );
    expect(await fixture.client.get(Box, "well", { namespace: "default" })).toBeDefined();
  });

  test("what has a schedule is on the line of time", async () => {
    await go("#/schedules");
    await seen("CronJob nightly");
    await seen("0 2 * * *");
  });

  test("time is moved forward, nodes are stopped and requests fail by the controls of the cluster", async () => {
    await go("#/cluster");
    await page.getByRole("button", { name: "1 hour" }).click();
    await seen("The cluster is 1 hour further.");
    await page.getByRole("button", { name: "Stop" }).click();
    await seen("Node node-1 no longer answers.");
    await page.getByRole("button", { name: "Start" }).click();
    await seen("Node node-1 answers again.");
    await page.getByRole("button", { name: "Inject" }).click();
    await seen("50 % of update * fail with 500.");
    await page.getByRole("button", { name: "Clear" }).click();
    await seen("All requests are served again.");
  });

  test("a text is applied, and what is wrong with it is said", async () => {
    await go("#/cluster");
    await page
      .getByLabel("YAML to apply")
      .fill("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: typed}\ndata: {a: b}\n");
    await page.getByRole("button", { name: "Apply", exact: true }).click();
    await seen("Applied ConfigMap typed.");
    await page.getByLabel("YAML to apply").fill("kind: Nothing");
    await page.getByRole("button", { name: "Apply", exact: true }).click();
    await seen("apiVersion and kind are missing");
  });

  test("search goes to an object by the keyboard alone", async () => {
    await page.getByLabel("Find an object").fill("box well");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /^well/ }).waitFor();
  });

  /** The serious faults that axe finds: by all of its rules, or by those named. */
  const faults = (rules?: readonly string[]): Promise<readonly string[]> =>
    page.evaluate(async (runOnly) => {
      const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResult> } };
      const { violations } = await axe.run(runOnly ? { runOnly } : {});
      return violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
    }, rules);

  test("no view has a serious accessibility fault, in light and in dark", async () => {
    await page.evaluate(axe);
    for (const hash of [
      "#/",
      "#/resources/-/v1/pods",
      "#/resources/-/v1/configmaps",
      boxLink("well"),
      `#/object/${Ring.group}/${Ring.version}/${Ring.plural}/default/db`,
      "#/graph",
      "#/controllers",
      "#/timeline",
      "#/schedules",
      "#/cluster",
    ]) {
      await page.emulateMedia({ colorScheme: "light" });
      await go(hash);
      await page.waitForTimeout(300);
      expect(await faults(), hash).toEqual([]);
      // In the dark nothing but colours differs.
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await faults(["color-contrast"]), `${hash} in the dark`).toEqual([]);
    }
  });

  test("at 1280 pixels the header is one line", async () => {
    const header = await page.locator("header").boundingBox();
    expect(header?.height).toBeLessThan(50);
  });

  test("at phone width nothing is wider than the screen", async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    for (const hash of [
      "#/",
      "#/resources/-/v1/configmaps",
      boxLink("well"),
      "#/graph",
      "#/controllers",
      "#/timeline",
      "#/cluster",
    ]) {
      await go(hash);
      await page.waitForTimeout(200);
      expect(await page.evaluate("document.documentElement.scrollWidth"), hash).toBeLessThanOrEqual(390);
    }
  });

  test("when the server is away the page says so, and a token of before is refused with the remedy", async () => {
    await fixture.dashboard.close();
    await page.getByText(/disconnected, trying again/).waitFor();
    await fixture.restart(); // without controls
    await page.getByRole("heading", { name: "No access" }).waitFor({ timeout: 30_000 });
    await seen(/Open the address that was printed/);
    await page.goto("about:blank");
    await page.goto(fixture.dashboard.url);
    await page.getByRole("link", { name: "default/well", exact: true }).waitFor();
    await go("#/cluster");
    await seen("Apply YAML");
    expect(await text(), "controls the cluster lacks are not shown").not.toContain("Advance time");
  });
});

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

const members = [
  { name: "db-0", role: "leader", health: "healthy", dbSize: 20 * 1024 * 1024, version: "3.5.30" },
  { name: "db-1", role: "learner", health: "unreachable", dbSize: 512, version: "3.5.30" },
];

const cronJob = {
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: { name: "nightly", namespace: "default" },
  spec: {
    schedule: "0 2 * * *",
    jobTemplate: {
      spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "busybox" }] } } },
    },
  },
};

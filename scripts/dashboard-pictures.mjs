// Takes the pictures of the dashboard in docs/images: starts `make run`, opens each view in Chromium and saves it. With a folder as its
// argument it saves every view there in light and dark, wide and as wide as a phone, to look at.
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const folder = process.argv[2];
const views = {
  overview: "#/",
  resources: "#/resources/apps/v1/deployments",
  object: "#/object/kubewright.dev/v1/guestbooks/default/guestbook",
  graph: "#/graph",
  controllers: "#/controllers",
  timeline: "#/timeline",
  schedules: "#/schedules",
  cluster: "#/cluster",
};
const variants =
  folder === undefined
    ? [{ colorScheme: "light", width: 1280, height: 850, suffix: "" }]
    : ["light", "dark"].flatMap((colorScheme) => [
        { colorScheme, width: 1280, height: 850, suffix: `-${colorScheme}` },
        { colorScheme, width: 390, height: 844, suffix: `-${colorScheme}-phone` },
      ]);
const target = folder ?? join(root, "docs", "images");

const run = spawn(process.execPath, [join(root, "scripts", "run.mjs")], {
  stdio: ["ignore", "pipe", "inherit"],
});
let output = "";
run.stdout.on("data", (data) => {
  output += data;
});
const ended = new Promise((resolve) => run.once("exit", resolve));
try {
  await printed(/Or see the operators at work/);
  const url = /dashboard at (\S+)/.exec(output)[1];
  mkdirSync(target, { recursive: true });
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  for (const { suffix, colorScheme, ...viewport } of variants)
    await takeAll(browser, url, suffix, { colorScheme, viewport });
  await browser.close();
} finally {
  run.kill("SIGTERM");
  await ended;
}

async function takeAll(browser, url, suffix, options) {
  const page = await browser.newPage(options);
  await page.goto(url);
  await page.waitForSelector("main table");
  for (const [name, hash] of Object.entries(views)) {
    await page.evaluate((next) => location.assign(next), await hashOf(page, name, hash));
    // Plots and rates need a few looks at the queues.
    await page.waitForTimeout(name === "controllers" ? 8_000 : 1_500);
    await page.screenshot({ path: join(target, `dashboard-${name}${suffix}.png`) });
  }
  await page.close();
}

/** The first guestbook, wherever it is. */
async function hashOf(page, name, hash) {
  if (name !== "object") return hash;
  await page.evaluate(() => location.assign("#/"));
  return page.evaluate(() => {
    const links = [...document.querySelectorAll(".objects a")];
    return (links.find(({ href }) => /guestbooks/.test(href)) ?? links[0]).hash;
  });
}

async function printed(pattern) {
  const end = Date.now() + 300_000;
  while (!pattern.test(output)) {
    if (Date.now() > end || run.exitCode !== null)
      throw new Error(`make run did not get that far:\n${output}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

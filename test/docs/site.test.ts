// The documentation as a static site: it is built by its command, and looked at as readers do: every link leads somewhere, nothing is
// requested from elsewhere, and search finds guides and reference.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserPath, hasBrowser, openBrowser } from "../dashboard/fixture.js";
import { repository } from "./page-runner.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const site = mkdtempSync(join(tmpdir(), "kubewright-site-"));
const files = () =>
  readdirSync(site, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".html"));
const read = (path: string): string => readFileSync(join(site, path), "utf8");
const attributesOf = (html: string, name: string): readonly string[] =>
  [...html.matchAll(new RegExp(` ${name}="([^"]*)"`, "g"))].map(([, value = ""]) =>
    value.replaceAll("&amp;", "&"),
  );

beforeAll(() => {
  execFileSync(process.execPath, [join(repository, "site/build.mjs"), site], { stdio: "pipe" });
}, 240_000);
afterAll(() => rmSync(site, { recursive: true, force: true }));

test("site: every Markdown page of the documentation is in it", () => {
  const pages = readdirSync(join(repository, "docs"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md"))
    .map((path) => path.replace(/README\.md$/, "index.md").replace(/md$/, "html"));
  expect(pages.filter((path) => !existsSync(join(site, path)))).toEqual([]);
});

test("site: every link between its pages leads to a page and an anchor that exist", () => {
  const anchors = new Map(files().map((path) => [path, new Set(attributesOf(read(path), "id"))]));
  const broken = files().flatMap((path) =>
    attributesOf(read(path), "href")
      .filter((href) => !/^[a-z]+:/.test(href))
      .filter((href) => {
        const [to = "", anchor] = href.split("#");
        const target = to === "" ? path : join(dirname(path), to);
        if (!existsSync(join(site, target))) return true;
        return anchor ? !anchors.get(target)?.has(decodeURIComponent(anchor)) : false;
      })
      .map((href) => `${path}: ${href}`),
  );
  expect(broken).toEqual([]);
});

test("site: pages load nothing from elsewhere", () => {
  const loaded = files().flatMap((path) => {
    const html = read(path);
    const linked = [...html.matchAll(/<link [^>]*href="([^"]*)"/g)].map(([, href = ""]) => href);
    return [...attributesOf(html, "src"), ...linked].map((address) => ({ path, address }));
  });
  expect(loaded.filter(({ address }) => /^([a-z]+:)?\/\//.test(address))).toEqual([]);
  expect(loaded.filter(({ path, address }) => !existsSync(join(site, dirname(path), address)))).toEqual([]);
  expect(readFileSync(join(site, "style.css"), "utf8")).not.toMatch(/url\(|@import/);
});

test("site: examples of doc comments are code", () => {
  const reference = files().filter((path) => path.startsWith("reference/"));
  expect(reference.filter((path) => read(path).includes("@example"))).toEqual([]);
  expect(read("reference/runtime.html")).toMatch(/<pre[^>]*><code>[^/]*when: anyOf\(generationChanged/);
});

test("site: line breaks within Chinese sentences are no spaces", () => {
  const text = files()
    .filter((path) => path.startsWith("zh/"))
    .map((path) => read(path).replaceAll(/<pre[\s\S]*?<\/pre>/g, ""))
    .join("");
  expect(text.match(/.{0,9}\p{Script=Han}\n\p{Script=Han}.{0,9}/gu)).toBeNull();
  expect(text).toContain("本页目录");
});

if (!hasBrowser)
  console.warn(`skipped: there is no browser at ${browserPath}; install chromium, or set CHROMIUM`);

describe.skipIf(!hasBrowser)("site in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  async function open(path: string, options: Parameters<Browser["newPage"]>[0] = {}): Promise<Page> {
    const page = await browser.newPage(options);
    page.on("pageerror", (error) => expect.soft(error.message).toBe(""));
    await page.goto(`file://${site}/${path}`);
    return page;
  }

  test.each([
    ["requeueAt", "ReconcileContext.requeueAt"],
    ["finalizer", "Finalizers"],
    ["kubewright torture", "kubewright torture"],
    ["PodSpec", "PodSpec"],
    ["etcdcluster", "EtcdCluster"],
    ["调谐", "调谐循环"],
  ])("search for %s finds %s", async (term, title) => {
    const page = await open("guides/controllers.html");
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await page.keyboard.press("/");
    await page.keyboard.type(term);
    await page.locator("#results a").first().waitFor();
    const titles = await page.locator("#results strong").allTextContents();
    expect(titles.slice(0, 8).join("\n")).toContain(title);
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => !url.pathname.endsWith("guides/controllers.html") || url.hash !== "");
    expect(requests.filter((url) => !url.startsWith("file:"))).toEqual([]);
    await page.close();
  });

  test.each([
    "index.html",
    "guides/commands.html",
    "reference/runtime.html",
    "reference/resources/guestbooks.html",
  ])("%s fits a phone, with its menu folded", async (path) => {
    const page = await open(path, { viewport: { width: 360, height: 740 } });
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    expect(await page.locator("nav.menu").isVisible()).toBe(false);
    await page.locator("label.open-menu").click();
    expect(await page.locator("nav.menu").isVisible()).toBe(true);
    await page.close();
  });

  test.each(["light", "dark"] as const)("has no accessibility violations in %s", async (colorScheme) => {
    const page = await open("guides/operating.html", { colorScheme });
    await page.evaluate(axe);
    const { violations } = (await page.evaluate("axe.run()")) as {
      violations: { id: string; nodes: { html: string }[] }[];
    };
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
    await page.close();
  });

  test("light and dark follow the system, and the button", async () => {
    const page = await open("index.html", { colorScheme: "dark" });
    const background = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const dark = await background();
    await page.locator("#theme").click();
    const light = await background();
    expect(light).not.toBe(dark);
    await page.reload();
    expect(await background()).toBe(light);
    await page.close();
  });
});

// The code of every page is compiled and run: each TypeScript block is a piece of a file that the suites execute. Links lead somewhere.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { Deployment, Service } from "@kubewright/api";
import { testCluster } from "@kubewright/testing";
import { expect, test } from "vitest";
import { blocksOf, repository, stepsOf } from "./page-runner.js";
import { lunches, problemOf, workingLunch } from "./snippets/schedule.js";
import { tortureShop } from "./snippets/torture.js";
import { Shop, shopController } from "./snippets/workload.js";

const filesUnder = (folder: string, ending: string): readonly string[] =>
  readdirSync(join(repository, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(ending) && !path.includes("node_modules"))
    .map((path) => join(folder, path));

const read = (path: string): string => readFileSync(join(repository, path), "utf8");

/** Code without what formatters change: white space, and commas at the end of lists. */
const flat = (code: string): string => code.replaceAll(/[\s,]+/g, "");

/** Files that the suites compile and run. */
const sources = [
  ...filesUnder("examples", ".ts"),
  ...filesUnder("operators", ".ts"),
  ...filesUnder("test/docs/snippets", ".ts"),
  ...filesUnder("test/examples", ".ts"),
  "test/runtime/caching-guide.test.ts",
  "test/runtime-controllers/guide.test.ts",
  "test/webhooks/guide.test.ts",
  "packages/schema/src/define/guide.test.ts",
].map((path) => flat(read(path)));

/** The page whose code has a suite of its own; its translation shows the same. */
const tested = blocksOf(read("docs/tutorial.md"));

const pages = ["README.md", ...filesUnder("docs", ".md"), ...filesUnder("packages", "README.md")];
const snippets = pages.flatMap((page) =>
  blocksOf(read(page))
    .filter(({ info }) => info === "ts")
    .map(({ text }) => ({ page, text, first: text.trim().split("\n")[0] })),
);

/** The parts of a block that blank lines separate; a source may have more between them. Imports are those of the source. */
const partsOf = (text: string): readonly string[] =>
  text
    .replaceAll(/^import [^;]*;\n?/gm, "")
    .replace(/^\/\/ src\/\S+\n/, "")
    .split(/\n\s*\n/)
    .map(flat)
    .filter((part) => part !== "");

test.each(snippets)(
  "$page: the code from $first on is part of a file that is compiled and run",
  ({ text }) => {
    const parts = partsOf(text);
    const isSource = sources.some((source) => parts.every((part) => source.includes(part)));
    expect(isSource || tested.some((block) => block.text === text)).toBe(true);
  },
);

/** Blocks by what stands behind their fence, and what checks them. Code of other tools is for comparison, and stays as it is. */
const checkedBlocks: readonly (readonly [RegExp, RegExp])[] = [
  [/^ts$/, /./], // here
  [/^sh$/, /./], // shell-blocks.test.ts
  [/^(yaml|json)$/, /./], // data-blocks.test.ts
  [/^(text)?$/, /./], // output alone
  [
    /^console( background.*| dev)?$/, // here, tutorial.test.ts, walked-pages.test.ts, test/examples
    /^(README|docs\/(tutorial|tutorials\/[\w-]+|guides\/production|operators\/[\w-]+|zh\/[\w-]+)|examples\/[\w-]+\/README)\.md$/,
  ],
  [/^(typescript|python)$/, /^docs\/from-(pepr|kopf)\.md$/],
];

test("every block of every page is of a kind that a suite checks", () => {
  const known = [...pages, ...filesUnder("examples", ".md"), ...filesUnder("operators", "README.md")];
  const unknown = known.flatMap((page) =>
    blocksOf(read(page))
      .filter(({ info }) => !checkedBlocks.some(([kind, where]) => kind.test(info) && where.test(page)))
      .map(({ info }) => `${page}: ${info}`),
  );
  expect(unknown).toEqual([]);
});

test("every fence of every page begins a line, so that no block is overlooked", () => {
  const broken = pages.filter((page) => {
    const fences = read(page).match(/^\s*```/gm) ?? [];
    return fences.length !== 2 * blocksOf(read(page)).length;
  });
  expect(broken).toEqual([]);
});

/** What suites run: the READMEs of the examples, the tutorial, and the way to production. */
const executed = [
  ...filesUnder("examples", "README.md"),
  "docs/tutorial.md",
  "docs/guides/production.md",
].flatMap((page) => blocksOf(read(page)).flatMap(stepsOf));

const steps = ["README.md", ...filesUnder("docs/tutorials", ".md")].flatMap((page) =>
  blocksOf(read(page))
    .flatMap(stepsOf)
    .map((step) => ({ page, ...step })),
);

test.each(steps)(
  "$page: `$command` and its output are on a page that is executed",
  ({ command, expected }) => {
    expect(executed).toContainEqual({ command, expected });
  },
);

const markdown = [
  ...readdirSync(repository).filter((name) => name.endsWith(".md")),
  ...["docs", "examples", "operators"].flatMap((folder) => filesUnder(folder, ".md")),
];

/** The anchors of a page, as GitHub makes them from its headings. */
const anchorsOf = (text: string): readonly string[] =>
  [...text.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-"),
  );

test.each(markdown)("%s: every link to a file of this repository leads somewhere", (page) => {
  const text = read(page).replaceAll(/^```[\s\S]*?^```$/gm, "");
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
  const broken = links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path = "", anchor] = link.split("#");
    const target = path === "" ? page : relative(repository, join(repository, dirname(page), path));
    if (!existsSync(join(repository, target))) return true;
    if (!anchor || statSync(join(repository, target)).isDirectory()) return false;
    return target.endsWith(".md") && !anchorsOf(read(target)).includes(anchor);
  });
  expect(broken).toEqual([]);
});

/** Files of the repository, by which maps and decision records can be checked. */
const repositoryFiles = ["packages", "operators", "test", "bench", "scripts", "site"].flatMap((folder) =>
  filesUnder(folder, ".ts").concat(filesUnder(folder, ".mjs"), filesUnder(folder, ".tsx")),
);
const maps = [
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  ...filesUnder("docs/decisions", ".md"),
  "docs/dependencies.md",
];

test.each(maps)("%s: the source files that it names exist", (page) => {
  const named = [...read(page).matchAll(/`([\w./-]+\.(?:ts|tsx|mjs))`/g)].map(([, path = ""]) => path);
  const parts = (path: string): readonly string[] => path.split("/").filter((part) => part !== "src");
  const exists = (path: string): boolean =>
    repositoryFiles.some((file) => `/${parts(file).join("/")}`.endsWith(`/${parts(path).join("/")}`));
  expect(named.filter((path) => path !== "main.ts" && path !== "index.ts" && !exists(path))).toEqual([]);
});

test("docs/guides/workload.md: its operator keeps a Deployment and a Service, and reports the rollout", async () => {
  await using cluster = await testCluster({ resources: [Shop], controllers: [shopController] });
  await cluster.create(Shop, {
    name: "books",
    spec: { image: "shop:1", replicas: 2, ports: [{ port: 80 }] },
  });
  await cluster.condition(Shop, "books", "Available");
  expect((await cluster.get(Shop, "books")).status).toMatchObject({ ready: "2/2" });
  await cluster.delete(Service, "books");
  await cluster.eventually(Service, "books");
  await cluster.delete(Deployment, "books");
  await cluster.eventually(Deployment, "books", ({ status }) => status?.readyReplicas === 2);
  await cluster.client.patch(
    Shop,
    "books",
    { merge: { spec: { ports: null } } as never },
    { namespace: "default" },
  );
  await cluster.eventuallyGone(Service, "books");
});

test("docs/guides/torture.md: its test passes", { timeout: 60_000 }, tortureShop);

test("docs/guides/schedule.md: times, holidays and errors are as it says", () => {
  const friday = Date.UTC(2026, 11, 25);
  expect(lunches(friday).map((time) => new Date(time ?? 0).toISOString())).toEqual([
    "2026-12-25T04:00:00.000Z",
    "2026-12-24T04:00:00.000Z",
  ]);
  expect(new Date(workingLunch(Date.UTC(2026, 11, 24)) ?? 0).toISOString()).toBe("2026-12-28T11:00:00.000Z");
  expect(problemOf("0 25 * * *")).toMatch(/^hour: /);
  expect(problemOf("0 9 31 2 *")).toContain("no year has such a day");
  for (const text of ["*/10 * * * * *", "0 9 LW * *", "0 9 * * 5L", "@every 90m", "@date 2026-12-24 18:00"])
    expect(problemOf(text)).toBeUndefined();
});

/** Words of our own for things that Kubernetes has a word for. */
const ownWords =
  /\bunless (told|said|given)\b|\bwhoever\b|\bthose who\b|\bvouches\b|\b(is|are) told\b|\btells of\b|\bhears of\b|\bwish(es)?\b|\bamiss\b|\bverdict\b|\bwithout a word\b/;
const edited = [
  ...["docs/guides", "docs/tutorials", "docs/operators", "docs/concepts", "examples"].flatMap((folder) =>
    filesUnder(folder, ".md"),
  ),
  ...filesUnder("packages", "README.md"),
  ...filesUnder("docs", ".md").filter((path) => path.split("/").length === 2),
  "README.md",
];

test.each(edited)("%s: uses the words of Kubernetes", (page) => {
  expect(
    read(page)
      .split("\n")
      .filter((line) => ownWords.test(line)),
  ).toEqual([]);
});

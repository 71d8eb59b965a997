// Projects of earlier versions, moved forward: what is still as it was scaffolded is renewed, what people wrote stays.
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { findProject } from "../../packages/cli/src/scaffold/project-file.js";
import { templatesUnder } from "../../packages/cli/src/scaffold/template.js";
import { templateHash, templateHistory } from "../../packages/cli/src/scaffold/template-history.js";
import { upgradeProject } from "../../packages/cli/src/scaffold/upgrade-project.js";
import { Workspace } from "./command-line.js";

const repository = join(import.meta.dirname, "../..");
const firstLayout: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(import.meta.dirname, "fixtures/first-layout.json"), "utf8"),
);

/** A project as the first version of the command laid it out. */
function firstProject(): Workspace {
  const shop = new Workspace();
  for (const [path, text] of Object.entries(firstLayout)) {
    mkdirSync(dirname(shop.path(path)), { recursive: true });
    writeFileSync(shop.path(path), text);
  }
  return shop;
}

/** What a new project of the same name has. */
async function newProject(): Promise<Workspace> {
  const shop = new Workspace();
  await shop.ok("init shop --domain example.com");
  shop.enter("shop");
  return shop;
}

describe("a project of the first layout", () => {
  const renewed = [
    ...[".dockerignore", ".github/workflows/ci.yaml", "Dockerfile", "Makefile", "README.md"],
    ...["biome.json", "tsconfig.json", "vitest.config.ts"],
  ];

  test("gets what a new project has, and keeps what was written since", async () => {
    using shop = firstProject();
    using fresh = await newProject();
    await shop.ok("upgrade");
    const { version } = JSON.parse(readFileSync(join(repository, "packages/cli/package.json"), "utf8"));
    expect(shop.read("PROJECT")).toBe(
      firstLayout["PROJECT"]?.replace("cliVersion: 0.0.1", `cliVersion: ${version}`),
    );
    for (const path of renewed) expect(shop.read(path), path).toBe(fresh.read(path));
    for (const path of ["src/main.ts", "src/api/v1/order.ts", "src/controllers/order.ts"])
      expect(shop.read(path), path).toBe(firstLayout[path]);
    const { dependencies, devDependencies } = JSON.parse(shop.read("package.json"));
    const theirs = JSON.parse(fresh.read("package.json"));
    const names = (packages: object) => Object.keys(packages);
    expect([names(dependencies), names(devDependencies)]).toEqual([
      names(theirs.dependencies),
      names(theirs.devDependencies),
    ]);
    expect(devDependencies["vitest"]).toBe(theirs.devDependencies.vitest);
    expect((await shop.ok("upgrade")).stdout).toBe("up to date\n");
  });

  test("is shown what would change, and stays as it is, with --dry-run", async () => {
    using shop = firstProject();
    const before = shop.files();
    const { stdout } = await shop.ok("upgrade --dry-run");
    expect(shop.files()).toEqual(before);
    expect(stdout).toMatch(/changed Dockerfile\n {2}@@ -1,\d+ \+1,\d+ @@\n/);
    expect(stdout).toContain("  -RUN npm ci\n");
    expect(stdout).toContain("  +COPY dist/main.js /main.mjs\n");
    expect(stdout).toContain("created vitest.config.ts\n");
    expect(stdout.trimEnd().split("\n").at(-1)).toBe("nothing was written; without --dry-run it is");
    const { changes } = JSON.parse((await shop.ok("upgrade --dry-run -o json")).stdout);
    expect(changes.map(({ path }: { path: string }) => path).toSorted()).toEqual(
      ["PROJECT", "package.json", ...renewed].toSorted(),
    );
  });

  test("keeps what was edited, says so, and gives way to --force", async () => {
    using shop = firstProject();
    using fresh = await newProject();
    const mine = `${firstLayout["Makefile"]}\nmine: ## My own.\n\t@echo mine\n`;
    writeFileSync(shop.path("Makefile"), mine);
    const { stdout } = await shop.ok("upgrade");
    expect(shop.read("Makefile")).toBe(mine);
    expect(stdout).toContain("Makefile was edited, so it stays as it is; --force takes the new one\n");
    await shop.ok("upgrade --force");
    expect(shop.read("Makefile")).toBe(fresh.read("Makefile"));
  });

  test("does not get back what was thrown away", async () => {
    using shop = firstProject();
    rmSync(shop.path("Makefile"));
    await shop.ok("upgrade");
    expect(Object.keys(shop.files())).not.toContain("Makefile");
  });
});

test("tools that are newer than ours are the user's choice", async () => {
  using shop = await newProject();
  const manifest = JSON.parse(shop.read("package.json"));
  manifest.dependencies["@kubewright/api"] = "0.0.1";
  manifest.devDependencies.vitest = "3.0.0";
  manifest.devDependencies.typescript = "99.0.0";
  writeFileSync(shop.path("package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  const { stdout } = await shop.ok("upgrade");
  expect(stdout).toMatch(/-\s+"vitest": "3.0.0"\n.*\+\s+"vitest": "4/);
  const { dependencies, devDependencies } = JSON.parse(shop.read("package.json"));
  expect(devDependencies.typescript).toBe("99.0.0");
  expect(dependencies["@kubewright/api"]).toMatch(/^file:/);
});

test("files that --with wrote are renewed like others, and scripts stay executable", async () => {
  using shop = new Workspace();
  await shop.ok("init shop --domain example.com --with e2e");
  shop.enter("shop");
  const current = shop.read("test/e2e/kind.sh");
  const older = `${current}echo "an older one of shop"\n`;
  writeFileSync(shop.path("test/e2e/kind.sh"), older);
  const template = "with/e2e/test/e2e/kind.sh";
  const known = [templateHash(older.replaceAll("shop", "{{projectName}}")), ...templateHistory()[template]!];
  const history = { ...templateHistory(), [template]: known };
  const { changes } = upgradeProject(findProject(shop.path("")), { history });
  expect(changes).toMatchObject([{ path: "test/e2e/kind.sh", change: "changed" }]);
  expect(shop.read("test/e2e/kind.sh")).toBe(current);
  expect(statSync(shop.path("test/e2e/kind.sh")).mode & 0o111).toBe(0o111);
});

test("every file that --with writes has a history", () => {
  const listed = Object.keys(templateHistory());
  const features = templatesUnder("with").map((path) => `with/${path}`);
  expect(listed.filter((template) => template.startsWith("with/")).toSorted()).toEqual(features.toSorted());
});

test("a PROJECT of a later form is refused", async () => {
  using shop = await newProject();
  writeFileSync(shop.path("PROJECT"), shop.read("PROJECT").replace('version: "1"', 'version: "2"'));
  const { status, stderr } = await shop.run("upgrade");
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr:
      "kubewright upgrade: PROJECT has version 2, which this kubewright does not know; use a newer one: npm install --save-dev kubewright@latest\n",
  });
});

test.each(Object.entries(templateHistory()))(
  "the history of %s ends with how it is written today",
  (path, known) => {
    const template = join(repository, "packages/cli/templates", `${path}.tmpl`);
    expect(known.at(-1)).toBe(templateHash(readFileSync(template, "utf8")));
  },
);

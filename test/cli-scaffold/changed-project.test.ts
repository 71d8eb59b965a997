// A project that is changed after it was made: a kind is taken back, groups get folders, the manager watches less, features are added.
import { execFile } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { startCluster } from "@kubewright/cluster";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { entries, findCommand } from "../../packages/cli/src/registry.js";
import { features } from "../../packages/cli/src/scaffold/features.js";
import { findKubectls } from "../kubectl/kubectl.js";
import { Workspace } from "./command-line.js";

const repository = join(import.meta.dirname, "../..");
const order = "--group shop --version v1 --kind Order";
const patience = 120_000;

/** A project that can be loaded, so that config/ follows. */
async function project(...lines: readonly string[]): Promise<Workspace> {
  const workspace = new Workspace();
  await workspace.ok("init shop --domain example.com");
  workspace.enter("shop");
  symlinkSync(join(repository, "node_modules"), workspace.path("node_modules"));
  for (const line of lines) await workspace.ok(line);
  return workspace;
}

/** Without what a link leads to. */
function filesOf(workspace: Workspace): Readonly<Record<string, string>> {
  const own = Object.entries(workspace.files()).filter(
    ([path]) => !/^(node_modules|\.kubewright)\//.test(path),
  );
  return Object.fromEntries(own);
}

describe("delete api", () => {
  test(
    "leaves the project as it was before create api and create webhook",
    async () => {
      using shop = await project("manifests");
      const before = filesOf(shop);
      for (const template of ["minimal", "app"]) {
        await shop.ok(`create api ${order} --template ${template}`);
        await shop.ok(`create webhook ${order} --defaulting --validation`);
        await shop.ok("manifests");
        const { stdout } = await shop.ok(`delete api ${order}`);
        expect(stdout).toContain("deleted   src/controllers/order.ts");
        expect(filesOf(shop)).toEqual(before);
      }
    },
    patience,
  );

  test(
    "deletes nothing that was edited, unless told",
    async () => {
      using shop = await project(`create api ${order}`);
      writeFileSync(
        shop.path("src/controllers/order.ts"),
        `${shop.read("src/controllers/order.ts")}// mine\n`,
      );
      const before = filesOf(shop);
      expect(await shop.run(`delete api ${order}`)).toMatchObject({
        status: 2,
        stderr:
          "kubewright delete api: src/controllers/order.ts was edited since, so nothing was deleted; --force deletes it, too\n",
      });
      expect(filesOf(shop)).toEqual(before);
      await shop.ok(`delete api ${order} --force`);
      expect(Object.keys(filesOf(shop))).not.toContain("src/controllers/order.ts");
      expect(shop.read("src/main.ts")).not.toContain("order");
    },
    patience,
  );

  test(
    "takes a further version out of the definition, and the first only when it is the last",
    async () => {
      using shop = await project(`create api ${order}`);
      const before = shop.read("src/api/v1/order.ts");
      await shop.ok("create api --group shop --version v2 --kind Order");
      expect(await shop.run(`delete api ${order}`)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining("Order is defined in v1; delete v2 first"),
      });
      await shop.ok("delete api --group shop --version v2 --kind Order");
      expect(shop.read("src/api/v1/order.ts")).toBe(before);
      expect(Object.keys(filesOf(shop))).not.toContain("src/api/v2/order.ts");
      expect(await shop.run("delete api --group shop --version v3 --kind Order")).toMatchObject({
        status: 2,
        stderr: expect.stringContaining("PROJECT has no Order of shop.example.com/v3"),
      });
    },
    patience,
  );

  test(
    "names a sample that was edited and still shows the kind; --force deletes it",
    async () => {
      using shop = await project(`create api ${order}`, "manifests");
      const sample = "config/samples/shop_v1_order.yaml";
      writeFileSync(shop.path(sample), `${shop.read(sample)}# mine\n`);
      const edited = shop.read(sample);
      const { stdout } = await shop.ok(`delete api ${order}`);
      expect(stdout).toContain(`to do by hand: ${sample} is yours and still shows Order`);
      expect(shop.read(sample)).toBe(edited);

      await shop.ok(`create api ${order}`);
      expect((await shop.ok(`delete api ${order} --force`)).stdout).toContain(`deleted   ${sample}`);
      expect(Object.keys(filesOf(shop))).not.toContain(sample);
    },
    patience,
  );

  test(
    "names what still imports a kind that is gone",
    async () => {
      using shop = await project(`create api ${order}`);
      writeFileSync(
        shop.path("src/other.ts"),
        'import { Order } from "./api/v1/order.js";\nexport const it = Order;\n',
      );
      const { stdout } = await shop.ok(`delete api ${order}`);
      expect(stdout).toContain("to do by hand: src/other.ts imports src/api/v1/order.ts, which is gone");
    },
    patience,
  );
});

describe("edit", () => {
  test(
    "--multigroup moves kinds into folders of their groups, and back",
    async () => {
      using shop = await project(
        `create api ${order}`,
        `create webhook ${order} --validation`,
        "create api --group stock --version v1 --kind Item",
        "manifests",
      );
      const before = filesOf(shop);
      await shop.ok("edit --multigroup");
      expect(shop.read("PROJECT")).toContain("multigroup: true");
      const files = Object.keys(filesOf(shop));
      expect(files).toContain("src/api/shop/v1/order.ts");
      expect(files).not.toContain("src/api/v1/order.ts");
      expect(shop.read("src/controllers/order.ts")).toContain('from "../api/shop/v1/order.js"');
      await shop.ok("manifests --check");
      await shop.ok("create api --group shop --version v2 --kind Order");
      expect(Object.keys(filesOf(shop))).toContain("src/api/shop/v2/order.ts");
      await shop.ok("delete api --group shop --version v2 --kind Order");
      await shop.ok("edit --multigroup=false");
      expect(filesOf(shop)).toEqual(before);
    },
    patience,
  );

  test(
    "--namespaced lets the manager watch its own namespace, --namespaced=false all of them",
    async () => {
      using shop = await project(`create api ${order}`, "manifests");
      const before = filesOf(shop);
      await shop.ok("edit --namespaced");
      expect(shop.read("src/main.ts")).toContain('namespaces: ["shop-system"]');
      expect(Object.keys(filesOf(shop))).toContain("config/rbac/role_shop-system.yaml");
      await shop.ok("edit --namespaces a,b");
      expect(shop.read("src/main.ts")).toContain('namespaces: ["a", "b"]');
      await shop.ok("edit --namespaced=false");
      expect(filesOf(shop)).toEqual(before);
    },
    patience,
  );

  test("says what it can do when it is told nothing, or nonsense", async () => {
    using shop = await project();
    expect(await shop.run("edit")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("say what: --multigroup"),
    });
    expect(await shop.run("edit --with e2")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("--with e2: did you mean e2e?"),
    });
  });
});

describe("features", () => {
  const all = Object.keys(features).join(",");

  test(
    "init --with and edit --with come to the same, and config/ is up to date",
    async () => {
      using shop = await project(`edit --with ${all}`);
      using fresh = new Workspace();
      await fresh.ok(`init shop --domain example.com --with ${all}`);
      fresh.enter("shop");
      const own = filesOf(shop);
      delete (own as Record<string, string>)["dist/install.yaml"];
      expect(filesOf(fresh)).toEqual(own);
      for (const path of [
        "test/e2e/kind.sh",
        ".devcontainer/devcontainer.json",
        "config/grafana/dashboard.json",
      ])
        expect(Object.keys(own)).toContain(path);
      expect(JSON.parse(shop.read("package.json")).kubewright).toEqual({
        prometheus: true,
        grafana: true,
        certManager: true,
      });
      await promisify(execFile)(join(repository, "node_modules/.bin/biome"), ["ci"], { cwd: shop.path("") });
      expect(await shop.run("edit --with e2e")).toMatchObject({ status: 0 });
    },
    patience,
  );

  test("the workflows run only scripts, targets and commands that there are", async () => {
    using shop = new Workspace();
    await shop.ok(`init shop --domain example.com --with ${all}`);
    shop.enter("shop");
    const { scripts } = JSON.parse(shop.read("package.json")) as { scripts: object };
    const paths = Object.keys(shop.files()).filter((path) => path.startsWith(".github/workflows/"));
    expect(paths.toSorted()).toEqual(
      ["ci", "e2e", "release"].map((name) => `.github/workflows/${name}.yaml`),
    );
    const steps = paths.flatMap((path) => {
      const [document] = parseAllDocuments(shop.read(path));
      const { jobs } = document!.toJS() as {
        jobs: Record<string, { steps: { run?: string; uses?: string }[] }>;
      };
      return Object.values(jobs).flatMap(({ steps: all }) => all.flatMap(({ run }) => (run ? [run] : [])));
    });
    const lines = [...steps, ...shop.read("test/e2e/kind.sh").split("\n")];
    expect(lines.filter((line) => /^(npm run|npx kubewright|make) /.test(line)).length).toBeGreaterThan(6);
    for (const line of lines) {
      const [, script] = /^npm run (\S+)/.exec(line) ?? [];
      if (script) expect(scripts, line).toHaveProperty([script]);
      const [, target] = /^make ([\w-]+)/.exec(line) ?? [];
      if (target) expect(shop.read("Makefile")).toMatch(new RegExp(`^${target}:`, "m"));
      const [, words] = /^npx kubewright (.*)/.exec(line) ?? [];
      if (!words) continue;
      const found = findCommand(words.split(" "));
      expect(found.kind, line).toBe("command");
      if (found.kind !== "command") continue;
      const { options } = await found.entry.load();
      for (const [, flag = ""] of words.matchAll(/ --([\w-]+)/g))
        expect(Object.keys(options), line).toContain(flag);
    }
    expect(entries.map(({ name }) => name)).toContain("delete api");
  });

  const [kubectl] = findKubectls();
  if (!kubectl) console.log("kubectl is not here; the scaffolded end-to-end test is not run");
  test.runIf(kubectl)(
    "the end-to-end test passes on the cluster that KUBECONFIG names",
    async () => {
      await using cluster = await startCluster({ nodes: 0, controllers: "none" });
      using shop = await project("edit --with e2e", `create api ${order}`, "manifests");
      writeFileSync(shop.path("kubeconfig"), (await cluster.listen()).kubeconfig);
      const { stdout } = await promisify(execFile)("npm", ["run", "test:e2e"], {
        cwd: shop.path(""),
        env: { ...process.env, KUBECONFIG: shop.path("kubeconfig"), IMG: "" },
      });
      expect(stdout).toMatch(/2 passed/);
    },
    patience,
  );
});

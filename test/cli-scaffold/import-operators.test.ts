// The kinds of this repository's operators, written down as CRDs and imported again, are the same kinds.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { customKindsOf, type ManagerDefinition } from "@kubewright/runtime";
import * as schema from "@kubewright/schema";
import { transformSync } from "esbuild";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { comparable } from "../../packages/cli/src/import-crd/testing/crd-essence.js";
import { Workspace } from "./command-line.js";

const repository = join(import.meta.dirname, "../..");
const managers = await Promise.all(
  ["modelbox", "appservice", "application", "guestbook"].map(
    async (name): Promise<ManagerDefinition> => (await import(`../../operators/${name}/src/main.ts`)).default,
  ),
);
const kinds = managers.flatMap(customKindsOf);

test.each(kinds.map((kind) => [kind.kind, kind] as const))("%s comes back as it was", async (_, kind) => {
  using shop = new Workspace();
  writeFileSync(shop.path("crd.json"), JSON.stringify(kind.crd()));
  await shop.ok("import crd crd.json --out kinds");
  const [file = ""] = readdirSync(shop.path("kinds"));
  const { code } = transformSync(shop.read(`kinds/${file}`), { loader: "ts", format: "cjs" });
  const module: { exports: Record<string, typeof kind> } = { exports: {} };
  new Function("require", "module", code)(() => schema, module);
  const imported = module.exports[kind.kind];
  expect(imported && comparable(imported.crd())).toEqual(comparable(kind.crd()));
});

test("imported kinds compile under a strict compiler, next to those they came from", async () => {
  using shop = new Workspace();
  await shop.ok("init shop --domain example.com");
  shop.enter("shop");
  const crds = kinds.map((kind) => kind.crd());
  writeFileSync(shop.path("crds.yaml"), crds.map((crd) => stringify(crd)).join("---\n"));
  const fixtures = join(repository, "packages/cli/src/import-crd/fixtures");
  const others = readdirSync(fixtures).map((name) => join(fixtures, name));
  const { stdout } = await shop.ok(["import", "crd", "crds.yaml", ...others, "--output", "json"]);
  const { changes, losses } = JSON.parse(stdout);
  expect(losses).toEqual([]);
  expect(changes.at(-1)).toEqual({ path: "PROJECT", change: "changed" });
  const modules = changes.slice(0, -1);
  expect(modules).toHaveLength(crds.length + 9);
  mkdirSync(shop.path("node_modules"), { recursive: true });
  for (const name of readdirSync(join(repository, "node_modules")))
    symlinkSync(join(repository, "node_modules", name), shop.path(`node_modules/${name}`));
  const uses = modules.map(({ path }: { path: string }, index: number) => {
    const source = shop.read(path);
    const [, kind] = /export const (\w+) =/.exec(source) ?? [];
    return `import { ${kind} as K${index} } from "./${path.slice(4).replace(/\.ts$/, ".js")}";\nexport const a${index}: K${index}["kind"] = "${kind}";`;
  });
  writeFileSync(shop.path("src/uses.ts"), uses.join("\n"));
  const tsc = join(repository, "node_modules/typescript/bin/tsc");
  const options = ["--noEmit", "--customConditions", "kubewright-source", "-p", shop.path(".")];
  const compiled = spawnSync(process.execPath, [tsc, ...options], { encoding: "utf8" });
  const mine = compiled.stdout
    .split("\n")
    .filter((line) => /^(\.\.\/)*[^ ]*src\/(api|uses)/.test(line) && !line.includes("packages/"));
  expect(mine).toEqual([]);
}, 120_000);

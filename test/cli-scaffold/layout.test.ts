// The operators of this repository are laid out as a scaffolded project is, so that what one learns from them holds at home.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { kebabCase } from "../../packages/cli/src/scaffold/names.js";
import { Workspace } from "./command-line.js";

const root = join(import.meta.dirname, "../../operators");
const operators = readdirSync(root).filter((name) => existsSync(join(root, name, "src/main.ts")));

/** `src/api/v1/order.ts` → `src/api/<version>`: the folder of a source, whatever it is for. */
const folderOf = (path: string): string =>
  path
    .split("/")
    .slice(0, -1)
    .join("/")
    .replace(/^src\/api\/(.+\/)?v[^/]+$/, "src/api/<version>");

const sourcesOf = (directory: string): readonly string[] =>
  readdirSync(join(directory, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1));

test("there are operators to compare", () => expect(operators).toContain("modelbox"));

describe.each(operators)("%s", (name) => {
  const directory = join(root, name);

  test("has its sources where a scaffolded project has them", async () => {
    using shop = new Workspace();
    await shop.ok("init shop --domain example.com --template app");
    shop.enter("shop");
    await shop.ok("create webhook --group web --version v1 --kind App --defaulting");
    const scaffolded = new Set(sourcesOf(shop.path(".").replace(/\/\.?$/, "")).map(folderOf));
    for (const folder of new Set(sourcesOf(directory).map(folderOf)))
      expect([...scaffolded]).toContain(folder);
  });

  test("defines each kind in a file of its name, with a controller of that name", () => {
    const sources = sourcesOf(directory);
    const kinds = sources
      .filter((path) => path.startsWith("src/api/") && !path.endsWith(".test.ts"))
      .flatMap((path) => {
        const text = readFileSync(join(directory, path), "utf8");
        return [...text.matchAll(/export const (\w+) = defineResource\(/g)].map(([, kind = ""]) => ({
          kind,
          path,
        }));
      });
    expect(kinds.length).toBeGreaterThan(0);
    for (const { kind, path } of kinds) expect(path).toMatch(new RegExp(`/${kebabCase(kind)}\\.ts$`));
    const controllers = sources.filter((path) => path.startsWith("src/controllers/"));
    expect(kinds.some(({ kind }) => controllers.includes(`src/controllers/${kebabCase(kind)}.ts`))).toBe(
      true,
    );
  });

  test("default-exports its manager from src/main.ts", () => {
    expect(readFileSync(join(directory, "src/main.ts"), "utf8")).toMatch(
      /^export default defineManager\(\{/m,
    );
  });

  test("depends on what a scaffolded project depends on, and has samples", async () => {
    using shop = new Workspace();
    await shop.ok("init shop --domain example.com");
    shop.enter("shop");
    const own = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
    const theirs = JSON.parse(shop.read("package.json"));
    expect(own).toMatchObject({ type: theirs.type, private: true, engines: theirs.engines });
    for (const dependency of Object.keys(theirs.dependencies))
      expect(own.dependencies).toHaveProperty([dependency]);
    expect(readdirSync(join(directory, "config/samples")).length).toBeGreaterThan(0);
  });
});

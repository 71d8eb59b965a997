// The build as people meet it: a project linked to the checkout finds code and types in it, before, during and after.
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const repository = join(import.meta.dirname, "../..");
let root: string;
const at = (path: string) => join(root, "packages/api", path);
const build = () => execFileSync(process.execPath, [join(root, "scripts/build.mjs")], { stdio: "pipe" });

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "kubewright-build-"));
  mkdirSync(at("src"), { recursive: true });
  for (const path of [
    "scripts/build.mjs",
    "scripts/build-page.mjs",
    "scripts/build-stamp.mjs",
    "scripts/build-types.mjs",
    "tsconfig.json",
    "LICENSE",
  ])
    cpSync(join(repository, path), join(root, path));
  cpSync(join(repository, "packages/tsconfig.build.json"), join(root, "packages/tsconfig.build.json"));
  cpSync(join(repository, "packages/api/tsconfig.build.json"), at("tsconfig.build.json"));
  symlinkSync(join(repository, "node_modules"), join(root, "node_modules"));
  const entry = (name: string) => ({ "kubewright-source": `./src/${name}.ts`, import: `./dist/${name}.js` });
  const exports = { ".": entry("index"), "./old": entry("old") };
  writeFileSync(at("package.json"), JSON.stringify({ name: "a", type: "module", exports }));
  writeFileSync(at("src/index.ts"), "export const one: number = 1;\n");
  writeFileSync(at("src/old.ts"), "export const old: number = 1;\n");
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

test("npm run build: writes types beside the code, replaces both, and leaves types alone that are up to date", () => {
  build();
  expect(readFileSync(at("dist/index.d.ts"), "utf8")).toContain("one: number");
  writeFileSync(at("dist/index.d.ts"), "// as it was\n");
  writeFileSync(at("README.md"), "# A change that is built\n");
  build();
  expect(readFileSync(at("dist/index.d.ts"), "utf8")).toBe("// as it was\n");
  writeFileSync(at("src/index.ts"), "export const two: string = 'b';\n");
  rmSync(at("src/old.ts"));
  build();
  expect(readFileSync(at("dist/index.d.ts"), "utf8")).toContain("two: string");
  expect(readFileSync(at("dist/index.js"), "utf8")).toContain("two");
  expect(["dist/old.js", "dist/old.d.ts"].filter((path) => existsSync(at(path)))).toEqual([]);
}, 60_000);

test("npm run build: builds nothing when no source has changed, and everything that is missing", () => {
  writeFileSync(at("dist/index.js"), "// as it was\n");
  build();
  expect(readFileSync(at("dist/index.js"), "utf8")).toBe("// as it was\n");
  rmSync(at("dist"), { recursive: true });
  build();
  expect(readFileSync(at("dist/index.js"), "utf8")).toContain("two");
}, 60_000);

test("npm run build: a type error fails the build and leaves the types of the last good one", () => {
  const before = readFileSync(at("dist/index.d.ts"), "utf8");
  writeFileSync(at("src/index.ts"), "export const two: string = 2;\n");
  const { status, stdout } = spawnSync(process.execPath, [join(root, "scripts/build.mjs")], {
    encoding: "utf8",
  });
  expect(stdout).toContain("src/index.ts(1,14)");
  expect(status).not.toBe(0);
  expect(existsSync(at("dist/index.d.ts"))).toBe(true);
  expect(before).toContain("two: string");
}, 60_000);

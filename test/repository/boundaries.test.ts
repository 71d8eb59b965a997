// The check that guards the layers must itself be able to fail.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const script = join(import.meta.dirname, "../../scripts/check-boundaries.mjs");

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "kubewright-boundaries-"));
  write("package.json", JSON.stringify({ devDependencies: { vitest: "1" } }));
  for (const name of ["api", "client", "runtime", "apiserver"]) {
    const dependencies = { "@kubewright/api": "1", "@kubewright/apiserver": "1", "@kubewright/client": "1" };
    write(`packages/${name}/package.json`, JSON.stringify({ name: `@kubewright/${name}`, dependencies }));
  }
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, content: string): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

function check(): { status: number | null; stderr: string } {
  const { status, stderr } = spawnSync(process.execPath, [script, root], { encoding: "utf8" });
  return { status, stderr };
}

test("imports that point down the layers are fine", () => {
  write(
    "packages/runtime/src/a.ts",
    'import { readFileSync } from "node:fs";\nimport type { Client } from "@kubewright/client";\n',
  );
  write("packages/runtime/src/a.test.ts", 'import { test } from "vitest";\nimport "./fixtures/a.js";\n');
  write("packages/runtime/src/fixtures/a.ts", 'import { test } from "vitest";\nimport "../a.js";\n');
  expect(check()).toEqual({ status: 0, stderr: "" });
});

describe("refused is", () => {
  test.each([
    [
      "an import upwards",
      'import { x } from "@kubewright/client";',
      "api may not import @kubewright/client",
      "api",
    ],
    [
      "an import sideways",
      'import {\n  type A,\n  b,\n} from "@kubewright/apiserver";',
      "runtime may not import @kubewright/apiserver",
      "runtime",
    ],
    ["an import nobody declared", 'export { z } from "zod";', "zod is not declared", "runtime"],
    ["a dynamic import nobody declared", 'const z = await import("zod");', "zod is not declared", "runtime"],
    ["a test tool outside a test", 'import { test } from "vitest";', "vitest is not declared", "runtime"],
    [
      "what is there for tests",
      'import { x } from "./fixtures/x.js";',
      "needs what is there for tests",
      "runtime",
    ],
    [
      "a path into another package",
      'import { x } from "../../client/src/x.js";',
      "reaches into another package",
      "runtime",
    ],
  ])("%s", (_what, source, message, name) => {
    write(`packages/${name}/src/a.ts`, `${source}\n`);
    const { status, stderr } = check();
    expect(stderr).toContain(message);
    expect(status).toBe(1);
  });

  test("a cycle between files", () => {
    write("packages/api/src/a.ts", 'import { b } from "./b.js";\n');
    write("packages/api/src/b.ts", 'export * from "./c.js";\n');
    write("packages/api/src/c.ts", 'import { a } from "./a.js";\n');
    expect(check().stderr).toContain(
      "import cycle: packages/api/src/a.ts → packages/api/src/b.ts → packages/api/src/c.ts",
    );
  });

  test.each(["apiserver", "runtime"])("two folders of %s that import each other", (name) => {
    write(`packages/${name}/src/low/a.ts`, 'import type { B } from "../high/b.js";\n');
    write(`packages/${name}/src/high/b.ts`, "export type B = string;\n");
    expect(check()).toEqual({ status: 0, stderr: "" });
    write(`packages/${name}/src/high/c.ts`, 'import type { D } from "../low/d.js";\n');
    const { status, stderr } = check();
    expect(stderr).toContain(`folders import each other: packages/${name}/src/high/c.ts needs low`);
    expect(status).toBe(1);
  });
});

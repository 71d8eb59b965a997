import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TypeCheck } from "./type-check.js";

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "kubewright-types-"));
  mkdirSync(join(root, "src"));
  symlinkSync(join(import.meta.dirname, "../../../../node_modules"), join(root, "node_modules"));
  const compilerOptions = { module: "NodeNext", strict: true, types: [] };
  writeFileSync(join(root, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["src"] }));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function checked(source: string): Promise<readonly string[]> {
  writeFileSync(join(root, "src/main.ts"), source);
  return new Promise((resolve) => {
    expect(new TypeCheck(root, resolve).start()).toBe(true);
  });
}

test("dev: type errors are reported with the place that editors open, and their absence too", async () => {
  expect(await checked('export const count: number = "one";\n')).toEqual([
    "src/main.ts:1:14: error TS2322: Type 'string' is not assignable to type 'number'.",
  ]);
  expect(await checked("export const count: number = 1;\n")).toEqual([]);
}, 60_000);

test("dev: a project without a compiler is not checked", () => {
  expect(new TypeCheck(tmpdir(), () => expect.unreachable()).start()).toBe(false);
});

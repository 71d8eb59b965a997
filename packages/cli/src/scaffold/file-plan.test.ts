import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FilePlan } from "./file-plan.js";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kubewright-plan-"));
  writeFileSync(join(folder, "mine"), "mine");
});
afterEach(() => rmSync(folder, { recursive: true }));
const read = (path: string) => readFileSync(join(folder, path), "utf8");

test("files are made, changed, kept or left alone", () => {
  const plan = new FilePlan(folder);
  plan.add("a/b/new", "new", "refuse");
  plan.add("mine", "other", "keep");
  plan.edit("mine", "mine too");
  expect(existsSync(join(folder, "a"))).toBe(false);
  expect(plan.write()).toEqual([
    { path: "a/b/new", change: "created" },
    { path: "mine", change: "changed" },
  ]);
  expect([read("a/b/new"), read("mine")]).toEqual(["new", "mine too"]);
  const again = new FilePlan(folder);
  again.add("a/b/new", "new", "refuse");
  again.add("mine", "scaffold", "keep");
  expect(again.write().map(({ change }) => change)).toEqual(["unchanged", "kept"]);
  expect(read("mine")).toBe("mine too");
});

test("one file in the way, and nothing is written", () => {
  const plan = new FilePlan(folder);
  plan.add("new", "new", "refuse");
  plan.add("mine", "other", "refuse");
  expect(() => plan.write()).toThrow("mine is there already; nothing was changed (--force overwrites)");
  expect(readdirSync(folder)).toEqual(["mine"]);
});

test("what fails half-way is undone", () => {
  mkdirSync(join(folder, "taken"));
  const plan = new FilePlan(folder);
  plan.add("a/b/new", "new", "refuse");
  plan.edit("mine", "changed");
  plan.edit("mine/below", "cannot be: mine is a file");
  expect(() => plan.write()).toThrow();
  expect(readdirSync(folder).sort()).toEqual(["mine", "taken"]);
  expect(read("mine")).toBe("mine");
});

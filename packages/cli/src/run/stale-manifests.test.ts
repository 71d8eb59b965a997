import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { defineController, defineManager } from "@kubewright/runtime";
import { defineResource, z } from "@kubewright/schema";
import { afterEach, beforeEach, expect, test } from "vitest";
import { planManifests } from "../manifests/generate.js";
import { staleManifests } from "./stale-manifests.js";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "kubewright-stale-"));
  writeFileSync(join(root, "package.json"), '{ "name": "shop" }');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** The operator, whose kind has this field. */
const projectWith = (field: string) => {
  const Order = defineResource({
    group: "shop.example.com",
    version: "v1",
    kind: "Order",
    spec: z.object({ [field]: z.string() }),
  });
  const controllers = [defineController(Order, { reconcile: () => undefined })];
  return { root, definition: defineManager({ name: "shop", controllers }) };
};

function writeManifests(project: ReturnType<typeof projectWith>): void {
  for (const [path, text] of planManifests(root, project.definition).write) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

test("a project without config/: no line is printed", () => {
  expect(staleManifests(projectWith("colour"))).toBeUndefined();
});

test("manifests that follow from the code are not mentioned", () => {
  writeManifests(projectWith("colour"));
  expect(staleManifests(projectWith("colour"))).toBeUndefined();
});

test("after a change of the code, the line says how many files are out of date and what updates them", () => {
  writeManifests(projectWith("colour"));
  expect(staleManifests(projectWith("size"))).toMatch(
    /^config\/ is out of date \(\d+ files?\); npx kubewright manifests updates it$/,
  );
});

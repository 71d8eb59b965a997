import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runtimeVersion } from "./version.js";

test("the version that managers log is the version in package.json", () => {
  const manifest = readFileSync(join(import.meta.dirname, "../../package.json"), "utf8");
  expect(runtimeVersion).toBe(JSON.parse(manifest).version);
});

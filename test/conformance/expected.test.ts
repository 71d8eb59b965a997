// The list of Kubernetes' own tests that the embedded cluster passes, and what it must not be passed with.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const namesIn = (file: string): readonly string[] =>
  readFileSync(join(root, "test/conformance", file), "utf8")
    .split("\n")
    .filter(Boolean);
const expected = namesIn("expected.txt");
const withImages = namesIn("expected-with-images.txt");

/** Raise it with the list. */
const atLeast = 300;

it("the list of tests expected to pass is sorted, names each once, and only grows", () => {
  expect(expected).toEqual([...new Set(expected)].sort());
  expect(expected.length).toBeGreaterThanOrEqual(atLeast);
});

it("the list of tests expected to pass with programs in pods is sorted, names each once, and only grows", () => {
  expect(withImages).toEqual([...new Set(withImages)].sort());
  expect(withImages.length).toBeGreaterThanOrEqual(117);
});

it("no product code knows images, programs or namespaces of that suite", () => {
  const sources = ["packages", "operators"].flatMap((folder) =>
    readdirSync(join(root, folder)).flatMap((name) => sourcesIn(join(root, folder, name, "src"))),
  );
  expect(sources.length).toBeGreaterThan(1000);
  const names =
    /agnhost|e2e-test-images|sample-apiserver|jessie-dnsutils|nautilus|webserver:404|nsdeletetest/i;
  const known = sources.filter((file) => names.test(readFileSync(file, "utf8")));
  expect(known).toEqual([]);
});

function sourcesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !/\.test\.ts$|fixtures\//.test(file))
    .map((file) => join(folder, file));
}

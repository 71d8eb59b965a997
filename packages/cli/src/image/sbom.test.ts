import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { bundledPackages, spdxDocument } from "./sbom.js";

const root = mkdtempSync(join(tmpdir(), "kubewright-sbom-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, content: object): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(content));
}

write("package.json", { name: "shop", version: "1.2.3", license: "UNLICENSED" });
write("node_modules/@scope/lib/package.json", { name: "@scope/lib", version: "2.0.0", license: "MIT" });
write("node_modules/@scope/lib/dist/package.json", { type: "module" });
write("node_modules/unused/package.json", { name: "unused", version: "1.0.0" });
write("node_modules/odd/package.json", { name: "odd", version: "0.1.0", license: "SEE LICENSE IN x.txt" });
const files = [
  "kubewright-entry.ts",
  "src/main.ts",
  "node_modules/@scope/lib/dist/a.js",
  "node_modules/@scope/lib/b.js",
  "node_modules/odd/index.js",
];

test("the SBOM has each package that is in the bundle, once, and none that is not", () => {
  expect(bundledPackages(root, files)).toEqual([
    { name: "@scope/lib", version: "2.0.0", license: "MIT" },
    { name: "odd", version: "0.1.0", license: "SEE LICENSE IN x.txt" },
    { name: "shop", version: "1.2.3", license: "UNLICENSED" },
  ]);
});

test("the SBOM is an SPDX document with what the format requires, the same each time", () => {
  const content = {
    name: "shop",
    program: Buffer.from("1"),
    packages: bundledPackages(root, files),
    base: {
      source: "base",
      reference: { name: "gcr.io/distroless/nodejs22-debian12:nonroot", digest: `sha256:${"a".repeat(64)}` },
      images: [],
    },
  };
  const text = spdxDocument(content);
  expect(spdxDocument(content)).toBe(text);
  const document = JSON.parse(text);
  expect(document).toMatchObject({
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: "SPDXRef-DOCUMENT",
    name: "shop",
    documentNamespace: expect.stringMatching(/^https:\/\/[^#\s]+$/),
    creationInfo: { created: "1970-01-01T00:00:00Z", creators: ["Tool: kubewright"] },
  });
  const ids = document.packages.map(({ SPDXID }: { SPDXID: string }) => SPDXID);
  expect(new Set(ids).size).toBe(ids.length);
  for (const each of document.packages) {
    expect(each).toMatchObject({ name: expect.any(String), downloadLocation: expect.any(String) });
    expect(each.SPDXID).toMatch(/^SPDXRef-[A-Za-z0-9.-]+$/);
  }
  for (const { spdxElementId, relatedSpdxElement } of document.relationships)
    expect([...ids, "SPDXRef-DOCUMENT"]).toEqual(expect.arrayContaining([spdxElementId, relatedSpdxElement]));
  const purls = document.packages.flatMap((each: { externalRefs?: { referenceLocator: string }[] }) =>
    (each.externalRefs ?? []).map(({ referenceLocator }) => referenceLocator),
  );
  expect(purls).toEqual([
    "pkg:npm/%40scope/lib@2.0.0",
    "pkg:npm/odd@0.1.0",
    "pkg:npm/shop@1.2.3",
    `pkg:oci/nodejs22-debian12@sha256%3A${"a".repeat(64)}?repository_url=gcr.io%2Fdistroless%2Fnodejs22-debian12`,
  ]);
  const licenses = document.packages.map(
    ({ licenseDeclared }: { licenseDeclared?: string }) => licenseDeclared,
  );
  expect(licenses).toEqual([undefined, "MIT", "NOASSERTION", "NOASSERTION", undefined]);
});

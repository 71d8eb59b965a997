// The lock file pins what is installed: every package by its hash, in the order that npm writes.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

interface Entry {
  readonly link?: boolean;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const repository = join(import.meta.dirname, "../..");

const file = join(repository, "package-lock.json");
const packages: Readonly<Record<string, Entry>> = JSON.parse(readFileSync(file, "utf8")).packages;
const entries = Object.entries(packages);

test("package-lock.json has an integrity hash for every package that is downloaded", () => {
  const downloaded = entries.filter(([path, { link }]) => path.includes("node_modules/") && !link);
  expect(downloaded.length).toBeGreaterThan(100);
  expect(downloaded.filter(([, { integrity }]) => !integrity?.startsWith("sha512-"))).toEqual([]);
});

test("package-lock.json has the packages of every platform, so that npm ci accepts it anywhere", () => {
  const missing = entries.flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !(`${path}/node_modules/${name}` in packages || `node_modules/${name}` in packages),
    ),
  );
  expect(missing).toEqual([]);
});

test("package-lock.json is in the order that npm writes, so that npm install leaves it unchanged", () => {
  const paths = entries.map(([path]) => path);
  expect(paths).toEqual(paths.toSorted((a, b) => a.localeCompare(b, "en")));
});

test("package-lock.json has the dependencies that every package states, so that npm install leaves it unchanged", () => {
  const workspaces = entries.filter(([path]) => !path.includes("node_modules/"));
  expect(workspaces.length).toBeGreaterThan(10);
  for (const [path, locked] of workspaces) {
    const manifest = JSON.parse(readFileSync(join(repository, path, "package.json"), "utf8"));
    expect(stated(locked), path || "the repository").toEqual(stated(manifest));
  }
});

function stated(entry: object): readonly unknown[] {
  const lists = [
    "dependencies",
    "devDependencies",
    "peerDependencies",
    "optionalDependencies",
    "bin",
    "engines",
  ];
  return lists.map((name) => Object.entries(entry).find(([key]) => key === name)?.[1] ?? {});
}

// What users install is the packed tarball, so that is what is tested: each package is built, packed, unpacked into an empty
// project and imported there, and its declarations are type-checked as a user's compiler would.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packedPackages } from "./packed-packages.js";

const root = join(import.meta.dirname, "../..");
const project = mkdtempSync(join(tmpdir(), "kubewright-packed-"));
const packages = readdirSync(join(root, "packages"))
  .map((name) => join(root, "packages", name))
  .filter((directory) => existsSync(join(directory, "package.json")))
  .map((directory) => ({ directory, manifest: readManifest(directory) }));

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

beforeAll(async () => {
  for (const [archive, folder] of await packedPackages()) {
    const target = join(project, "node_modules", readManifest(folder).name);
    mkdirSync(target, { recursive: true });
    execFileSync("tar", ["xzf", archive, "-C", target, "--strip-components=1"]);
  }
  for (const name of new Set(packages.flatMap(({ manifest }) => Object.keys(manifest.dependencies ?? {})))) {
    const target = join(project, "node_modules", name);
    if (existsSync(target)) continue;
    mkdirSync(dirname(target), { recursive: true });
    symlinkSync(join(root, "node_modules", name), target);
  }
  for (const name of ["@types/node", "undici-types"]) {
    const target = join(project, "node_modules", name);
    mkdirSync(dirname(target), { recursive: true });
    if (existsSync(join(root, "node_modules", name))) symlinkSync(join(root, "node_modules", name), target);
  }
  writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module" }));
}, 300_000);

afterAll(() => rmSync(project, { recursive: true, force: true }));

describe.each(packages)("$manifest.name", ({ manifest }) => {
  const entries = Object.entries(manifest.exports).map(
    // A program that is started by its path exports nothing, and does nothing when it is imported.
    ([entry, conditions]) =>
      [join(manifest.name, entry), Object.hasOwn(Object(conditions), "default") ? 0 : 1] as const,
  );

  test.each(entries)("%s can be imported from the tarball, with at least %i exports", (entry, least) => {
    const script = `import(${JSON.stringify(entry)}).then((m) => console.log(Object.keys(m).length))`;
    const printed = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
      cwd: project,
      encoding: "utf8",
    });
    expect(Number(printed)).toBeGreaterThanOrEqual(least);
  });
});

test("the shipped declarations satisfy a strict compiler", () => {
  const imports = packages.flatMap(({ manifest }) =>
    Object.keys(manifest.exports).map((entry) => join(manifest.name, entry)),
  );
  const lines = imports.map(
    (entry, index) => `import * as m${index} from ${JSON.stringify(entry)};\nexport { m${index} };`,
  );
  writeFileSync(join(project, "index.ts"), lines.join("\n"));
  const options = {
    module: "NodeNext",
    target: "ES2023",
    lib: ["ES2023", "ESNext.Disposable"],
    strict: true,
    noEmit: true,
    types: ["node"],
    exactOptionalPropertyTypes: true,
  };
  writeFileSync(
    join(project, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { ...options, skipLibCheck: true }, files: ["index.ts"] }),
  );
  const compile = () =>
    execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", project], {
      stdio: "pipe",
      encoding: "utf8",
    });
  expect(compile).not.toThrow();
}, 60_000);

function readManifest(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as Manifest;
}

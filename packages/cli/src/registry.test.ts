import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Metafile } from "esbuild";
import { describe, expect, test } from "vitest";
import { entries } from "./registry.js";

const folder = dirname(fileURLToPath(import.meta.url));

/** Where everything would be in a bundle, by what is imported at once and what only when asked for. */
async function bundled(): Promise<Metafile["outputs"]> {
  const { metafile } = await build({
    absWorkingDir: folder,
    entryPoints: ["index.ts"],
    outdir: "out",
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "node",
    packages: "external",
  });
  return metafile.outputs;
}

/** The packages that loading a file loads. */
function packagesOf(outputs: Metafile["outputs"], path: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(path)) return [];
  seen.add(path);
  const imports = outputs[path]?.imports.filter(({ kind }) => kind === "import-statement") ?? [];
  return imports.flatMap((each) => (each.external ? [each.path] : packagesOf(outputs, each.path, seen)));
}

describe("commands are loaded when they are used", () => {
  const outputs = bundled();

  test("the list of commands, for --help and unknown commands, loads no package but one of Node's", async () => {
    expect(packagesOf(await outputs, "out/index.js")).toEqual(["node:util"]);
  });

  test.each(entries.map(({ name }) => name))("%s has a module of its own", async (name) => {
    const file = join("commands", `${name.replace(" ", "-")}.ts`);
    expect(Object.values(await outputs).some(({ entryPoint }) => entryPoint === file)).toBe(true);
  });

  test("scaffolding loads neither the cluster nor the bundler", async () => {
    const all = await outputs;
    const [path = ""] =
      Object.entries(all).find(([, { entryPoint }]) => entryPoint === "commands/create-api.ts") ?? [];
    const heavy = ["@kubewright/cluster", "@kubewright/runtime", "esbuild"];
    expect(packagesOf(all, path).filter((each) => heavy.includes(each))).toEqual([]);
  });
});

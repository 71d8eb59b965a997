// The walk-throughs of docs/from-kubebuilder.md do what they say: each line that makes or changes a project is run; what needs a
// cluster is what `make` would call.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Workspace } from "./command-line.js";

const repository = join(import.meta.dirname, "../..");
const page = readFileSync(join(repository, "docs/from-kubebuilder.md"), "utf8");
const walkThroughs = [...page.matchAll(/^## (.+)$[^`]*?(?:`[^`]+`[^`]*?)*?^```sh\n([\s\S]+?)^```$/gm)].map(
  ([, title = "", block = ""]) => ({
    title,
    lines: block.split("\n").filter((line) => line && !line.startsWith("#")),
  }),
);
const hasMake = spawnSync("make", ["--version"]).status === 0;

/** The definition that the walk-through applies; it came with a schema of its own. */
const cronTab = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: crontabs.stable.example.com }
spec:
  group: stable.example.com
  scope: Namespaced
  names: { plural: crontabs, singular: crontab, kind: CronTab, shortNames: [ct] }
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              cronSpec: { type: string }
              image: { type: string }
              replicas: { type: integer }
`;

/** What `make` would run. */
function recipe(workspace: Workspace, line: string): string {
  const [, ...words] = line.split(" ");
  const { stdout, stderr, status } = spawnSync("make", ["-n", ...words], {
    cwd: workspace.path("."),
    encoding: "utf8",
  });
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  return stdout;
}

async function follow(workspace: Workspace, line: string): Promise<void> {
  const [program, ...words] = line.split(" ");
  if (program === "mkdir") mkdirSync(workspace.path(words[0] ?? ""));
  else if (program === "cd") workspace.enter(words[0] ?? "");
  else if (line === "npm install")
    symlinkSync(join(repository, "node_modules"), workspace.path("node_modules"));
  else if (program === "npx") await workspace.ok(words.slice(1));
  else if (line === "make manifests") await workspace.ok("manifests");
  else if (program === "make" && hasMake)
    expect(recipe(workspace, line)).toContain(
      words[0] === "docker-build" ? `build -t ${words[1]?.slice(4)} .` : `npx kubewright ${words[0]}`,
    );
  else if (program === "kubectl" && words[0] === "apply" && words[2]?.startsWith("config/"))
    expect(existsSync(workspace.path(words[2])), words[2]).toBe(true);
}

test("there are six walk-throughs", () => expect(walkThroughs).toHaveLength(6));

describe.each(walkThroughs)("$title", ({ lines }) => {
  test("can be followed", async () => {
    using workspace = new Workspace();
    writeFileSync(workspace.path("crontab-crd.yaml"), cronTab);
    for (const line of lines) await follow(workspace, line);
    expect(existsSync(workspace.path("PROJECT"))).toBe(true);
    await workspace.ok("manifests");
    expect((await workspace.ok("manifests --check")).stdout).toBe("up to date\n");
  }, 60_000);
});

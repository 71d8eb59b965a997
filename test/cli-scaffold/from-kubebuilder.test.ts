// The walk-throughs of docs/from-kubebuilder.md do what they say: each line is run, on a cluster where it needs one, but for those that
// go on until they are ended or need Docker.
import { execFile, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Cluster, startCluster } from "@kubewright/cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cronTabDefinition } from "../docs/own-crd.js";
import { findKubectls } from "../kubectl/kubectl.js";
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

const [kubectl] = findKubectls();
if (!kubectl) console.log("kubectl is not here; what it would show is not shown");
const folder = mkdtempSync(join(tmpdir(), "kubewright-walk-"));
const kubeconfig = join(folder, "kubeconfig");
let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ nodes: 0 });
  writeFileSync(kubeconfig, (await cluster.listen()).kubeconfig);
}, 60_000);
afterAll(async () => {
  await cluster.close();
  rmSync(folder, { recursive: true });
});

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
  else if (program === "kubewright") await workspace.ok(words);
  else if (program === "kubectl") await askCluster(workspace, words);
  else if (program === "make") await make(workspace, line);
}

/** What a target calls is looked up, and done here; `run` goes on until it is ended, and is shown elsewhere. */
async function make(workspace: Workspace, line: string): Promise<void> {
  const [, target = "", setting] = line.split(" ");
  if (hasMake)
    expect(recipe(workspace, line)).toContain(
      target === "docker-build" ? `build -t ${setting?.slice(4)} .` : `npx kubewright ${target}`,
    );
  if (target === "manifests") await workspace.ok("manifests");
  if (target === "install" || target === "uninstall")
    await workspace.ok([target, "--kubeconfig", kubeconfig, ...(target === "uninstall" ? ["--force"] : [])]);
}

async function askCluster(workspace: Workspace, words: readonly string[]): Promise<void> {
  if (!kubectl) return;
  await promisify(execFile)(kubectl.command, ["--kubeconfig", kubeconfig, ...words], {
    cwd: workspace.path("."),
  });
}

test("there are six walk-throughs", () => expect(walkThroughs).toHaveLength(6));

describe.each(walkThroughs)("$title", ({ lines }) => {
  test("can be followed", async () => {
    using workspace = new Workspace();
    writeFileSync(workspace.path("crontab-crd.yaml"), cronTabDefinition);
    for (const line of lines) await follow(workspace, line);
    expect(existsSync(workspace.path("PROJECT"))).toBe(true);
    await workspace.ok("manifests");
    expect((await workspace.ok("manifests --check")).stdout).toBe("up to date\n");
  }, 120_000);
});

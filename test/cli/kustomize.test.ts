// What is committed under operators/*/config is what kustomize builds and a cluster accepts.
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Namespace } from "@kubewright/api";
import { type Cluster, startCluster } from "@kubewright/cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { findKubectls } from "../kubectl/kubectl.js";

const root = join(import.meta.dirname, "../../operators");
const [kubectl] = findKubectls();
if (!kubectl) console.log("kubectl is not here; what it would show is not shown");

const folder = mkdtempSync(join(tmpdir(), "kubewright-kustomize-"));
let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ nodes: 0, controllers: "none" });
  writeFileSync(join(folder, "kubeconfig"), (await cluster.listen()).kubeconfig);
});
afterAll(async () => {
  await cluster.close();
  rmSync(folder, { recursive: true });
});

async function run(...words: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(
    kubectl?.command ?? "kubectl",
    ["--kubeconfig", join(folder, "kubeconfig"), ...words],
    { maxBuffer: 32 * 1024 * 1024 },
  );
  return stdout;
}

describe.skipIf(!kubectl).each(readdirSync(root))("%s", (name) => {
  const config = (base: string): string => join(root, name, "config", base);

  test("kustomize builds every base, each object once", async () => {
    for (const base of readdirSync(config(""))) {
      const objects = parseAllDocuments(await run("kustomize", config(base))).map((each) => each.toJS());
      const ids = objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ""}/${metadata.name}`);
      expect(new Set(ids).size, base).toBe(ids.length);
      expect(ids.length, base).toBeGreaterThan(0);
    }
  }, 60_000);

  test("a cluster would take config/default as it is", async () => {
    const { metadata } = parse(readFileSync(join(config("default"), "namespace.yaml"), "utf8"));
    await cluster.client.create(Namespace, { metadata: { name: metadata.name } });
    const said = await run("apply", "-k", config("default"), "--dry-run=server");
    const lines = said.trimEnd().split("\n");
    expect(lines.length).toBeGreaterThan(8);
    for (const line of lines) expect(line).toMatch(/ (created|configured|unchanged) \(server dry run\)$/);
  }, 60_000);
});

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigMap, Namespace } from "@kubewright/api";
import { type Cluster, startCluster } from "@kubewright/cluster";
import { defineController } from "@kubewright/runtime";
import { isRealCluster, testClusterFromEnvironment } from "@kubewright/testing/environment";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

/** Stands for any cluster: it is reached over TLS, by its kubeconfig. */
let remote: Cluster;
let folder: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "kubewright-"));
  remote = await startCluster();
  const { kubeconfig } = await remote.listen();
  writeFileSync(join(folder, "kubeconfig"), kubeconfig);
  vi.stubEnv("KUBECONFIG", join(folder, "kubeconfig"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await remote.close();
  rmSync(folder, { recursive: true, force: true });
});

const copier = defineController(ConfigMap, {
  name: "copier",
  labelSelector: "copy",
  owns: [ConfigMap],
  async reconcile(map, ctx) {
    await ctx.apply(ConfigMap, { metadata: { name: `${map.metadata?.name}-copy` }, data: map.data ?? {} });
  },
});

test.each([
  ["1", true],
  ["", false],
])(
  "KUBEWRIGHT_TEST_REAL=%j: the same suite, on the real cluster %j",
  { timeout: 60_000 },
  async (flag, isReal) => {
    vi.stubEnv("KUBEWRIGHT_TEST_REAL", flag);
    expect(isRealCluster()).toBe(isReal);
    const cluster = await testClusterFromEnvironment({ controllers: [copier] });
    const { namespace } = cluster;
    await cluster.create(ConfigMap, { metadata: { name: "a", labels: { copy: "" } }, data: { k: "v" } });
    await cluster.eventually(ConfigMap, "a-copy", ({ data }) => data?.["k"] === "v");
    const { items } = await remote.client.list(ConfigMap, { labelSelector: "copy" });
    expect(items.length).toBe(isReal ? 1 : 0);
    expect(namespace === "default").toBe(!isReal);
    if (isReal) expect(() => cluster.faults).toThrow("this needs an embedded cluster");
    await cluster.close();
    if (isReal)
      await vi.waitFor(async () => {
        const left = (await remote.client.list(Namespace)).items.map(({ metadata }) => metadata?.name);
        expect(left).not.toContain(namespace);
      }, 30_000);
  },
);

test("virtual time is no matter of a cluster that runs already", async () => {
  vi.stubEnv("KUBEWRIGHT_TEST_REAL", "1");
  const cluster = await testClusterFromEnvironment({ clock: "virtual" });
  await expect(cluster.settle()).rejects.toThrow("only virtual time knows");
  await cluster.close();
});

test.each([
  ["a kubeconfig that is not there", async () => vi.stubEnv("KUBECONFIG", join(folder, "none")), /none/],
  ["a cluster that does not answer", () => remote.close(), /connect|refused|ECONNREFUSED/],
])("%s is told at once", { timeout: 60_000 }, async (_, spoil, message) => {
  vi.stubEnv("KUBEWRIGHT_TEST_REAL", "1");
  await spoil();
  await expect(testClusterFromEnvironment({})).rejects.toThrow(message);
});

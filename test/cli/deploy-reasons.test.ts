// An operator that is deployed but does not run: deploy and doctor say why, with the last log lines, the events and a remedy.
import { Namespace, ResourceQuota, Secret, VirtualClock } from "@kubewright/api";
import { type ClusterOptions, type PortHandler, rule, startCluster } from "@kubewright/cluster";
import { defineManager } from "@kubewright/runtime";
import { expect, test } from "vitest";
import { applyObject } from "../../packages/cli/src/cluster-commands/apply-objects.js";
import { askPod } from "../../packages/cli/src/cluster-commands/ask-manager.js";
import { isSimulated } from "../../packages/cli/src/cluster-commands/deployment-report.js";
import { checkDeployment } from "../../packages/cli/src/cluster-commands/doctor/check-deployment.js";
import {
  deleteOwnNamespace,
  isMissing,
  markedAsOwn,
} from "../../packages/cli/src/cluster-commands/own-namespace.js";
import { previewObject } from "../../packages/cli/src/cluster-commands/preview-objects.js";
import { mostTelling } from "../../packages/cli/src/cluster-commands/story-text.js";
import { waitForDeployment } from "../../packages/cli/src/cluster-commands/wait-for-deployment.js";
import { installObjects } from "../../packages/cli/src/manifests/config-files.js";
import { manifestSettings } from "../../packages/cli/src/manifests/manifest-settings.js";
import { operatorOf } from "../../packages/cli/src/manifests/operator.js";

const settings = manifestSettings("/nonexistent", "shop", { image: "registry.example/shop:1" });
const operator = operatorOf(defineManager({ name: "shop", controllers: [] }), settings);
const { namespace } = settings;

async function started(options: Partial<ClusterOptions>) {
  const clock = new VirtualClock({ start: Date.now(), timeout: 10_000 });
  const cluster = await startCluster({ ...options, clock });
  return { clock, cluster, client: cluster.client, [Symbol.asyncDispose]: () => cluster.close() };
}
type Started = Awaited<ReturnType<typeof started>>;

async function deploy({ client, clock }: Started): Promise<void> {
  const applied = (async () => {
    for (const object of installObjects(operator)) await applyObject(client, object, "test");
  })();
  await clock.runUntilSettled(applied);
}

const waited = ({ client, clock }: Started, said: string[] = []): Promise<void> =>
  clock.runUntilSettled(
    waitForDeployment(client, operator, { timeout: 60_000, clock, say: (text) => said.push(text) }),
  );

const pod = String.raw`Pod shop-system/shop-controller-manager-\S+`;

test.each<[string, Partial<ClusterOptions>, RegExp]>([
  [
    "the image cannot be pulled",
    { rules: [rule({}, { pullError: "not found" })] },
    new RegExp(
      `Deployment shop-system/shop-controller-manager is not available after 60 s: 0 of 1 replicas are ready\\n  ${pod}: image registry.example/shop:1 of container manager cannot be pulled[\\s\\S]*event Failed: [\\s\\S]*→ push the image`,
    ),
  ],
  [
    "the manager crashes",
    { rules: [rule({}, { logs: ["starting", "no such kind"], crashLoop: { after: "10ms", exitCode: 7 } })] },
    new RegExp(
      `${pod}: container manager exits with code 7 again and again[\\s\\S]*log: no such kind[\\s\\S]*→ the last lines`,
    ),
  ],
  [
    "no node takes it",
    { nodes: [{ name: "small", allocatable: { cpu: "1m" } }] } as Partial<ClusterOptions>,
    new RegExp(`${pod}: no node takes it: 0/1 nodes are available[\\s\\S]*→ lower its requests`),
  ],
])("deploy reports why the operator is not available: %s", async (_, options, message) => {
  await using cluster = await started(options);
  await deploy(cluster);
  const said: string[] = [];
  await expect(waited(cluster, said)).rejects.toThrow(message);
  expect(said.length).toBeGreaterThan(0);
  const [finding] = await checkDeployment({ client: cluster.client, cluster: "the cluster", operator });
  expect(finding).toMatchObject({ check: "deployment", state: "problem", remedy: expect.any(String) });
});

test("deploy reports pods that a quota refuses", async () => {
  await using cluster = await started({});
  await cluster.client.create(Namespace, { metadata: { name: namespace } });
  const hard = { pods: "0" };
  await cluster.client.create(ResourceQuota, { metadata: { name: "none", namespace }, spec: { hard } });
  await deploy(cluster);
  await expect(waited(cluster)).rejects.toThrow(
    /its pods are refused: .*exceeded quota: none[\s\S]*→ raise the quota/,
  );
});

test("on simulated nodes deploy and doctor say that nothing really runs", async () => {
  await using cluster = await started({});
  await deploy(cluster);
  await waited(cluster);
  expect(await isSimulated(cluster.client)).toBe(true);
  expect(await checkDeployment({ client: cluster.client, cluster: "the cluster", operator })).toEqual([
    {
      check: "deployment",
      state: "ok",
      message: expect.stringMatching(
        /^1 of 1 replicas are ready in shop-system; .*simulated: no container really runs/,
      ),
    },
  ]);
});

test("deploy --dry-run shows what would be created, changed and left alone", async () => {
  await using cluster = await startCluster({ nodes: 0 });
  const { client } = cluster;
  const [first] = installObjects(operator);
  expect(await previewObject(client, first!, "test")).toBe("create Namespace shop-system");
  for (const object of installObjects(operator)) await applyObject(client, object, "test");
  const previews = await Promise.all(
    installObjects(operator).map((object) => previewObject(client, object, "test")),
  );
  expect(previews.filter((text) => !text.startsWith("unchanged "))).toEqual([]);
  const next = operatorOf(operator.definition, { ...settings, image: "registry.example/shop:2" });
  const changed = await Promise.all(
    installObjects(next).map((object) => previewObject(client, object, "test")),
  );
  expect(changed.filter((text) => !text.startsWith("unchanged "))).toEqual([
    expect.stringMatching(
      /^change Deployment shop-system\/shop-controller-manager\n[\s\S]*- +image: registry\.example\/shop:1\n[\s\S]*\+ +image: registry\.example\/shop:2/,
    ),
  ]);
});

test("undeploy deletes the namespace that deploy has made, unless something of others is in it", async () => {
  await using cluster = await startCluster({ nodes: 0, controllers: "none" });
  const { client } = cluster;
  expect(await isMissing(client, namespace)).toBe(true);
  for (const object of installObjects(operator).filter(({ kind }) => kind === "Namespace"))
    await applyObject(client, markedAsOwn(object), "test");
  await client.create(Secret, { metadata: { name: "mine", namespace } });
  expect(await deleteOwnNamespace(client, operator)).toBe("Namespace shop-system stays: it has Secret mine");
  await client.delete(Secret, "mine", { namespace });
  expect(await deleteOwnNamespace(client, operator)).toBe("deleted Namespace shop-system");
  const others = operatorOf(operator.definition, { ...settings, namespace: "default" });
  expect(await deleteOwnNamespace(client, others)).toBeUndefined();
});

test("explain-reconcile ends when the pod does not answer, and says where to look", async () => {
  const silent: PortHandler = async ({ received }) => {
    for await (const _chunk of received);
  };
  await using cluster = await started({ rules: [rule({}, { portForward: silent })] });
  await deploy(cluster);
  await waited(cluster);
  const asking = askPod(cluster.client, operator, "/debug/explain", {
    serviceAccount: undefined,
    timeout: 300,
  });
  await expect(asking).rejects.toThrow(
    /pod shop-system\/\S+ does not answer on port 8443 within 0\.3 s; kubewright doctor/,
  );
});

test("explain-reconcile shows reconciles that wrote before those that did not", () => {
  const record = (id: number, writes: number) =>
    ({ id, writes: Array(writes).fill({ verb: "apply" }), events: [] }) as unknown as Parameters<
      typeof mostTelling
    >[0][number];
  const history = [record(1, 0), record(2, 0), record(3, 1), record(4, 0), record(5, 2)];
  expect(mostTelling(history, 3)).toMatchObject([{ id: 3 }, { id: 5 }, { id: 1 }]);
});

import {
  findCondition,
  formatTime,
  Job,
  Pod,
  PodDisruptionBudget,
  type PodDisruptionBudgetSpec,
  ReplicationController,
} from "@kubewright/api";
import { expect, test } from "vitest";
import { VirtualCluster } from "./virtual-cluster.js";

const inDefault = { namespace: "default" };
const labels = { app: "a" };
const selector = { matchLabels: labels };
const spec = { containers: [{ name: "c", image: "a:1" }] };
const budget = (limits: PodDisruptionBudgetSpec): PodDisruptionBudget => ({
  metadata: { name: "b", ...inDefault },
  spec: { selector, ...limits },
});
const read = async (cluster: VirtualCluster) =>
  (await cluster.client.get(PodDisruptionBudget, "b", inDefault)).status;

test("pods of a ReplicationController count by what it asks for", async () => {
  await using cluster = await VirtualCluster.start();
  const template = { metadata: { labels }, spec };
  await cluster.client.create(ReplicationController, {
    metadata: { name: "rc", ...inDefault },
    spec: { replicas: 4, selector: labels, template },
  });
  await cluster.client.create(PodDisruptionBudget, budget({ maxUnavailable: "25%" }));
  await cluster.rest();
  expect(await read(cluster)).toMatchObject({ expectedPods: 4, desiredHealthy: 3, disruptionsAllowed: 1 });
});

test("an eviction takes the last disruption, and the replacement gives it back", async () => {
  await using cluster = await VirtualCluster.start();
  const template = { metadata: { labels }, spec };
  await cluster.client.create(ReplicationController, {
    metadata: { name: "rc", ...inDefault },
    spec: { replicas: 2, selector: labels, template },
  });
  await cluster.client.create(PodDisruptionBudget, budget({ minAvailable: 1 }));
  await cluster.rest();
  const [first, second] = await cluster.pods();
  const evict = (name = "") => cluster.client.pods.evict(name, inDefault);
  await evict(first?.metadata?.name);
  await expect(evict(second?.metadata?.name)).rejects.toMatchObject({ code: 429 });
  await cluster.clock.advance(60_000);
  expect(await read(cluster)).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 1 });
  expect((await read(cluster))?.disruptedPods ?? {}).toEqual({});
});

test("owners without a scale make the budget say so, and allow nothing", async () => {
  await using cluster = await VirtualCluster.start();
  const template = { metadata: { labels }, spec: { ...spec, restartPolicy: "Never" as const } };
  await cluster.client.create(Job, { metadata: { name: "j", ...inDefault }, spec: { template } });
  await cluster.client.create(PodDisruptionBudget, budget({ maxUnavailable: 1 }));
  await cluster.rest();
  const status = await read(cluster);
  expect(status?.disruptionsAllowed).toBe(0);
  expect(findCondition(status?.conditions, "DisruptionAllowed")).toMatchObject({
    status: "False",
    reason: "SyncFailed",
    message: "jobs.batch does not implement the scale subresource",
  });
});

test.each([
  ["EvictionByEvictionAPI", "False"],
  ["TerminationByKubelet", "True"],
])(
  "a pod that was to be disrupted (%s) and is still there after two minutes says %s",
  async (reason, expected) => {
    await using cluster = await VirtualCluster.start();
    await cluster.client.create(Pod, { metadata: { name: "p", ...inDefault }, spec });
    await cluster.rest();
    const lastTransitionTime = formatTime(cluster.clock.now());
    const condition = { type: "DisruptionTarget", status: "True", reason, lastTransitionTime };
    const options = { ...inDefault, subresource: "status" };
    await cluster.client.patch(Pod, "p", { strategic: { status: { conditions: [condition] } } }, options);
    const target = async () =>
      findCondition((await cluster.client.get(Pod, "p", inDefault)).status?.conditions, "DisruptionTarget");
    await cluster.clock.advance(119_000);
    expect((await target())?.status).toBe("True");
    await cluster.clock.advance(2_000);
    expect((await target())?.status).toBe(expected);
  },
);

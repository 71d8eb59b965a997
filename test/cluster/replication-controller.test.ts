import { findCondition, getControllerOf, Pod, ReplicationController, ServiceAccount } from "@kubewright/api";
import { expect, test } from "vitest";
import { VirtualCluster } from "./virtual-cluster.js";

const inDefault = { namespace: "default" };
const labels = { app: "old" };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "old:1" }] } };

const controller = (
  spec: Partial<NonNullable<ReplicationController["spec"]>> = {},
): ReplicationController => ({
  metadata: { name: "rc", ...inDefault },
  spec: { replicas: 2, selector: labels, template, ...spec },
});
const read = (cluster: VirtualCluster) => cluster.client.get(ReplicationController, "rc", inDefault);

test("a ReplicationController keeps its number of pods, adopts and releases", async () => {
  await using cluster = await VirtualCluster.start();
  await cluster.client.create(Pod, { ...template, metadata: { name: "lonely", labels, ...inDefault } });
  await cluster.client.create(ReplicationController, controller());
  await cluster.rest();
  expect(await cluster.pods("app=old")).toHaveLength(2);
  const lonely = () => cluster.client.get(Pod, "lonely", inDefault);
  expect(getControllerOf(await lonely())).toMatchObject({ kind: "ReplicationController", name: "rc" });
  expect((await read(cluster)).status).toEqual({
    replicas: 2,
    fullyLabeledReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 2,
    observedGeneration: 1,
  });
  await cluster.client.patch(Pod, "lonely", { merge: { metadata: { labels: { app: "free" } } } }, inDefault);
  await cluster.rest();
  expect(getControllerOf(await lonely())).toBeUndefined();
  await cluster.client.scale(ReplicationController, "rc", 1, inDefault);
  await cluster.rest();
  expect(await cluster.pods("app=old")).toHaveLength(1);
  const events = await cluster.events("ReplicationController");
  expect(events.map((line) => line.replace(/rc-\w+/, "rc-x"))).toEqual([
    "SuccessfulCreate: Created pod: rc-x",
    "SuccessfulCreate: Created pod: rc-x",
    "SuccessfulDelete: Deleted pod: rc-x",
  ]);
});

test("what keeps it from making pods is said in a condition, and taken back", async () => {
  await using cluster = await VirtualCluster.start({ controllers: ["replicationcontroller"] });
  await cluster.client.create(ReplicationController, controller());
  await cluster.rest();
  const failure = async () => findCondition((await read(cluster)).status?.conditions, "ReplicaFailure");
  const message =
    'pods "rc-" is forbidden: error looking up service account default/default: serviceaccount "default" not found';
  expect(await failure()).toMatchObject({ status: "True", reason: "FailedCreate", message });
  expect(await cluster.events("ReplicationController")).toContain(`FailedCreate: Error creating: ${message}`);
  await cluster.client.create(ServiceAccount, { metadata: { name: "default", ...inDefault } });
  await cluster.clock.advance(60_000);
  expect(await failure()).toBeUndefined();
  expect((await read(cluster)).status).toMatchObject({ replicas: 2 });
  cluster.problems.length = 0;
});

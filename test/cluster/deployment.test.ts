import { Deployment, findCondition, ReplicaSet } from "@kubewright/api";
import { expect, test } from "vitest";
import { VirtualCluster, web, withImage } from "./virtual-cluster.js";

const inDefault = { namespace: "default" };
const revision = "deployment.kubernetes.io/revision";

test("a Deployment of three becomes available", async () => {
  await using cluster = await VirtualCluster.start();
  await cluster.client.create(Deployment, web());
  await cluster.rest();
  const { metadata, status } = await cluster.deployment("web");
  expect(metadata?.annotations).toEqual({ [revision]: "1" });
  expect(status).toMatchObject({
    observedGeneration: 1,
    replicas: 3,
    updatedReplicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
  });
  expect(status?.unavailableReplicas).toBeUndefined();
  const [set] = await cluster.sets();
  expect(set?.metadata?.annotations).toEqual({
    [revision]: "1",
    "deployment.kubernetes.io/desired-replicas": "3",
    "deployment.kubernetes.io/max-replicas": "4",
  });
  expect(findCondition(status?.conditions, "Available")).toMatchObject({
    status: "True",
    reason: "MinimumReplicasAvailable",
    message: "Deployment has minimum availability.",
  });
  expect(findCondition(status?.conditions, "Progressing")).toMatchObject({
    status: "True",
    reason: "NewReplicaSetAvailable",
    message: `ReplicaSet "${set?.metadata?.name}" has successfully progressed.`,
  });
  expect(await cluster.events("Deployment")).toEqual([
    `ScalingReplicaSet: Scaled up replica set ${set?.metadata?.name} from 0 to 3`,
  ]);
});

test("a new image rolls through the pods without losing availability", async () => {
  await using cluster = await VirtualCluster.start();
  await cluster.client.create(Deployment, web({ replicas: 4 }));
  await cluster.rest();
  let least = 4;
  let most = 4;
  const watch = cluster.client.watch(Deployment, inDefault);
  const watching = (async () => {
    for await (const { object } of watch) {
      least = Math.min(least, object.status?.availableReplicas ?? 0);
      most = Math.max(most, object.status?.replicas ?? 0);
    }
  })();
  await cluster.rest();
  least = most = 4;
  await cluster.client.patch(Deployment, "web", withImage("web:2"), inDefault);
  await cluster.rest();
  await watch.return?.();
  await watching;
  expect(least).toBeGreaterThanOrEqual(3);
  expect(most).toBeLessThanOrEqual(5);
  const images = (await cluster.pods()).map(({ spec }) => spec?.containers[0]?.image);
  expect(images).toEqual(["web:2", "web:2", "web:2", "web:2"]);
  const sizes = (await cluster.sets()).map(({ spec }) => spec?.replicas).toSorted();
  expect(sizes).toEqual([0, 4]);
  expect((await cluster.deployment("web")).metadata?.annotations?.[revision]).toBe("2");
});

test("going back to an old template reuses its ReplicaSet and remembers its revisions", async () => {
  await using cluster = await VirtualCluster.start();
  await cluster.client.create(Deployment, web());
  await cluster.rest();
  for (const image of ["web:2", "web:1"]) {
    await cluster.client.patch(Deployment, "web", withImage(image), inDefault);
    await cluster.rest();
  }
  const sets = await cluster.sets();
  expect(sets).toHaveLength(2);
  const current = sets.find(({ spec }) => spec?.replicas === 3);
  expect(current?.metadata?.annotations).toMatchObject({
    [revision]: "3",
    "deployment.kubernetes.io/revision-history": "1",
  });
});

test("a rollout that cannot get on is reported when its deadline has passed", async () => {
  await using cluster = await VirtualCluster.start();
  await cluster.client.create(Deployment, web({ spec: { progressDeadlineSeconds: 60 } }));
  await cluster.rest();
  await cluster.client.patch(Deployment, "web", withImage("does-not-exist:1"), inDefault);
  await cluster.rest();
  const before = await cluster.deployment("web");
  expect(findCondition(before.status?.conditions, "Progressing")?.reason).toBe("ReplicaSetUpdated");
  expect(before.status).toMatchObject({ availableReplicas: 3, updatedReplicas: 1 });
  await cluster.clock.advance(62_000);
  const after = await cluster.deployment("web");
  expect(findCondition(after.status?.conditions, "Progressing")).toMatchObject({
    status: "False",
    reason: "ProgressDeadlineExceeded",
  });
  expect(findCondition(after.status?.conditions, "Available")?.status).toBe("True");
});

test("Recreate ends every old pod before the first new one starts", async () => {
  await using cluster = await VirtualCluster.start();
  await cluster.client.create(Deployment, web({ spec: { strategy: { type: "Recreate" } } }));
  await cluster.rest();
  const watch = cluster.client.watch(Deployment, inDefault);
  const seen: number[] = [];
  const watching = (async () => {
    for await (const { object } of watch) seen.push(object.status?.availableReplicas ?? 0);
  })();
  await cluster.client.patch(Deployment, "web", withImage("web:2"), inDefault);
  await cluster.rest();
  await watch.return?.();
  await watching;
  expect(Math.min(...seen)).toBe(0);
  expect((await cluster.deployment("web")).status).toMatchObject({
    availableReplicas: 3,
    updatedReplicas: 3,
  });
});

test("a pod counts as available only after minReadySeconds", async () => {
  await using cluster = await VirtualCluster.start();
  await cluster.client.create(Deployment, web({ spec: { minReadySeconds: 30 } }));
  await cluster.rest();
  expect((await cluster.deployment("web")).status).toMatchObject({
    readyReplicas: 3,
    unavailableReplicas: 3,
  });
  await cluster.clock.advance(31_000);
  expect((await cluster.deployment("web")).status).toMatchObject({ availableReplicas: 3 });
});

test("scaling changes the newest set alone, and a paused Deployment scales but does not roll", async () => {
  await using cluster = await VirtualCluster.start();
  await cluster.client.create(Deployment, web());
  await cluster.rest();
  await cluster.client.scale(Deployment, "web", 5, inDefault);
  await cluster.rest();
  expect(await cluster.pods()).toHaveLength(5);
  await cluster.client.patch(Deployment, "web", { merge: { spec: { paused: true } } }, inDefault);
  await cluster.client.patch(Deployment, "web", withImage("web:2"), inDefault);
  await cluster.client.scale(Deployment, "web", 2, inDefault);
  await cluster.rest();
  expect((await cluster.pods()).map(({ spec }) => spec?.containers[0]?.image)).toEqual(["web:1", "web:1"]);
  expect(await cluster.sets()).toHaveLength(1);
  await cluster.client.patch(Deployment, "web", { merge: { spec: { paused: null } } }, inDefault);
  await cluster.rest();
  expect((await cluster.pods()).map(({ spec }) => spec?.containers[0]?.image)).toEqual(["web:2", "web:2"]);
});

test("scaling in the middle of a rollout keeps the proportions", async () => {
  await using cluster = await VirtualCluster.start();
  const rollingUpdate = { maxSurge: 3, maxUnavailable: 2 };
  await cluster.client.create(
    Deployment,
    web({ replicas: 10, spec: { strategy: { type: "RollingUpdate", rollingUpdate } } }),
  );
  await cluster.rest();
  await cluster.client.patch(Deployment, "web", withImage("does-not-exist:1"), inDefault);
  await cluster.rest();
  const sizes = async () => (await cluster.sets()).map(({ spec }) => spec?.replicas).toSorted();
  expect(await sizes()).toEqual([5, 8]);
  await cluster.client.scale(Deployment, "web", 15, inDefault);
  await cluster.rest();
  expect(await sizes()).toEqual([11, 7]);
});

test("old sets beyond the history limit are removed", async () => {
  await using cluster = await VirtualCluster.start();
  await cluster.client.create(Deployment, web({ spec: { revisionHistoryLimit: 1 } }));
  await cluster.rest();
  for (const image of ["web:2", "web:3", "web:4"]) {
    await cluster.client.patch(Deployment, "web", withImage(image), inDefault);
    await cluster.rest();
  }
  const revisions = (await cluster.sets())
    .map(({ metadata }) => metadata?.annotations?.[revision])
    .toSorted();
  expect(revisions).toEqual(["3", "4"]);
});

test("a ReplicaSet that has the name by chance is left alone, and another name found", async () => {
  await using cluster = await VirtualCluster.start();
  const deployment = web({ replicas: 1 });
  await cluster.client.create(Deployment, deployment);
  await cluster.rest();
  const name = (await cluster.sets())[0]?.metadata?.name ?? "";
  await cluster.client.delete(Deployment, "web", inDefault);
  await cluster.client.deleteCollection(ReplicaSet, inDefault);
  await cluster.rest();
  const labels = { app: "other" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "other:1" }] } };
  const stranger = {
    metadata: { name, ...inDefault },
    spec: { selector: { matchLabels: labels }, template },
  };
  await cluster.client.create(ReplicaSet, stranger);
  await cluster.client.create(Deployment, deployment);
  await cluster.clock.advance(5_000);
  expect((await cluster.deployment("web")).status).toMatchObject({ availableReplicas: 1, collisionCount: 1 });
  expect(await cluster.sets()).toHaveLength(2);
  cluster.problems.length = 0;
});

test("pods on their way out are counted, apart from those that are there", async () => {
  await using cluster = await VirtualCluster.start();
  cluster.cluster.simulate({ match: { image: "web:1" }, effects: { stopTime: "20s" } });
  await cluster.client.create(Deployment, web());
  await cluster.rest();
  await cluster.client.patch(
    Deployment,
    "web",
    { merge: { spec: { replicas: 1 } } },
    { namespace: "default" },
  );
  await cluster.clock.advance(1_000);
  const counts = async () => {
    const { replicas, terminatingReplicas } = (await cluster.deployment("web")).status ?? {};
    const [set] = await cluster.sets();
    return { replicas, terminatingReplicas, ofSet: set?.status?.terminatingReplicas };
  };
  expect(await counts()).toEqual({ replicas: 1, terminatingReplicas: 2, ofSet: 2 });
  await cluster.clock.advance(20_000);
  expect(await counts()).toEqual({ replicas: 1, terminatingReplicas: 0, ofSet: 0 });
});

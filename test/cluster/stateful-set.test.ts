import {
  ControllerRevision,
  PersistentVolumeClaim,
  Pod,
  StatefulSet,
  type StatefulSetSpec,
} from "@kubewright/api";
import type { FeatureGate } from "@kubewright/cluster";
import { expect, test } from "vitest";
import { VirtualCluster } from "./virtual-cluster.js";

const inDefault = { namespace: "default" };
const labels = { app: "db" };
const volumeClaimTemplates = [
  {
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  },
] as const;

const stateful = (spec: Partial<StatefulSetSpec> = {}): StatefulSet => ({
  metadata: { name: "db", ...inDefault },
  spec: {
    replicas: 3,
    serviceName: "db",
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "db:1" }] } },
    ...spec,
  },
});

const image = (name: string) => ({
  strategic: { spec: { template: { spec: { containers: [{ name: "c", image: name }] } } } },
});
/** Without the controllers that bind volumes, so that claims are seen as StatefulSets leave them. */
const start = () =>
  VirtualCluster.start({
    controllers: ["serviceaccount", "root-ca-certificate-publisher", "statefulset", "garbage-collector"],
  });
const claims = async (cluster: VirtualCluster) =>
  (await cluster.client.list(PersistentVolumeClaim, inDefault)).items.map(({ metadata }) => metadata?.name);

test("claims are kept unless the set says otherwise", async () => {
  await using cluster = await start();
  await cluster.client.create(
    StatefulSet,
    stateful({ podManagementPolicy: "Parallel", volumeClaimTemplates, replicas: 2 }),
  );
  await cluster.rest();
  expect(await cluster.events("StatefulSet")).toContain(
    "SuccessfulCreate: create Claim data-db-0 Pod db-0 in StatefulSet db success",
  );
  await cluster.client.scale(StatefulSet, "db", 1, inDefault);
  await cluster.rest();
  await cluster.client.delete(StatefulSet, "db", inDefault);
  await cluster.rest();
  expect(await cluster.pods()).toEqual([]);
  expect(await claims(cluster)).toEqual(["data-db-0", "data-db-1"]);
});

test("claims go with pods scaled away, and with the set, as it says", async () => {
  await using cluster = await start();
  const persistentVolumeClaimRetentionPolicy = { whenScaled: "Delete", whenDeleted: "Delete" } as const;
  await cluster.client.create(
    StatefulSet,
    stateful({ podManagementPolicy: "Parallel", volumeClaimTemplates, persistentVolumeClaimRetentionPolicy }),
  );
  await cluster.rest();
  await cluster.client.scale(StatefulSet, "db", 1, inDefault);
  await cluster.rest();
  const left = (await cluster.client.list(PersistentVolumeClaim, inDefault)).items.filter(
    ({ metadata }) => !metadata?.deletionTimestamp,
  );
  expect(left.map(({ metadata }) => metadata?.name)).toEqual(["data-db-0"]);
  expect(left[0]?.metadata?.ownerReferences).toMatchObject([{ kind: "StatefulSet", name: "db" }]);
});

test("revisions are kept up to the limit, and going back renumbers the old one", async () => {
  await using cluster = await VirtualCluster.start();
  await cluster.client.create(StatefulSet, stateful({ replicas: 1, revisionHistoryLimit: 1 }));
  await cluster.rest();
  const revisions = async () =>
    (await cluster.client.list(ControllerRevision, inDefault)).items
      .map(({ revision }) => revision)
      .toSorted();
  for (const name of ["db:2", "db:3", "db:4"]) {
    await cluster.client.patch(StatefulSet, "db", image(name), inDefault);
    await cluster.rest();
  }
  expect(await revisions()).toEqual([3, 4]);
  await cluster.client.patch(StatefulSet, "db", image("db:3"), inDefault);
  await cluster.rest();
  expect(await revisions()).toEqual([4, 5]);
});

test("a set made again around its pods finds their revision, and replaces none of them", async () => {
  await using cluster = await start();
  await cluster.client.create(StatefulSet, stateful({ podManagementPolicy: "Parallel" }));
  await cluster.rest();
  const revisions = async () =>
    (await cluster.client.list(ControllerRevision, inDefault)).items.map(({ metadata }) => metadata?.name);
  const uids = async () =>
    (await cluster.client.list(Pod, inDefault)).items.map(({ metadata }) => metadata?.uid).toSorted();
  const [before, pods] = [await revisions(), await uids()];
  await cluster.client.delete(StatefulSet, "db", { ...inDefault, propagationPolicy: "Orphan" });
  await cluster.rest();
  await cluster.client.create(StatefulSet, stateful({ podManagementPolicy: "Parallel" }));
  await cluster.rest();
  expect(await revisions()).toEqual(before);
  expect(await uids()).toEqual(pods);
});

test("a pod that lost the labels that tell it apart gets them back", async () => {
  await using cluster = await start();
  await cluster.client.create(StatefulSet, stateful({ replicas: 1 }));
  await cluster.rest();
  const lost = { "statefulset.kubernetes.io/pod-name": null, "apps.kubernetes.io/pod-index": null };
  await cluster.client.patch(Pod, "db-0", { merge: { metadata: { labels: lost } } }, inDefault);
  await cluster.rest();
  expect((await cluster.client.get(Pod, "db-0", inDefault)).metadata?.labels).toMatchObject({
    "statefulset.kubernetes.io/pod-name": "db-0",
    "apps.kubernetes.io/pod-index": "0",
  });
  expect(await cluster.events("StatefulSet")).toContain(
    "SuccessfulUpdate: update Pod db-0 in StatefulSet db successful",
  );
});

test.each<[name: string, gates: readonly FeatureGate[], missing: number]>([
  ["one pod at a time is replaced", [], 1],
  ["as many pods as may be missing are replaced at once", ["MaxUnavailableStatefulSet"], 2],
])("%s", async (_, featureGates, missing) => {
  await using cluster = await VirtualCluster.start({ featureGates });
  const rollingUpdate = { maxUnavailable: 2 };
  await cluster.client.create(
    StatefulSet,
    stateful({ replicas: 4, podManagementPolicy: "Parallel", updateStrategy: { rollingUpdate } }),
  );
  await cluster.rest();
  await cluster.client.patch(StatefulSet, "db", image("registry/does-not-exist:1"), inDefault);
  await cluster.rest();
  const pods = (await cluster.client.list(Pod, inDefault)).items;
  const replaced = pods.filter(({ spec }) => spec?.containers[0]?.image === "registry/does-not-exist:1");
  expect(replaced.map(({ metadata }) => metadata?.name).sort()).toEqual(["db-2", "db-3"].slice(-missing));
});

test("numbers count from where a set begins; when that moves, pods follow one by one", async () => {
  await using cluster = await VirtualCluster.start();
  const { client } = cluster;
  await client.create(StatefulSet, stateful({ replicas: 2, ordinals: { start: 5 } }));
  await cluster.rest();
  const pods = async () =>
    (await cluster.pods()).map(({ metadata }) => [
      metadata?.name,
      metadata?.labels?.["apps.kubernetes.io/pod-index"],
    ]);
  expect(await pods()).toEqual([
    ["db-5", "5"],
    ["db-6", "6"],
  ]);
  await client.patch(StatefulSet, "db", { merge: { spec: { ordinals: { start: 6 } } } }, inDefault);
  await cluster.clock.advance(60_000);
  expect(await pods()).toEqual([
    ["db-6", "6"],
    ["db-7", "7"],
  ]);
  expect(await client.get(StatefulSet, "db", inDefault)).toMatchObject({
    status: { replicas: 2, readyReplicas: 2, currentReplicas: 2 },
  });
  expect((await cluster.events("StatefulSet")).slice(2)).toEqual([
    "SuccessfulCreate: create Pod db-7 in StatefulSet db successful",
    "SuccessfulDelete: delete Pod db-5 in StatefulSet db successful",
  ]);
});

import {
  ClusterRole,
  EndpointSlice,
  Endpoints,
  getControllerOf,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  Service,
  StatefulSet,
} from "@kubewright/api";
import { expect, test } from "vitest";
import { VirtualCluster } from "./virtual-cluster.js";

const inDefault = { namespace: "default" };
const labels = { app: "db" };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "db:1" }] } };
const selector = { matchLabels: labels };

const names = async (cluster: VirtualCluster) =>
  (await cluster.pods("app=db")).map(({ metadata }) => metadata?.name).toSorted();

test("a ReplicaSet adopts pods that match and releases those that no longer do", async () => {
  await using cluster = await VirtualCluster.start();
  await cluster.client.create(Pod, { ...template, metadata: { name: "lonely", labels, ...inDefault } });
  await cluster.client.create(ReplicaSet, {
    metadata: { name: "rs", ...inDefault },
    spec: { replicas: 2, selector, template },
  });
  await cluster.rest();
  const lonely = () => cluster.client.get(Pod, "lonely", inDefault);
  expect(getControllerOf(await lonely())?.name).toBe("rs");
  expect(await cluster.pods("app=db")).toHaveLength(2);
  await cluster.client.patch(Pod, "lonely", { merge: { metadata: { labels: { app: "free" } } } }, inDefault);
  await cluster.rest();
  expect(getControllerOf(await lonely())).toBeUndefined();
  expect(await cluster.pods("app=db")).toHaveLength(2);
});

test("a ReplicaSet replaces a pod that was deleted and removes the least useful when shrinking", async () => {
  await using cluster = await VirtualCluster.start();
  await cluster.client.create(ReplicaSet, {
    metadata: { name: "rs", ...inDefault },
    spec: { replicas: 3, selector, template },
  });
  await cluster.rest();
  const [first, second] = await names(cluster);
  await cluster.client.delete(Pod, first ?? "", inDefault);
  await cluster.rest();
  expect(await names(cluster)).toHaveLength(3);
  const annotations = { "controller.kubernetes.io/pod-deletion-cost": "-1" };
  await cluster.client.patch(Pod, second ?? "", { merge: { metadata: { annotations } } }, inDefault);
  await cluster.client.scale(ReplicaSet, "rs", 2, inDefault);
  await cluster.rest();
  expect(await names(cluster)).not.toContain(second);
});

const stateful = (spec: Partial<NonNullable<StatefulSet["spec"]>> = {}): StatefulSet => ({
  metadata: { name: "db", ...inDefault },
  spec: { replicas: 3, serviceName: "db", selector, template, ...spec },
});

test("a StatefulSet makes its pods in order and removes the last first", async () => {
  await using cluster = await VirtualCluster.start();
  await cluster.client.create(StatefulSet, stateful());
  await cluster.rest();
  expect(await names(cluster)).toEqual(["db-0", "db-1", "db-2"]);
  await cluster.client.scale(StatefulSet, "db", 1, inDefault);
  await cluster.rest();
  expect(await names(cluster)).toEqual(["db-0"]);
  expect(
    (await cluster.events("StatefulSet")).map((line) => line.match(/(create|delete) Pod (db-\d)/)?.[0]),
  ).toEqual(["create Pod db-0", "create Pod db-1", "create Pod db-2", "delete Pod db-2", "delete Pod db-1"]);
});

test("an ordered StatefulSet waits for a pod that does not become ready; a parallel one does not", async () => {
  await using cluster = await VirtualCluster.start();
  const broken = { ...template, spec: { containers: [{ name: "c", image: "does-not-exist" }] } };
  await cluster.client.create(StatefulSet, stateful({ template: broken }));
  await cluster.rest();
  expect(await names(cluster)).toEqual(["db-0"]);
  await cluster.client.delete(StatefulSet, "db", inDefault);
  await cluster.rest();
  await cluster.client.create(StatefulSet, stateful({ template: broken, podManagementPolicy: "Parallel" }));
  await cluster.rest();
  expect(await names(cluster)).toEqual(["db-0", "db-1", "db-2"]);
});

test("a partition keeps the first pods at the old template", async () => {
  await using cluster = await VirtualCluster.start();
  const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 2 } } as const;
  await cluster.client.create(StatefulSet, stateful({ updateStrategy }));
  await cluster.rest();
  const strategic = { spec: { template: { spec: { containers: [{ name: "c", image: "db:2" }] } } } };
  await cluster.client.patch(StatefulSet, "db", { strategic }, inDefault);
  await cluster.rest();
  const images = async () =>
    (await cluster.pods("app=db"))
      .toSorted((a, b) => ((a.metadata?.name ?? "") < (b.metadata?.name ?? "") ? -1 : 1))
      .map(({ spec }) => spec?.containers[0]?.image);
  expect(await images()).toEqual(["db:1", "db:1", "db:2"]);
  await cluster.client.delete(Pod, "db-0", inDefault);
  await cluster.rest();
  expect(await images()).toEqual(["db:1", "db:1", "db:2"]);
  const merge = { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } };
  await cluster.client.patch(StatefulSet, "db", { merge }, inDefault);
  await cluster.rest();
  expect(await images()).toEqual(["db:2", "db:2", "db:2"]);
  const { status } = await cluster.client.get(StatefulSet, "db", inDefault);
  expect(status?.currentRevision).toBe(status?.updateRevision);
});

test("a Service has endpoints for the pods it selects, ready or not", async () => {
  await using cluster = await VirtualCluster.start();
  const readinessProbe = { httpGet: { port: 80 }, initialDelaySeconds: 20 };
  const ports = [{ name: "http", containerPort: 8080 }];
  const slow = { ...template, spec: { containers: [{ name: "c", image: "db:1", ports, readinessProbe }] } };
  await cluster.client.create(ReplicaSet, {
    metadata: { name: "rs", ...inDefault },
    spec: { replicas: 2, selector, template: slow },
  });
  await cluster.client.create(Service, {
    metadata: { name: "db", ...inDefault },
    spec: { selector: labels, ports: [{ port: 80, targetPort: "http" }] },
  });
  await cluster.rest();
  const slices = async () =>
    (
      await cluster.client.list(EndpointSlice, {
        ...inDefault,
        labelSelector: "kubernetes.io/service-name=db",
      })
    ).items;
  const [slice] = await slices();
  expect(slice?.ports).toEqual([{ name: "", port: 8080, protocol: "TCP" }]);
  expect(slice?.endpoints?.map(({ conditions }) => conditions?.ready)).toEqual([false, false]);
  const subsets = async () => (await cluster.client.get(Endpoints, "db", inDefault)).subsets;
  expect((await subsets())?.[0]?.notReadyAddresses).toHaveLength(2);
  await cluster.clock.advance(20_000);
  expect((await slices())[0]?.endpoints?.map(({ conditions }) => conditions?.ready)).toEqual([true, true]);
  expect((await subsets())?.[0]?.addresses).toHaveLength(2);
  await cluster.client.scale(ReplicaSet, "rs", 0, inDefault);
  await cluster.rest();
  expect((await slices()).map(({ endpoints }) => endpoints ?? [])).toEqual([[]]);
  await cluster.client.delete(Service, "db", inDefault);
  await cluster.rest();
  expect(await slices()).toEqual([]);
});

test("a budget says how many pods can be spared", async () => {
  await using cluster = await VirtualCluster.start();
  await cluster.client.create(ReplicaSet, {
    metadata: { name: "rs", ...inDefault },
    spec: { replicas: 4, selector, template },
  });
  await cluster.client.create(PodDisruptionBudget, {
    metadata: { name: "pdb", ...inDefault },
    spec: { minAvailable: "50%", selector },
  });
  await cluster.rest();
  expect((await cluster.client.get(PodDisruptionBudget, "pdb", inDefault)).status).toMatchObject({
    expectedPods: 4,
    currentHealthy: 4,
    desiredHealthy: 2,
    disruptionsAllowed: 2,
  });
});

test("a new role with the right label gives its rules to the built-in ones", async () => {
  await using cluster = await VirtualCluster.start();
  const rule = { apiGroups: ["example.com"], resources: ["gadgets"], verbs: ["get"] };
  const aggregate = { "rbac.authorization.k8s.io/aggregate-to-view": "true" };
  await cluster.client.create(ClusterRole, {
    metadata: { name: "gadgets", labels: aggregate },
    rules: [rule],
  });
  await cluster.rest();
  for (const name of ["view", "edit", "admin"])
    expect((await cluster.client.get(ClusterRole, name)).rules).toContainEqual(rule);
});

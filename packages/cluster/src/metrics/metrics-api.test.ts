import { Pod, RoleBinding } from "@kubewright/api";
import { expect, test } from "vitest";
import { Simulation } from "../nodes/fixtures/simulation.js";
import { rule } from "../nodes/rules/check-rule.js";

const root = "/apis/metrics.k8s.io/v1beta1";
const time = "2026-01-01T00:00:00Z";
const use = { cpu: "250m", memory: "64Mi" };

/** Two nodes, a pod on the first of them, and a pod in another namespace that has no node. */
async function start(): Promise<Simulation> {
  const simulation = await Simulation.start({ nodes: 2, rules: [rule({}, { metrics: use })] });
  await simulation.run({}, { nodeName: "node-1" }, { app: "web" });
  await simulation.cluster.client.create(Pod, {
    metadata: { name: "waits", namespace: "kube-system" },
    spec: { nodeSelector: { disk: "none" }, containers: [{ name: "c", image: "web:1" }] },
  });
  await simulation.clock.settle();
  return simulation;
}

const measured = {
  metadata: { name: "p", namespace: "default", creationTimestamp: time, labels: { app: "web" } },
  timestamp: time,
  window: "15s",
  containers: [{ name: "c", usage: { cpu: "250m", memory: "64Mi" } }],
};
const podMetrics = { kind: "PodMetrics", apiVersion: "metrics.k8s.io/v1beta1", ...measured };

test("metrics API: running pods have metrics, one by one and in lists with selectors", async () => {
  await using simulation = await start();
  const { client } = simulation.cluster;
  const list = (path: string, query = "") =>
    client.raw(`${root}${path}`, { query: new URLSearchParams(query) });
  expect(await client.raw(`${root}/namespaces/default/pods/p`)).toEqual(podMetrics);
  const all = {
    kind: "PodMetricsList",
    apiVersion: "metrics.k8s.io/v1beta1",
    metadata: {},
    items: [measured],
  };
  expect(await list("/pods")).toEqual(all);
  expect(await list("/namespaces/default/pods", "labelSelector=app in (web)")).toEqual(all);
  for (const query of ["labelSelector=app=db", "fieldSelector=metadata.name=other"])
    expect(await list("/namespaces/default/pods", query)).toEqual({ ...all, items: [] });
  expect(await list("/namespaces/kube-system/pods")).toEqual({ ...all, items: [] });
});

test("metrics API: nodes have the sum of what their pods use, and none while they are down", async () => {
  await using simulation = await start();
  const { client } = simulation.cluster;
  const usage = async () => {
    const { items } = (await client.raw(`${root}/nodes`)) as { items: { metadata: Pod["metadata"] }[] };
    return items.map((item) => [item.metadata?.name, (item as { usage?: unknown }).usage]);
  };
  expect(await usage()).toEqual([
    ["node-1", { cpu: "250m", memory: "64Mi" }],
    ["node-2", { cpu: "0", memory: "0" }],
  ]);
  const down = simulation.cluster.simulate(rule({ node: "node-1" }, { nodeDown: true }));
  expect(await usage()).toEqual([["node-2", { cpu: "0", memory: "0" }]]);
  expect(await client.raw(`${root}/pods`)).toMatchObject({ items: [] });
  down.remove();
  await simulation.clock.settle();
});

test.each([
  ["/namespaces/default/pods/none", 404, 'podmetrics.metrics.k8s.io "default/none" not found'],
  ["/namespaces/kube-system/pods/waits", 404, 'podmetrics.metrics.k8s.io "kube-system/waits" not found'],
  ["/nodes/none", 404, 'nodemetrics.metrics.k8s.io "none" not found'],
  ["/nothing", 404, "the server could not find the requested resource"],
])("metrics API: %s is answered with %s", async (path, code, message) => {
  await using simulation = await start();
  const asked = simulation.cluster.client.raw(`${root}${path}`);
  await expect(asked).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
});

test("metrics API: an invalid selector is refused with 400", async () => {
  await using simulation = await start();
  const query = new URLSearchParams({ labelSelector: "a in (" });
  await expect(simulation.cluster.client.raw(`${root}/pods`, { query })).rejects.toMatchObject({ code: 400 });
});

test("metrics API: the role view grants metrics of pods in its namespace, and none of nodes", async () => {
  await using simulation = await start();
  await simulation.cluster.client.create(RoleBinding, {
    metadata: { name: "v", namespace: "default" },
    roleRef: { apiGroup: RoleBinding.group, kind: "ClusterRole", name: "view" },
    subjects: [{ kind: "User", apiGroup: RoleBinding.group, name: "eve" }],
  });
  const client = simulation.cluster.connect({ user: { name: "eve", groups: ["system:authenticated"] } });
  expect(await client.raw(`${root}/namespaces/default/pods/p`)).toEqual(podMetrics);
  await expect(client.raw(`${root}/nodes`)).rejects.toMatchObject({
    code: 403,
    message: expect.stringContaining('cannot list resource "nodes" in API group "metrics.k8s.io"'),
  });
});

test("metrics API: the group is discovered, and absent without its server", async () => {
  await using simulation = await start();
  const kinds = async ({ cluster }: Simulation) =>
    (await cluster.client.resources())
      .filter(({ group }) => group === "metrics.k8s.io")
      .map(({ kind, plural, scope, verbs }) => ({ kind, plural, scope, verbs }));
  const verbs = ["get", "list"];
  expect(await kinds(simulation)).toEqual([
    { kind: "NodeMetrics", plural: "nodes", scope: "Cluster", verbs },
    { kind: "PodMetrics", plural: "pods", scope: "Namespaced", verbs },
  ]);
  await using without = await Simulation.start({ controllers: ["-metrics-server"] });
  expect(await kinds(without)).toEqual([]);
});

import { findCondition, Node, Pod, type PodSpec } from "@kubewright/api";
import { expect, test } from "vitest";
import { VirtualCluster } from "./virtual-cluster.js";

const namespace = "default";

const pod = (name: string, spec: Partial<PodSpec> = {}): Pod => ({
  metadata: { name, namespace },
  spec: { containers: [{ name: "c", image: "web:1" }], ...spec },
});

const asking = (requests: Record<string, string>): Partial<PodSpec> => ({
  containers: [{ name: "c", image: "web:1", resources: { requests } }],
});

async function create(cluster: VirtualCluster, object: Pod): Promise<Pod> {
  await cluster.client.create(Pod, object);
  await cluster.rest();
  return cluster.client.get(Pod, object.metadata?.name ?? "", { namespace });
}

const why = ({ status }: Pod) => findCondition(status?.conditions, "PodScheduled")?.message;

test("pods spread over nodes", async () => {
  await using cluster = await VirtualCluster.start({ nodes: 3 });
  for (const name of ["a", "b", "c"]) await create(cluster, pod(name));
  const nodes = (await cluster.pods()).map(({ spec }) => spec?.nodeName).toSorted();
  expect(nodes).toEqual(["node-1", "node-2", "node-3"]);
});

test.each([
  { what: "too much CPU", spec: asking({ cpu: "64" }), reason: "2 Insufficient cpu" },
  { what: "too much memory", spec: asking({ memory: "1Ti" }), reason: "2 Insufficient memory" },
  {
    what: "an unknown label",
    spec: { nodeSelector: { disk: "ssd" } },
    reason: "2 node(s) didn't match Pod's node affinity/selector",
  },
])("a pod that asks for $what is told why it waits", async ({ spec, reason }) => {
  await using cluster = await VirtualCluster.start({ nodes: 2 });
  const waiting = await create(cluster, pod("a", spec));
  expect(waiting.status?.phase).toBe("Pending");
  expect(why(waiting)).toMatch(`0/2 nodes are available: ${reason}.`);
  expect((await cluster.events("Pod"))[0]).toMatch(`FailedScheduling: 0/2 nodes are available: ${reason}.`);
});

test("without nodes, pods wait", async () => {
  await using cluster = await VirtualCluster.start({ nodes: 0 });
  expect(why(await create(cluster, pod("a")))).toBe("no nodes available to schedule pods");
});

test("a taint keeps pods away that do not tolerate it", async () => {
  await using cluster = await VirtualCluster.start();
  const taints = [{ key: "dedicated", value: "gpu", effect: "NoSchedule" }];
  await cluster.client.patch(Node, "node-1", { merge: { spec: { taints } } });
  await cluster.rest();
  expect(why(await create(cluster, pod("a")))).toMatch("1 node(s) had untolerated taint(s)");
  const tolerations = [{ key: "dedicated", operator: "Exists" as const }];
  expect((await create(cluster, pod("b", { tolerations }))).spec?.nodeName).toBe("node-1");
});

test("a waiting pod is placed when room is made", async () => {
  await using cluster = await VirtualCluster.start();
  await create(cluster, pod("first", asking({ cpu: "30" })));
  expect(why(await create(cluster, pod("second", asking({ cpu: "30" }))))).toMatch("1 Insufficient cpu");
  await cluster.client.delete(Pod, "first", { namespace });
  await cluster.rest();
  expect((await cluster.client.get(Pod, "second", { namespace })).status?.phase).toBe("Running");
});

test("a pod with a scheduling gate waits until it is opened", async () => {
  await using cluster = await VirtualCluster.start();
  const gated = await create(cluster, pod("a", { schedulingGates: [{ name: "example.com/quota" }] }));
  expect(gated.spec?.nodeName).toBeUndefined();
  await cluster.client.patch(Pod, "a", { merge: { spec: { schedulingGates: [] } } }, { namespace });
  await cluster.rest();
  expect((await cluster.client.get(Pod, "a", { namespace })).status?.phase).toBe("Running");
});

test("a pod that fits nowhere is tried now and then, however often the cluster changes", async () => {
  await using cluster = await VirtualCluster.start();
  await create(cluster, pod("a", asking({ cpu: "64" })));
  for (let index = 2; index < 22; index++) {
    await cluster.client.create(Node, { metadata: { name: `extra-${index}` } });
    await cluster.rest();
  }
  const told = (await cluster.events("Pod")).filter((text) => text.includes("FailedScheduling"));
  expect(told.length).toBeLessThan(8);
  const allocatable = { cpu: "128", memory: "32Gi", pods: "110" };
  await cluster.client.patch(
    Node,
    "node-1",
    { merge: { status: { allocatable } } },
    { subresource: "status" },
  );
  await cluster.rest();
  await cluster.clock.advance(10_000);
  expect((await cluster.client.get(Pod, "a", { namespace })).spec?.nodeName).toBe("node-1");
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Node, Pod } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { startCluster } from "../cluster.js";
import { Simulation } from "./fixtures/simulation.js";
import { rule } from "./rules/check-rule.js";

const names = (nodes: readonly Node[]) => nodes.map(({ metadata }) => metadata?.name);

test("nodes: have the names, labels, taints and capacity that were asked for", async () => {
  const taints = [{ key: "gpu", value: "yes", effect: "NoSchedule" }] as const;
  await using simulation = await Simulation.start({
    nodes: [
      { zone: "a", region: "eu", labels: { disk: "ssd" } },
      { name: "big", taints, capacity: { cpu: "128", "example.com/gpu": "4" }, arch: "arm64" },
    ],
  });
  const [big, first] = await simulation.nodes();
  expect(first?.metadata).toMatchObject({
    name: "node-1",
    labels: {
      disk: "ssd",
      "kubernetes.io/hostname": "node-1",
      "topology.kubernetes.io/zone": "a",
      "topology.kubernetes.io/region": "eu",
    },
  });
  expect(first?.spec?.taints).toBeUndefined();
  expect(big?.metadata?.name).toBe("big");
  expect(big?.spec).toMatchObject({ taints, podCIDR: "10.244.1.0/24" });
  expect(big?.status).toMatchObject({
    capacity: { cpu: "128", memory: "256Gi", "example.com/gpu": "4" },
    allocatable: { cpu: "128", "example.com/gpu": "4", pods: "110" },
    nodeInfo: { architecture: "arm64", kubeletVersion: expect.stringMatching(/^v1\.36\./) },
  });
});

test.each([
  [-1, "-1 is no number of nodes"],
  [1.5, "1.5 is no number of nodes"],
  [[{ name: "a" }, { name: "a" }], 'there are two named "a"'],
])("nodes: %j is refused", async (nodes, message) => {
  await expect(startCluster({ nodes })).rejects.toThrow(message);
});

test("nodes: status.images lists the images of the node", async () => {
  await using simulation = await Simulation.start();
  await simulation.run({ image: "web:1" });
  const [node] = await simulation.nodes();
  expect(node?.status?.images).toEqual([
    { names: [expect.stringMatching(/^web:1@sha256:/), "web:1"], sizeBytes: expect.any(Number) },
  ]);
});

describe("nodes made and deleted while the cluster runs", () => {
  const extra = { metadata: { name: "extra", annotations: { "kubewright.dev/simulated": "true" } } };

  test("a node with the simulated annotation gets a kubelet, and keeps its own capacity", async () => {
    await using simulation = await Simulation.start({ nodes: 0 });
    await simulation.cluster.client.create(Node, { ...extra, status: { capacity: { cpu: "2" } } });
    const [node] = await simulation.nodes();
    expect(node).toMatchObject({
      spec: { podCIDR: "10.244.0.0/24" },
      status: { capacity: { cpu: "2", pods: "110" } },
    });
    expect(node?.spec?.taints).toBeUndefined();
    await simulation.run();
    expect(await simulation.isReady()).toBe(true);
  });

  test("a node without the annotation gets none", async () => {
    await using simulation = await Simulation.start({ nodes: 0 });
    await simulation.cluster.client.create(Node, { metadata: { name: "real" } });
    const pod = await simulation.run({}, { nodeName: "real" });
    expect(pod.status?.phase).toBe("Pending");
    expect(pod.status?.containerStatuses).toBeUndefined();
  });

  test("the pods of a deleted node are replaced on others", async () => {
    await using simulation = await Simulation.start({ nodes: 2, controllers: ["serviceaccount"] });
    await simulation.run({}, { nodeName: "node-1" });
    await simulation.cluster.client.delete(Node, "node-1");
    expect(names(await simulation.nodes())).toEqual(["node-2"]);
    await simulation.cluster.client.delete(Pod, "p", { namespace: "default" });
    expect((await simulation.after(3600)).metadata?.deletionTimestamp).toBeDefined();
  });
});

test("nodes: pods have addresses of their node's range, which are reused", async () => {
  await using simulation = await Simulation.start({ nodes: 2, controllers: ["serviceaccount"] });
  const { status } = await simulation.run({}, { nodeName: "node-2" });
  expect(status).toMatchObject({ podIP: "10.244.1.1", hostIP: "172.18.0.4" });
});

test("nodes: a pod with hostNetwork has the address of the node", async () => {
  await using simulation = await Simulation.start();
  const { status } = await simulation.run({}, { hostNetwork: true });
  expect(status?.podIP).toBe(status?.hostIP);
});

test("nodes: a restarted cluster keeps its nodes, and its pods stay ready", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kubewright-nodes-"));
  const file = join(folder, "state");
  const options = { nodes: 2, controllers: ["serviceaccount"] };
  const before = await (async () => {
    await using simulation = await Simulation.start(options);
    await simulation.run({}, { nodeName: "node-2" });
    simulation.cluster.simulate(rule({}, { exit: { times: 1 } }));
    const pod = await simulation.pod();
    simulation.cluster.snapshot(file);
    return pod;
  })();
  await using again = await Simulation.start({ ...options, restore: file });
  rmSync(folder, { recursive: true });
  const { status } = await again.pod();
  const { podIP, hostIP, startTime, phase } = before.status ?? {};
  expect(status).toMatchObject({ podIP, hostIP, startTime, phase, conditions: before.status?.conditions });
  expect(before.status?.containerStatuses?.[0]?.restartCount).toBe(1);
  expect(await again.container()).toMatchObject({ restartCount: 1, ready: true });
  expect((await again.nodes()).map(({ spec }) => spec?.podCIDR)).toEqual(["10.244.0.0/24", "10.244.1.0/24"]);
});

import { Node, Pod, type PodSpec, StatefulSet } from "@kubewright/api";
import { expect, test } from "vitest";
import { Simulation } from "./fixtures/simulation.js";

const namespace = "default";
const nodeName = "node-1";
const onPort = (hostPort: number): PodSpec => ({
  nodeName,
  containers: [{ name: "c", image: "web:1", ports: [{ containerPort: 80, hostPort }] }],
});

/** Binds a pod to the node without asking the scheduler. */
async function bind(simulation: Simulation, name: string, spec: Partial<PodSpec>): Promise<Pod> {
  const containers = [{ name: "c", image: "web:1" }];
  await simulation.cluster.client.create(Pod, {
    metadata: { name, namespace },
    spec: { nodeName, containers, ...spec },
  });
  await simulation.clock.advance(1000);
  return simulation.pod(name);
}

test("a pod whose host port is taken on its node fails, and its port is free again once the other is gone", async () => {
  await using simulation = await Simulation.start();
  const first = await bind(simulation, "first", onPort(21017));
  expect(first.status?.phase).toBe("Running");
  const second = await bind(simulation, "second", onPort(21017));
  const why = "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports";
  expect(second.status).toMatchObject({
    phase: "Failed",
    reason: "NodePorts",
    message: `Pod was rejected: ${why}`,
    startTime: expect.any(String),
  });
  expect(second.status?.containerStatuses).toBeUndefined();
  expect(await simulation.events()).toContain(`NodePorts: ${why}`);
  await simulation.cluster.client.delete(Pod, "first", { namespace });
  await simulation.clock.settle();
  expect((await bind(simulation, "third", onPort(21017))).status?.phase).toBe("Running");
});

test("a StatefulSet makes a pod again that its node rejected, until it is taken", async () => {
  await using simulation = await Simulation.start();
  await bind(simulation, "taker", onPort(21017));
  const labels = { app: "db" };
  await simulation.cluster.client.create(StatefulSet, {
    metadata: { name: "db", namespace },
    spec: {
      replicas: 1,
      serviceName: "db",
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: onPort(21017) },
    },
  });
  const first = await simulation.pod("db-0");
  await simulation.clock.advance(30_000);
  const second = await simulation.pod("db-0");
  expect(second.metadata?.uid).not.toBe(first.metadata?.uid);
  await simulation.cluster.client.delete(Pod, "taker", { namespace });
  await simulation.clock.advance(5000);
  expect((await simulation.pod("db-0")).status?.phase).toBe("Running");
});

test.each<[string, Partial<PodSpec>, string]>([
  [
    "more CPU than is left",
    { containers: [{ name: "c", image: "web:1", resources: { requests: { cpu: "33" } } }] },
    "OutOfcpu",
  ],
  ["labels the node does not have", { nodeSelector: { disk: "ssd" } }, "NodeAffinity"],
])("a pod bound to a node that asks for %s is rejected", async (_what, spec, reason) => {
  await using simulation = await Simulation.start();
  const { status } = await bind(simulation, "p", spec);
  expect(status).toMatchObject({ phase: "Failed", reason });
});

test("a resource that the node knows nothing of is no reason to reject a pod", async () => {
  await using simulation = await Simulation.start();
  const resources = { limits: { "example.com/licence": "1" }, requests: { "example.com/licence": "1" } };
  const containers = [{ name: "c", image: "web:1", resources }];
  expect((await bind(simulation, "p", { containers })).status?.phase).toBe("Running");
});

test("a taint that drives pods away rejects new ones that do not tolerate it; NoSchedule does not", async () => {
  await using simulation = await Simulation.start({ controllers: ["-taint-eviction-controller"] });
  const taint = (effect: string) =>
    simulation.cluster.client.patch(Node, nodeName, { merge: { spec: { taints: [{ key: "x", effect }] } } });
  await taint("NoSchedule");
  expect((await bind(simulation, "first", {})).status?.phase).toBe("Running");
  await taint("NoExecute");
  const { status } = await bind(simulation, "second", {});
  expect(status).toMatchObject({ phase: "Failed", reason: "TaintToleration" });
  const tolerations = [{ key: "x", operator: "Exists" }] as const;
  expect((await bind(simulation, "third", { tolerations })).status?.phase).toBe("Running");
});

test("a pod that is over takes nothing of its node", async () => {
  await using simulation = await Simulation.start();
  const requests = { cpu: "20" };
  const ending = { name: "c", image: "web:1", command: ["true"], resources: { requests } };
  const first = await bind(simulation, "first", { restartPolicy: "Never", containers: [ending] });
  expect(first.status?.phase).toBe("Succeeded");
  const containers = [{ name: "c", image: "web:1", resources: { requests } }];
  expect((await bind(simulation, "second", { containers })).status?.phase).toBe("Running");
});

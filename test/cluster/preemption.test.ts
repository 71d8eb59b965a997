import { findCondition, Pod, PriorityClass } from "@kubewright/api";
import { expect, test } from "vitest";
import { VirtualCluster } from "./virtual-cluster.js";

const namespace = "default";

const pod = (name: string, cpu: string, priorityClassName?: string): Pod => ({
  metadata: { name, namespace },
  spec: {
    priorityClassName,
    containers: [{ name: "c", image: "web:1", resources: { requests: { cpu } } }],
    terminationGracePeriodSeconds: 30,
  },
});

test("an important pod takes the place of another, which is told why and ends in its own time", async () => {
  await using cluster = await VirtualCluster.start();
  const stop = new AbortController();
  const seen: Pod[] = [];
  const watching = (async () => {
    for await (const { object } of cluster.client.watch(Pod, { namespace, signal: stop.signal }))
      if (object.kind === "Pod") seen.push(object);
  })().catch(() => undefined);
  await cluster.client.create(PriorityClass, { metadata: { name: "high" }, value: 1000 });
  await cluster.client.create(Pod, pod("first", "20"));
  await cluster.rest();
  await cluster.client.create(Pod, pod("second", "20", "high"));
  await cluster.rest();
  stop.abort();
  await watching;
  const states = (name: string) => seen.filter(({ metadata }) => metadata?.name === name);
  expect(states("second").map(({ status }) => status?.nominatedNodeName)).toContain("node-1");
  const leaving = states("first").find(({ metadata }) => metadata?.deletionTimestamp);
  expect(leaving?.metadata?.deletionGracePeriodSeconds).toBe(30);
  expect(findCondition(leaving?.status?.conditions, "DisruptionTarget")).toMatchObject({
    status: "True",
    reason: "PreemptionByScheduler",
    message: "default-scheduler: preempting to accommodate a higher priority pod",
  });
  const [winner, ...others] = await cluster.pods();
  expect(others).toEqual([]);
  expect(winner?.status?.phase).toBe("Running");
  const events = await cluster.events("Pod");
  expect(events).toContain(`Preempted: Preempted by pod ${winner?.metadata?.uid} on node node-1`);
  expect(events).toContain("FailedScheduling: 0/1 nodes are available: 1 Insufficient cpu.");
});

test("a pod that may not send others away says so", async () => {
  await using cluster = await VirtualCluster.start();
  await cluster.client.create(PriorityClass, {
    metadata: { name: "polite" },
    value: 1000,
    preemptionPolicy: "Never",
  });
  await cluster.client.create(Pod, pod("first", "20"));
  await cluster.client.create(Pod, pod("second", "20", "polite"));
  await cluster.rest();
  const all = await cluster.pods();
  const told = all
    .map(({ status }) => findCondition(status?.conditions, "PodScheduled")?.message)
    .filter(Boolean);
  expect(told[0]).toMatch(
    /^0\/1 nodes are available: 1 Insufficient cpu\. no new claims to deallocate, preemption: /,
  );
});

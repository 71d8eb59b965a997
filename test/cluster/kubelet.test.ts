import { ConfigMap, type Container, findCondition, Lease, Pod, type PodSpec } from "@kubewright/api";
import { expect, test } from "vitest";
import { VirtualCluster } from "./virtual-cluster.js";

const namespace = "default";
const shell = (script: string) => ({ command: ["sh", "-c", script] });

async function run(
  cluster: VirtualCluster,
  container: Partial<Container>,
  spec: Partial<PodSpec> = {},
): Promise<Pod> {
  const containers = [{ name: "c", image: "web:1", ...container }];
  await cluster.client.create(Pod, { metadata: { name: "p", namespace }, spec: { ...spec, containers } });
  await cluster.rest();
  return read(cluster);
}

const read = (cluster: VirtualCluster) => cluster.client.get(Pod, "p", { namespace });
const first = ({ status }: Pod) => status?.containerStatuses?.[0];

test("a pod goes through its states in order", async () => {
  await using cluster = await VirtualCluster.start();
  const watch = cluster.client.watch(Pod, { namespace });
  const seen: string[] = [];
  const watching = (async () => {
    for await (const { object } of watch) {
      const { waiting, running } = first(object)?.state ?? {};
      const state = waiting?.reason ?? (running ? "running" : "none");
      const ready = findCondition(object.status?.conditions, "Ready")?.status ?? "?";
      const scheduled = object.spec?.nodeName ? "placed" : "unplaced";
      seen.push(`${object.status?.phase} ${scheduled} ${state} ready=${ready}`);
    }
  })();
  await run(cluster, {});
  await watch.return?.();
  await watching;
  expect(seen).toEqual([
    "Pending unplaced none ready=?",
    "Pending placed none ready=?",
    "Pending placed ContainerCreating ready=False",
    "Running placed running ready=True",
  ]);
});

test("a running pod has addresses and conditions without reasons", async () => {
  await using cluster = await VirtualCluster.start();
  const { status } = await run(cluster, {});
  expect(status).toMatchObject({ podIP: "10.244.0.1", podIPs: [{ ip: "10.244.0.1" }], hostIP: "172.18.0.3" });
  expect(status?.conditions?.map(({ type, status: is, reason }) => [type, is, reason])).toEqual([
    ["PodReadyToStartContainers", "True", undefined],
    ["Initialized", "True", undefined],
    ["Ready", "True", undefined],
    ["ContainersReady", "True", undefined],
    ["PodScheduled", "True", undefined],
  ]);
});

test.each([
  { script: "true", phase: "Succeeded", exitCode: 0, reason: "Completed" },
  { script: "exit 3", phase: "Failed", exitCode: 3, reason: "Error" },
])("`$script` ends the pod as $phase", async ({ script, phase, exitCode, reason }) => {
  await using cluster = await VirtualCluster.start();
  const pod = await run(cluster, shell(script), { restartPolicy: "Never" });
  expect(pod.status?.phase).toBe(phase);
  expect(first(pod)?.state?.terminated).toMatchObject({ exitCode, reason });
});

test("a container that fails is restarted at once, then after a growing pause", async () => {
  await using cluster = await VirtualCluster.start();
  const pod = await run(cluster, shell("exit 1"));
  expect(first(pod)).toMatchObject({ restartCount: 1, state: { waiting: { reason: "CrashLoopBackOff" } } });
  expect(first(pod)?.lastState?.terminated?.exitCode).toBe(1);
  await cluster.clock.advance(11_000);
  expect(first(await read(cluster))?.restartCount).toBe(2);
  await cluster.clock.advance(11_000);
  expect(first(await read(cluster))?.restartCount).toBe(2);
  await cluster.clock.advance(10_000);
  expect(first(await read(cluster))?.restartCount).toBe(3);
});

test("an image that cannot be had is tried again and again", async () => {
  await using cluster = await VirtualCluster.start();
  const pod = await run(cluster, { image: "registry.local/does-not-exist:1" });
  expect(first(pod)?.state?.waiting?.reason).toBe("ErrImagePull");
  await cluster.clock.advance(10_000);
  expect(first(await read(cluster))?.state?.waiting?.reason).toBe("ImagePullBackOff");
});

test("a container waits for the ConfigMap its environment comes from", async () => {
  await using cluster = await VirtualCluster.start();
  const pod = await run(cluster, { envFrom: [{ configMapRef: { name: "settings" } }] });
  expect(first(pod)?.state?.waiting).toEqual({
    reason: "CreateContainerConfigError",
    message: 'configmap "settings" not found',
  });
  await cluster.client.create(ConfigMap, { metadata: { name: "settings", namespace }, data: { a: "1" } });
  await cluster.clock.advance(2_000);
  expect((await read(cluster)).status?.phase).toBe("Running");
});

test("init containers run one by one, before the others", async () => {
  await using cluster = await VirtualCluster.start();
  const initContainers = [
    { name: "one", image: "web:1", ...shell("sleep 5") },
    { name: "two", image: "web:1", ...shell("sleep 5") },
  ];
  const pod = await run(cluster, {}, { initContainers });
  const states = ({ status }: Pod) =>
    [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].map(
      ({ state }) => Object.keys(state ?? {})[0],
    );
  expect(states(pod)).toEqual(["running", "waiting", "waiting"]);
  await cluster.clock.advance(5_000);
  expect(states(await read(cluster))).toEqual(["terminated", "running", "waiting"]);
  await cluster.clock.advance(5_000);
  expect(states(await read(cluster))).toEqual(["terminated", "terminated", "running"]);
});

test("a readiness probe delays readiness", async () => {
  await using cluster = await VirtualCluster.start();
  const readinessProbe = { httpGet: { port: 80 }, initialDelaySeconds: 20 };
  expect(first(await run(cluster, { readinessProbe }))).toMatchObject({ ready: false, started: true });
  await cluster.clock.advance(20_000);
  expect(first(await read(cluster))?.ready).toBe(true);
});

test("a readiness gate holds readiness back until its condition is true", async () => {
  await using cluster = await VirtualCluster.start();
  const conditionType = "example.com/traffic";
  const pod = await run(cluster, {}, { readinessGates: [{ conditionType }] });
  expect(findCondition(pod.status?.conditions, "Ready")).toMatchObject({
    status: "False",
    reason: "ReadinessGatesNotReady",
    message: `corresponding condition of pod readiness gate "${conditionType}" does not exist.`,
  });
  const readyWhen = async (status: string) => {
    const strategic = { status: { conditions: [{ type: conditionType, status }] } };
    await cluster.client.patch(Pod, "p", { strategic }, { namespace, subresource: "status" });
    await cluster.rest();
    return findCondition((await read(cluster)).status?.conditions, "Ready");
  };
  expect(await readyWhen("False")).toMatchObject({
    status: "False",
    message: `the status of pod readiness gate "${conditionType}" is not "True", but False`,
  });
  expect(await readyWhen("True")).toMatchObject({ status: "True" });
});

test("a deleted pod ends its containers and is gone", async () => {
  await using cluster = await VirtualCluster.start();
  await run(cluster, {});
  const deleted = await cluster.client.delete(Pod, "p", { namespace });
  expect(deleted?.metadata?.deletionGracePeriodSeconds).toBe(30);
  await cluster.rest();
  expect(await cluster.pods()).toEqual([]);
  expect(await cluster.events("Pod")).toContain("Killing: Stopping container c");
});

test("leases of nodes are fresh for every reader", async () => {
  await using cluster = await VirtualCluster.start();
  const renewed = async () =>
    Date.parse(
      (await cluster.client.get(Lease, "node-1", { namespace: "kube-node-lease" })).spec?.renewTime ?? "",
    );
  const before = await renewed();
  await cluster.clock.advance(3_600_000);
  expect((await renewed()) - before).toBe(3_600_000);
});

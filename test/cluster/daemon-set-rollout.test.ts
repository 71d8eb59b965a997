import { ControllerRevision, DaemonSet, type DaemonSetSpec, isConditionTrue, Pod } from "@kubewright/api";
import { expect, test } from "vitest";
import { VirtualCluster } from "./virtual-cluster.js";

const inDefault = { namespace: "default" };
const labels = { app: "agent" };
const agent = (spec: Partial<DaemonSetSpec> = {}, command?: string): DaemonSet => ({
  metadata: { name: "agent", ...inDefault, annotations: { "kubernetes.io/change-cause": "first" } },
  spec: {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        containers: [{ name: "c", image: "agent:1", ...(command ? { command: ["sh", "-c", command] } : {}) }],
      },
    },
    ...spec,
  },
});
const image = (name: string) => ({
  strategic: { spec: { template: { spec: { containers: [{ name: "c", image: name }] } } } },
});
const read = (cluster: VirtualCluster) => cluster.client.get(DaemonSet, "agent", inDefault);

test("with a surge no node is ever without a pod", async () => {
  await using cluster = await VirtualCluster.start({ nodes: 3 });
  const updateStrategy = {
    type: "RollingUpdate",
    rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
  } as const;
  await cluster.client.create(DaemonSet, agent({ updateStrategy }));
  await cluster.rest();
  const serving = new Map<string, string | undefined>();
  let least = 3;
  let isRolling = false;
  const watch = cluster.client.watch(Pod, inDefault);
  const watching = (async () => {
    for await (const { type, object } of watch) {
      const { uid = "", deletionTimestamp } = object.metadata ?? {};
      const isServing =
        type !== "DELETED" && !deletionTimestamp && isConditionTrue(object.status?.conditions, "Ready");
      if (isServing) serving.set(uid, object.spec?.nodeName);
      else serving.delete(uid);
      if (isRolling) least = Math.min(least, new Set(serving.values()).size);
    }
  })();
  await cluster.rest();
  expect(serving.size).toBe(3);
  isRolling = true;
  await cluster.client.patch(DaemonSet, "agent", image("agent:2"), inDefault);
  await cluster.rest();
  await watch.return?.();
  await watching;
  expect(least).toBe(3);
  expect((await cluster.pods()).map(({ spec }) => spec?.containers[0]?.image)).toEqual([
    "agent:2",
    "agent:2",
    "agent:2",
  ]);
});

test("every template is kept as a revision, and going back gives it the next number", async () => {
  await using cluster = await VirtualCluster.start();
  await cluster.client.create(DaemonSet, agent());
  await cluster.rest();
  await cluster.client.patch(DaemonSet, "agent", image("agent:2"), inDefault);
  await cluster.rest();
  const revisions = async () => (await cluster.client.list(ControllerRevision, inDefault)).items;
  const [first] = (await revisions()).filter(({ revision }) => revision === 1);
  expect(first?.metadata?.annotations).toEqual({
    "deprecated.daemonset.template.generation": "1",
    "kubernetes.io/change-cause": "first",
  });
  expect(first?.metadata?.name).toBe(`agent-${first?.metadata?.labels?.["controller-revision-hash"]}`);
  await cluster.client.patch(DaemonSet, "agent", { strategic: first?.data as object }, inDefault);
  await cluster.rest();
  expect((await revisions()).map(({ revision }) => revision).toSorted()).toEqual([2, 3]);
  expect((await cluster.pods())[0]?.spec?.containers[0]?.image).toBe("agent:1");
});

test("a pod counts as available only after minReadySeconds", async () => {
  await using cluster = await VirtualCluster.start();
  await cluster.client.create(DaemonSet, agent({ minReadySeconds: 30 }));
  await cluster.rest();
  expect((await read(cluster)).status).toMatchObject({ numberReady: 1, numberUnavailable: 1 });
  await cluster.clock.advance(31_000);
  expect((await read(cluster)).status).toMatchObject({ numberAvailable: 1 });
});

import {
  CustomResourceDefinition,
  Deployment,
  findCondition,
  HorizontalPodAutoscaler,
  type HorizontalPodAutoscalerSpec,
} from "@kubewright/api";
import { rule } from "@kubewright/cluster";
import { expect, test } from "vitest";
import { VirtualCluster, web } from "./virtual-cluster.js";

const inDefault = { namespace: "default" };
const cpu = (averageUtilization: number) => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});
const autoscaler = (spec: Partial<HorizontalPodAutoscalerSpec> = {}): HorizontalPodAutoscaler => ({
  metadata: { name: "web", ...inDefault },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    minReplicas: 1,
    maxReplicas: 10,
    metrics: [cpu(50)],
    ...spec,
  },
});

/** Two pods that each ask for 100m. */
async function start(spec: Partial<HorizontalPodAutoscalerSpec> = {}, replicas = 2): Promise<VirtualCluster> {
  const cluster = await VirtualCluster.start();
  const container = { name: "web", image: "web:1", resources: { requests: { cpu: "100m" } } };
  const deployment = web({ replicas });
  await cluster.client.create(Deployment, {
    ...deployment,
    spec: {
      ...deployment.spec!,
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [container] } },
    },
  });
  await cluster.rest();
  await cluster.client.create(HorizontalPodAutoscaler, autoscaler(spec));
  return cluster;
}

const using = (cluster: VirtualCluster, amount: string) =>
  cluster.cluster.simulate(rule({}, { metrics: { cpu: amount, memory: "10Mi" } }));
const read = (cluster: VirtualCluster) => cluster.client.get(HorizontalPodAutoscaler, "web", inDefault);
const wanted = async (cluster: VirtualCluster) => (await cluster.deployment("web")).spec?.replicas;
const condition = async (cluster: VirtualCluster, type: string) => {
  const { status, reason, message } = findCondition((await read(cluster)).status?.conditions, type) ?? {};
  return `${status} ${reason}: ${message}`;
};

test("grows when pods use too much, and shrinks five minutes after they use less", async () => {
  await using cluster = await start();
  using(cluster, "150m");
  await cluster.rest();
  await cluster.clock.advance(16_000);
  expect(await wanted(cluster)).toBe(8);
  expect(await cluster.events("HorizontalPodAutoscaler")).toContain(
    "SuccessfulRescale: New size: 4; reason: cpu resource utilization (percentage of request) above target",
  );
  expect((await read(cluster)).status?.currentMetrics).toEqual([
    {
      type: "Resource",
      resource: { name: "cpu", current: { averageUtilization: 150, averageValue: "150m" } },
    },
  ]);
  expect(await condition(cluster, "ScalingActive")).toBe(
    "True ValidMetricFound: the HPA was able to successfully calculate a replica count from cpu resource utilization (percentage of request)",
  );
  await cluster.clock.advance(60_000);
  expect(await wanted(cluster)).toBe(10);
  expect(await condition(cluster, "ScalingLimited")).toBe(
    "True TooManyReplicas: the desired replica count is more than the maximum replica count",
  );
  using(cluster, "5m");
  await cluster.clock.advance(120_000);
  expect(await wanted(cluster)).toBe(10);
  expect(await condition(cluster, "AbleToScale")).toBe(
    "True ScaleDownStabilized: recent recommendations were higher than current one, applying the highest recent recommendation",
  );
  await cluster.clock.advance(240_000);
  expect(await wanted(cluster)).toBe(1);
  expect(await cluster.events("HorizontalPodAutoscaler")).toContain(
    "SuccessfulRescale: New size: 1; reason: All metrics below target",
  );
});

test("says why it cannot scale", async () => {
  await using cluster = await start({
    metrics: [
      {
        type: "Pods",
        pods: { metric: { name: "hits" }, target: { type: "AverageValue", averageValue: "1" } },
      },
    ],
  });
  await cluster.rest();
  const message = "unable to get metric hits: no metrics returned from custom metrics API";
  expect(await condition(cluster, "ScalingActive")).toBe(
    `False FailedGetPodsMetric: the HPA was unable to compute the replica count: ${message}`,
  );
  expect(await cluster.events("HorizontalPodAutoscaler")).toEqual([
    `FailedGetPodsMetric: ${message}`,
    `FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 1), first error is: failed to get pods metric value: ${message}`,
  ]);
  await cluster.client.patch(
    HorizontalPodAutoscaler,
    "web",
    { merge: { spec: { scaleTargetRef: { name: "gone" } } } },
    inDefault,
  );
  await cluster.rest();
  expect(await condition(cluster, "AbleToScale")).toBe(
    `False FailedGetScale: the HPA controller was unable to get the target's current scale: deployments.apps "gone" not found`,
  );
});

test("keeps the number within its bounds whatever the metrics say", async () => {
  await using cluster = await start({ minReplicas: 3 });
  await cluster.rest();
  expect(await wanted(cluster)).toBe(3);
  expect(await cluster.events("HorizontalPodAutoscaler")).toContain(
    "SuccessfulRescale: New size: 3; reason: Current number of replicas below Spec.MinReplicas",
  );
  await cluster.client.scale(Deployment, "web", 0, inDefault);
  await cluster.clock.advance(16_000);
  expect(await wanted(cluster)).toBe(0);
  expect(await condition(cluster, "ScalingActive")).toContain("False ScalingDisabled");
});

test("a metric that fails does not stop the others from growing, only from shrinking", async () => {
  const queue = {
    type: "External",
    external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "10" } },
  };
  const hits = {
    type: "Pods",
    pods: { metric: { name: "hits" }, target: { type: "AverageValue", averageValue: "1" } },
  };
  await using cluster = await start({ metrics: [queue, hits] });
  cluster.cluster.metrics.setExternal("queue", [{ value: 35 }]);
  await cluster.rest();
  expect(await wanted(cluster)).toBe(4);
  expect(await cluster.events("HorizontalPodAutoscaler")).toContain(
    "SuccessfulRescale: New size: 4; reason: external metric queue(nil) above target",
  );
  cluster.cluster.metrics.setExternal("queue", [{ value: 1 }]);
  await cluster.clock.advance(600_000);
  expect(await wanted(cluster)).toBe(4);
});

test("scales a custom resource by its scale", async () => {
  await using cluster = await VirtualCluster.start();
  await cluster.client.create(CustomResourceDefinition, {
    metadata: { name: "shops.example.com" },
    spec: {
      group: "example.com",
      names: { kind: "Shop", plural: "shops" },
      scope: "Namespaced",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          subresources: {
            status: {},
            scale: {
              specReplicasPath: ".spec.replicas",
              statusReplicasPath: ".status.replicas",
              labelSelectorPath: ".status.selector",
            },
          },
        },
      ],
    },
  });
  await cluster.rest();
  const Shop = await cluster.client.resource({ apiVersion: "example.com/v1", kind: "Shop" });
  const shop = await cluster.client.create(Shop, {
    apiVersion: "example.com/v1",
    kind: "Shop",
    metadata: { name: "corner", ...inDefault },
    spec: { replicas: 2 },
  });
  const status = { replicas: 2, selector: "app=shop" };
  await cluster.client.update(Shop, { ...shop, status }, { subresource: "status" });
  const metrics = [
    {
      type: "Object",
      object: {
        describedObject: { apiVersion: "v1", kind: "Service", name: "till" },
        metric: { name: "sales" },
        target: { type: "AverageValue", averageValue: "10" },
      },
    },
  ];
  cluster.cluster.metrics.set("sales", { kind: "Service", ...inDefault, name: "till" }, 42);
  const scaleTargetRef = { apiVersion: "example.com/v1", kind: "Shop", name: "corner" };
  await cluster.client.create(
    HorizontalPodAutoscaler,
    autoscaler({ scaleTargetRef, metrics, maxReplicas: 4 }),
  );
  await cluster.rest();
  expect(await cluster.client.get(Shop, "corner", inDefault)).toMatchObject({ spec: { replicas: 4 } });
});

test("two autoscalers that mean the same pods both stand still, and say so", async () => {
  await using cluster = await start();
  using(cluster, "150m");
  await cluster.client.create(HorizontalPodAutoscaler, {
    ...autoscaler(),
    metadata: { name: "other", ...inDefault },
  });
  await cluster.rest();
  await cluster.clock.advance(16_000);
  expect(await condition(cluster, "ScalingActive")).toBe(
    "False AmbiguousSelector: pods by selector app=web are controlled by multiple HPAs: [default/other default/web]",
  );
});

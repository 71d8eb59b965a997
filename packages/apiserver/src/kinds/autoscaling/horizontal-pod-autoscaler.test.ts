import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { workloadServer } from "../fixtures/workload-server.js";

const server = () => workloadServer("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers");
const oldPath = "/apis/autoscaling/v1/namespaces/test/horizontalpodautoscalers";
const shared = server();
const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
const valid = { scaleTargetRef, maxReplicas: 3 };
const cpu = (averageUtilization: number) => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});
const annotation = (name: string) => `autoscaling.alpha.kubernetes.io/${name}`;

describe("HorizontalPodAutoscaler", () => {
  it("gets the defaults of Kubernetes", async () => {
    const { attempt } = await shared;
    const { body } = await attempt({ spec: { ...valid, behavior: { scaleDown: { selectPolicy: "Min" } } } });
    expect(body.spec).toEqual({
      ...valid,
      minReplicas: 1,
      metrics: [cpu(80)],
      behavior: {
        scaleUp: {
          stabilizationWindowSeconds: 0,
          selectPolicy: "Max",
          policies: [
            { type: "Pods", value: 4, periodSeconds: 15 },
            { type: "Percent", value: 100, periodSeconds: 15 },
          ],
        },
        scaleDown: { selectPolicy: "Min", policies: [{ type: "Percent", value: 100, periodSeconds: 15 }] },
      },
    });
    expect(body.metadata.generation).toBeUndefined();
  });

  it.each<[what: string, spec: object, causes: string[]]>([
    [
      "no bounds and no target",
      { scaleTargetRef: { kind: "", name: "" }, maxReplicas: 0 },
      [
        "spec.maxReplicas: Required value: must be set and greater than 0",
        "spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`",
        "spec.scaleTargetRef.kind: Required value",
        "spec.scaleTargetRef.name: Required value",
        'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group',
      ],
    ],
    [
      "bounds the wrong way round",
      { ...valid, minReplicas: 5 },
      ["spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`"],
    ],
    [
      "metrics",
      {
        ...valid,
        metrics: [
          { type: "Magic" },
          { type: "Resource", resource: { name: "", target: { type: "Utilization" } } },
          {
            type: "Pods",
            pods: { metric: { name: "a" }, target: { type: "AverageValue", averageValue: "0" } },
          },
          {
            type: "External",
            resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 1 } },
          },
        ],
      },
      [
        'spec.metrics[0].type: Unsupported value: "Magic": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
        "spec.metrics[1].resource.name: Required value: must specify a resource name",
        "spec.metrics[1].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization",
        'spec.metrics[2].pods.target.averageValue: Invalid value: "0": must be positive',
        "spec.metrics[3].external: Required value: must populate information for the given metric source",
      ],
    ],
    [
      "a pace",
      {
        ...valid,
        behavior: {
          scaleUp: {
            stabilizationWindowSeconds: 3601,
            policies: [{ type: "Pods", value: 0, periodSeconds: 1801 }],
          },
          scaleDown: { stabilizationWindowSeconds: -1, selectPolicy: "Median", tolerance: "-1" },
        },
      },
      [
        "spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600",
        "spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero",
        "spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800",
        "spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: -1: must be greater than or equal to zero",
        'spec.behavior.scaleDown.selectPolicy: Unsupported value: "Median": supported values: "Disabled", "Max", "Min"',
        'spec.behavior.scaleDown.tolerance: Invalid value: "-1": must be greater than or equal to 0',
      ],
    ],
  ])("is refused with %s", async (_, spec, causes) => {
    const { wrong } = await shared;
    expect(new Set(await wrong({ spec }))).toEqual(new Set(causes));
  });

  it("refuses a negative number of replicas in its status", async () => {
    const { create, refused } = await server();
    await create("h", { spec: valid });
    expect(await refused("h", { status: { desiredReplicas: -1 } }, "/status")).toEqual([
      "status.desiredReplicas: Invalid value: -1: must be greater than or equal to 0",
    ]);
  });
});

describe("HorizontalPodAutoscaler in v1 and v2", () => {
  const metrics = [
    cpu(50),
    { type: "Pods", pods: { metric: { name: "p" }, target: { type: "AverageValue", averageValue: "3" } } },
    {
      type: "Object",
      object: {
        describedObject: { apiVersion: "v1", kind: "Service", name: "s" },
        metric: { name: "o", selector: { matchLabels: { a: "b" } } },
        target: { type: "Value", value: "10" },
      },
    },
    {
      type: "External",
      external: { metric: { name: "e" }, target: { type: "AverageValue", averageValue: "4" } },
    },
    {
      type: "ContainerResource",
      containerResource: {
        name: "memory",
        container: "c",
        target: { type: "AverageValue", averageValue: "1Gi" },
      },
    },
  ];
  const behavior = {
    scaleUp: { policies: [{ type: "Pods", value: 1, periodSeconds: 60 }], tolerance: "200m" },
  };

  it("loses nothing on the way through v1", async () => {
    const { create, call, path } = await server();
    const created = await create(
      "h",
      { spec: { ...valid, metrics, behavior } },
      { annotations: { own: "1" } },
    );
    const old = (await call("GET", `${oldPath}/h`)).body;
    expect(old).toMatchObject({ apiVersion: "autoscaling/v1", spec: { targetCPUUtilizationPercentage: 50 } });
    expect(Object.keys(old.metadata.annotations).sort()).toEqual(
      [annotation("behavior"), annotation("metrics"), "own"].sort(),
    );
    const answer = await call("PUT", `${oldPath}/h`, { ...old, spec: { ...old.spec, maxReplicas: 7 } });
    expect(answer.status).toBe(200);
    const { body } = await call("GET", `${path}/h`);
    expect(body.metadata.annotations).toEqual({ own: "1" });
    expect(body.spec.maxReplicas).toBe(7);
    expect(body.spec.behavior).toEqual(created.spec.behavior);
    const byType = (list: { type: string }[]) => [...list].sort((a, b) => (a.type < b.type ? -1 : 1));
    expect(byType(body.spec.metrics)).toEqual(byType(created.spec.metrics));
  });

  it("created in v1 has a CPU target in v2", async () => {
    const { call, path } = await server();
    const autoscaler = (name: string, spec: object) => ({
      apiVersion: "autoscaling/v1",
      kind: "HorizontalPodAutoscaler",
      metadata: { name },
      spec: { ...valid, ...spec },
    });
    expect(
      (await call("POST", oldPath, autoscaler("a", { targetCPUUtilizationPercentage: 40 }))).body,
    ).toMatchObject({
      apiVersion: "autoscaling/v1",
      spec: { minReplicas: 1, targetCPUUtilizationPercentage: 40 },
    });
    await call("POST", oldPath, autoscaler("b", {}));
    const { body } = await call("GET", path);
    expect(body.items).toMatchObject([{ spec: { metrics: [cpu(40)] } }, { spec: { metrics: [cpu(80)] } }]);
    const { status } = await call("POST", oldPath, autoscaler("c", { maxReplicas: 0 }));
    expect(status).toBe(422);
  });

  it("shows metrics and conditions of its status in v1", async () => {
    const { create, patch, call, path } = await server();
    await create("h", { spec: valid });
    const conditions = [{ type: "AbleToScale", status: "True", reason: "r", message: "m" }];
    const currentMetrics = [
      {
        type: "Resource",
        resource: { name: "cpu", current: { averageUtilization: 30, averageValue: "100m" } },
      },
    ];
    const status = { currentReplicas: 2, desiredReplicas: 3, conditions, currentMetrics };
    await patch(`${path}/h/status`, { status });
    const { body } = await call("GET", `${oldPath}/h`);
    expect(body.status).toMatchObject({
      currentReplicas: 2,
      desiredReplicas: 3,
      currentCPUUtilizationPercentage: 30,
    });
    expect(JSON.parse(body.metadata.annotations[annotation("conditions")])).toMatchObject(conditions);
    await call("PUT", `${oldPath}/h/status`, { ...body, status: { ...body.status, desiredReplicas: 4 } });
    expect((await call("GET", `${path}/h`)).body.status).toMatchObject({ ...status, desiredReplicas: 4 });
  });

  it("reads v1 annotations of any content", async () => {
    const { call } = await shared;
    const names = ["metrics", "current-metrics", "conditions", "behavior"].map(annotation);
    const shapes = fc.oneof(
      fc.json(),
      fc.string(),
      fc.constantFrom(
        '[{"type":"Object","object":{}}]',
        '[{"type":"Pods","pods":{"metricName":1}}]',
        '[{"type":"Resource","resource":null}]',
        '[{"resource":{"name":"cpu","targetAverageValue":"x"}}]',
        '{"ScaleUp":{"Policies":[{}]}}',
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom(...names), shapes), async (annotations) => {
        const { status } = await call(
          "POST",
          oldPath,
          {
            apiVersion: "autoscaling/v1",
            kind: "HorizontalPodAutoscaler",
            metadata: { name: "f", annotations },
            spec: valid,
          },
          { query: { dryRun: "All" } },
        );
        expect([201, 422]).toContain(status);
      }),
    );
  });
});

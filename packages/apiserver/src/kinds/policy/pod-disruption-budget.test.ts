import { describe, expect, it } from "vitest";
import { workloadServer } from "../fixtures/workload-server.js";

const server = () => workloadServer("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets");
const selector = { matchLabels: { a: "b" } };

describe("PodDisruptionBudget", () => {
  it.each<[what: string, spec: object, causes: string[]]>([
    ["a number", { minAvailable: 1, selector }, []],
    ["a percentage", { maxUnavailable: "50%", selector }, []],
    ["no selector", { minAvailable: 1 }, []],
    [
      "both bounds",
      { minAvailable: 1, maxUnavailable: 1 },
      [
        'spec: Invalid value: {"MinAvailable":1,"Selector":null,"MaxUnavailable":1,"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
      ],
    ],
    [
      "less than nothing",
      { minAvailable: -1 },
      ["spec.minAvailable: Invalid value: -1: must be greater than or equal to 0"],
    ],
    [
      "more than everything",
      { maxUnavailable: "101%" },
      ['spec.maxUnavailable: Invalid value: "101%": must not be greater than 100%'],
    ],
    [
      "an unknown policy",
      { minAvailable: 1, unhealthyPodEvictionPolicy: "Sometimes" },
      [
        'spec.unhealthyPodEvictionPolicy: Unsupported value: "Sometimes": supported values: "AlwaysAllow", "IfHealthyBudget"',
      ],
    ],
    [
      "a bad selector",
      { minAvailable: 1, selector: { matchExpressions: [{ key: "a", operator: "In" }] } },
      [
        "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      ],
    ],
  ])("accepts or refuses %s", async (_, spec, causes) => {
    const { wrong } = await server();
    expect(await wrong({ spec })).toEqual(causes);
  });

  it.each([
    ["A_b", 201],
    ["a%b", 422],
  ])("accepts any name that fits into a path: %s", async (name, status) => {
    const { call, path } = await server();
    const object = { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name } };
    expect((await call("POST", path, object)).status).toBe(status);
  });

  it("validates metadata by the rules of every object alone, and last", async () => {
    const { call, create, path, refused } = await server();
    const wrong = (spec: object) => ({
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: "w", labels: { a: "-" }, finalizers: ["nodomain"] },
      spec,
    });
    const fields = async (object: object) => {
      const { body } = await call("POST", path, object);
      return body.details.causes.map(({ field }: { field: string }) => field);
    };
    expect(await fields(wrong({ minAvailable: -1 }))).toEqual(["spec.minAvailable"]);
    expect(await fields(wrong({}))).toEqual(["metadata.labels"]);
    await create("b", { spec: { minAvailable: 1, selector } });
    const causes = await refused("b", { metadata: { labels: { a: "-" } }, spec: { minAvailable: -1 } });
    expect(causes.map((cause) => cause.split(":")[0])).toEqual([
      "metadata.labels",
      "metadata.labels",
      "spec.minAvailable",
    ]);
  });

  it("accepts changes, and counts them in generation", async () => {
    const { create, patch, path } = await server();
    await create("b", { spec: { minAvailable: 1, selector } });
    const { body } = await patch(`${path}/b`, { spec: { minAvailable: null, maxUnavailable: 1 } });
    expect(body).toMatchObject({ spec: { maxUnavailable: 1 }, metadata: { generation: 2 } });
  });

  it("refuses negative numbers in its status", async () => {
    const { create, refused } = await server();
    await create("b", { spec: { minAvailable: 1, selector } });
    expect(await refused("b", { status: { disruptionsAllowed: -1, expectedPods: -1 } }, "/status")).toEqual([
      "status.disruptionsAllowed: Invalid value: -1: must be greater than or equal to 0",
      "status.expectedPods: Invalid value: -1: must be greater than or equal to 0",
    ]);
  });
});

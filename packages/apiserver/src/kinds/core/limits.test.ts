import { describe, expect, it } from "vitest";
import { kindServer } from "../fixtures/kind-server.js";

describe("LimitRange", () => {
  const path = "/api/v1/namespaces/test/limitranges";
  const range = (...limits: object[]) => ({
    apiVersion: "v1",
    kind: "LimitRange",
    metadata: { name: "l" },
    spec: { limits },
  });

  it("derives default requests and limits of containers from max", async () => {
    const { call } = await kindServer();
    const item = {
      type: "Container",
      max: { cpu: "2", memory: "1Gi" },
      min: { cpu: "100m", pods: "1" },
      default: { cpu: "1" },
    };
    const { body } = await call("POST", path, range({ ...item, min: { cpu: "100m" } }));
    expect(body.spec.limits[0]).toMatchObject({
      default: { cpu: "1", memory: "1Gi" },
      defaultRequest: { cpu: "1", memory: "1Gi" },
    });
  });

  const at = "spec.limits[0]";
  it.each([
    [[{ type: "Disk" }], [`${at}.type`]],
    [[{ type: "Pod" }, { type: "Pod" }], ["spec.limits[1].type"]],
    [[{ type: "Pod", default: { cpu: "1" } }], [`${at}.default`]],
    [[{ type: "Pod", max: { gpu: "1" } }], [`${at}.max[gpu]`, `${at}.max[gpu]`]],
    [[{ type: "Pod", max: { cpu: "1" }, min: { cpu: "2" } }], [`${at}.min[cpu]`]],
    [
      [{ type: "Container", default: { cpu: "1" }, defaultRequest: { cpu: "2" } }],
      [`${at}.defaultRequest[cpu]`],
    ],
    [[{ type: "PersistentVolumeClaim" }], [`${at}.limits`]],
    [[{ type: "Pod", maxLimitRequestRatio: { cpu: "500m" } }], [`${at}.maxLimitRequestRatio[cpu]`]],
    [
      [{ type: "Pod", max: { cpu: "2" }, min: { cpu: "1" }, maxLimitRequestRatio: { cpu: "3" } }],
      [`${at}.maxLimitRequestRatio[cpu]`],
    ],
  ])("validates %j: errors at %j", async (limits, expected) => {
    const { call, fields } = await kindServer();
    expect(fields(await call("POST", path, range(...limits)))).toEqual(expected);
  });
});

describe("ResourceQuota", () => {
  const path = "/api/v1/namespaces/test/resourcequotas";
  const quota = (spec: object) => ({
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "q" },
    spec,
  });

  it.each([
    [{ hard: { gpu: "1" } }, ["spec.hard[gpu]", "spec.hard[gpu]"]],
    [{ hard: { storage: "1" } }, ["spec.hard[storage]"]],
    [{ hard: { pods: "1500m" } }, ["spec.hard[pods]"]],
    [{ hard: { cpu: "-1" } }, ["spec.hard[cpu]"]],
    [{ hard: { "count/jobs.batch": "1", "requests.nvidia.com/gpu": "1" } }, []],
    [{ scopes: ["Odd"] }, ["spec.scopes"]],
    [{ scopes: ["BestEffort", "NotBestEffort"] }, ["spec.scopes"]],
    [{ hard: { cpu: "1" }, scopes: ["BestEffort"] }, ["spec.scopes"]],
    [
      { scopeSelector: { matchExpressions: [{ scopeName: "Terminating", operator: "In", values: [] }] } },
      ["spec.scopeSelector.matchExpressions.operator", "spec.scopeSelector.matchExpressions.values"],
    ],
    [
      {
        scopeSelector: {
          matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["high"] }],
        },
      },
      [],
    ],
  ])("validates %j: errors at %j", async (spec, expected) => {
    const { call, fields } = await kindServer();
    expect(fields(await call("POST", path, quota(spec)))).toEqual(expected);
  });

  it("refuses other scopes", async () => {
    const { call, patch, fields } = await kindServer();
    await call("POST", path, quota({ hard: { pods: "1" } }));
    expect((await patch(`${path}/q`, { spec: { hard: { pods: "2" } } })).status).toBe(200);
    expect(fields(await patch(`${path}/q`, { spec: { scopes: ["BestEffort"] } }))).toEqual(["spec.scopes"]);
  });
});

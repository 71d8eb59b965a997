import { describe, expect, it } from "vitest";
import { labels, selector, template, workloadServer } from "../fixtures/workload-server.js";

const server = () => workloadServer("apps/v1", "ReplicaSet", "replicasets");
const valid = { selector, template: template() };

describe("ReplicaSet", () => {
  it("defaults to one replica", async () => {
    const { attempt } = await server();
    expect((await attempt({ spec: valid })).body.spec.replicas).toBe(1);
    expect((await attempt({ spec: { ...valid, replicas: 0 } })).body.spec.replicas).toBe(0);
  });

  it("refuses another selector", async () => {
    const { create, refused } = await server();
    await create("r", { spec: valid });
    const matchLabels = { ...labels, b: "c" };
    expect(
      await refused("r", {
        spec: { selector: { matchLabels }, template: { metadata: { labels: matchLabels } } },
      }),
    ).toEqual(['spec.selector: Invalid value: {"matchLabels":{"app":"a","b":"c"}}: field is immutable']);
  });

  it("refuses a status with more ready replicas than replicas", async () => {
    const { create, refused } = await server();
    await create("r", { spec: valid });
    const status = {
      replicas: 1,
      fullyLabeledReplicas: 2,
      readyReplicas: 1,
      availableReplicas: 1,
      terminatingReplicas: -1,
    };
    expect(await refused("r", { status }, "/status")).toEqual([
      "status.terminatingReplicas: Invalid value: -1: must be greater than or equal to 0",
      "status.fullyLabeledReplicas: Invalid value: 2: cannot be greater than status.replicas",
    ]);
  });

  it("refuses the field selector status.replicas", async () => {
    const { call, path } = await server();
    const { status } = await call("GET", path, undefined, { query: { fieldSelector: "status.replicas=2" } });
    expect(status).toBe(400);
  });
});

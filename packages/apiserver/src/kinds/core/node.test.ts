import { describe, expect, it } from "vitest";
import { kindServer } from "../fixtures/kind-server.js";

const path = "/api/v1/nodes";
const node = (rest: object = {}) => ({ apiVersion: "v1", kind: "Node", metadata: { name: "n" }, ...rest });

describe("Node", () => {
  it("gets the not-ready taint, and allocatable from its capacity", async () => {
    const { call } = await kindServer();
    const { body } = await call("POST", path, node({ status: { capacity: { cpu: "4", memory: "1.0001" } } }));
    expect(body.spec.taints).toEqual([{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }]);
    expect(body.status).toMatchObject({
      capacity: { cpu: "4", memory: "1001m" },
      allocatable: { cpu: "4", memory: "1001m" },
      nodeInfo: { kubeletVersion: "" },
    });
  });

  it("has podCIDR and podCIDRs in sync, and refuses another podCIDR", async () => {
    const { call, patch, causes } = await kindServer();
    const { body } = await call("POST", path, node({ spec: { podCIDR: "10.1.0.0/24" } }));
    expect(body.spec.podCIDRs).toEqual(["10.1.0.0/24"]);
    expect(causes(await patch(`${path}/n`, { spec: { podCIDR: "10.2.0.0/24" } }))).toEqual([
      'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
    ]);
  });

  it.each([
    [{ spec: { taints: [{ key: "a b", effect: "NoSchedule" }] } }, ["metadata.taints[0].key"]],
    [
      {
        spec: {
          taints: [
            { key: "a", effect: "NoExecute" },
            { key: "a", effect: "NoExecute" },
          ],
        },
      },
      ["metadata.taints[1]"],
    ],
    [
      { spec: { taints: [{ key: "a", value: "-", effect: "" }] } },
      ["metadata.taints[0].value", "metadata.taints[0].effect"],
    ],
    [{ spec: { podCIDRs: ["10.1.0.0/24", "10.2.0.0/24"] } }, ["spec.podCIDRs"]],
    [{ spec: { podCIDRs: ["10.1.0.0/24", "fd00::/64"] } }, []],
    [{ status: { capacity: { pods: "1500m" } } }, ["status.capacity.pods", "status.allocatable.pods"]],
  ])("validates %j: errors at %j", async (rest, expected) => {
    const { call, fields } = await kindServer();
    expect(fields(await call("POST", path, node(rest)))).toEqual(expected);
  });

  it("changes its status through /status alone, and refuses duplicate addresses", async () => {
    const { call, patch, fields } = await kindServer();
    await call("POST", path, node());
    const address = { type: "InternalIP", address: "10.0.0.1" };
    const addresses = [address, address];
    expect(fields(await patch(`${path}/n/status`, { status: { addresses } }))).toEqual([
      "status.addresses[1]",
    ]);
    expect(
      (await patch(`${path}/n`, { status: { addresses: [address] } })).body.status.addresses,
    ).toBeUndefined();
  });

  it("refuses another providerID", async () => {
    const { call, patch, fields } = await kindServer();
    await call("POST", path, node());
    expect((await patch(`${path}/n`, { spec: { providerID: "a" } })).status).toBe(200);
    expect(fields(await patch(`${path}/n`, { spec: { providerID: "b" } }))).toEqual(["spec.providerID"]);
  });

  it.each([
    ["spec.unschedulable=true", 0],
    ["spec.unschedulable=false", 1],
  ])("is selected by %s", async (fieldSelector, count) => {
    const { call } = await kindServer();
    await call("POST", path, node());
    expect((await call("GET", path, undefined, { query: { fieldSelector } })).body.items).toHaveLength(count);
  });
});

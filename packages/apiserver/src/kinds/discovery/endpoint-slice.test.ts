import { describe, expect, it } from "vitest";
import { kindServer } from "../fixtures/kind-server.js";

const path = "/apis/discovery.k8s.io/v1/namespaces/test/endpointslices";
const slice = (rest: object) => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name: "e" },
  addressType: "IPv4",
  endpoints: [],
  ...rest,
});

describe("EndpointSlice", () => {
  it('defaults to port name "" and protocol TCP', async () => {
    const { call } = await kindServer();
    const { body } = await call("POST", path, slice({ ports: [{ port: 80 }] }));
    expect(body.ports).toEqual([{ name: "", port: 80, protocol: "TCP" }]);
  });

  it.each([
    [{ addressType: "" }, ["addressType"]],
    [{ addressType: "MAC" }, ["addressType"]],
    [{ endpoints: [{ addresses: [] }] }, ["endpoints[0].addresses"]],
    [{ endpoints: [{ addresses: ["fd00::1"] }] }, ["endpoints[0].addresses"]],
    [{ endpoints: [{ addresses: ["127.0.0.1"] }] }, ["endpoints[0].addresses[0]"]],
    [{ addressType: "FQDN", endpoints: [{ addresses: ["local"] }] }, ["endpoints[0].addresses[0]"]],
    [{ endpoints: [{ addresses: ["10.0.0.1"], hostname: "A" }] }, ["endpoints[0].hostname"]],
    [{ endpoints: [{ addresses: ["10.0.0.1"], nodeName: "A" }] }, ["endpoints[0].nodeName"]],
    [
      { endpoints: [{ addresses: ["10.0.0.1"], hints: { forZones: [{ name: "a" }, { name: "a" }] } }] },
      ["endpoints[0].hints.forZones[1].name"],
    ],
    [{ ports: [{ port: 1 }, { port: 2 }] }, ["ports[1].name"]],
    [{ ports: [{ name: "A", port: 0, protocol: "X" }] }, ["ports[0].name", "ports[0].protocol"]],
  ])("validates %j: errors at %j", async (rest, expected) => {
    const { call, fields } = await kindServer();
    expect(fields(await call("POST", path, slice(rest)))).toEqual(expected);
  });

  it("counts changes of its labels in generation too, and refuses another addressType", async () => {
    const { call, patch, fields } = await kindServer();
    await call("POST", path, slice({}));
    const labelled = await patch(`${path}/e`, { metadata: { labels: { a: "b" } } });
    expect(labelled.body.metadata.generation).toBe(2);
    expect(fields(await patch(`${path}/e`, { addressType: "IPv6" }))).toEqual(["addressType"]);
  });
});

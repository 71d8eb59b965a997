import { describe, expect, it } from "vitest";
import { kindServer } from "../fixtures/kind-server.js";

const path = "/api/v1/namespaces/test/endpoints";
const endpoints = (...subsets: object[]) => ({
  apiVersion: "v1",
  kind: "Endpoints",
  metadata: { name: "e" },
  subsets,
});

describe("Endpoints", () => {
  it("warn in every response that they are deprecated", async () => {
    const { call } = await kindServer();
    const { warnings } = await call("GET", path);
    expect(warnings.join()).toContain(
      "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
    );
  });

  it.each([
    [{}, ["subsets[0]"]],
    [{ addresses: [{ ip: "x" }] }, ["subsets[0].addresses[0].ip", "subsets[0].addresses[0].ip"]],
    [
      { notReadyAddresses: [{ ip: "10.0.0.1", hostname: "A" }] },
      ["subsets[0].notReadyAddresses[0].hostname"],
    ],
    [
      { addresses: [{ ip: "10.0.0.1" }], ports: [{ port: 1 }, { port: 2, name: "b" }] },
      ["subsets[0].ports[0].name"],
    ],
  ])("are validated: %j has errors at %j", async (subset, expected) => {
    const { call, fields } = await kindServer();
    expect(fields(await call("POST", path, endpoints(subset)))).toEqual(expected);
  });

  it.each([
    [{}, ["addresses[0].ip", "notReadyAddresses[1].ip"]],
    [{ "endpoints.kubernetes.io/managed-by": "endpoint-controller" }, []],
  ])("labelled %j have warnings about addresses at %j", async (labels, at) => {
    const { call } = await kindServer();
    const subset = {
      addresses: [{ ip: "2001:DB8::1" }],
      notReadyAddresses: [{ ip: "10.0.0.1" }, { ip: "2001:DB8::1" }],
    };
    const object = { ...endpoints(subset), metadata: { name: "e", labels } };
    const { warnings } = await call("POST", path, object);
    expect(warnings.filter((text) => text.includes("RFC 5952"))).toEqual(
      at.map(
        (field) =>
          `299 - "subsets[0].${field}: IPv6 address \\"2001:DB8::1\\" should be in RFC 5952 canonical format (\\"2001:db8::1\\")"`,
      ),
    );
  });
});

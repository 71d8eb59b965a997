import { expect, it } from "vitest";
import { kindServer } from "../fixtures/kind-server.js";

const path = "/apis/resource.k8s.io/v1/namespaces/test/resourceclaims";
const claim = (devices: object) => ({
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceClaim",
  metadata: { name: "c" },
  spec: { devices },
});
const exactly = { deviceClassName: "gpu" };

it("asks for one device unless told", async () => {
  const { call } = await kindServer();
  const { body } = await call("POST", path, claim({ requests: [{ name: "a", exactly }] }));
  expect(body.spec.devices.requests[0].exactly).toEqual({
    ...exactly,
    allocationMode: "ExactCount",
    count: 1,
  });
});

it.each([
  [
    { requests: [{ name: "a" }] },
    ["spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required"],
  ],
  [
    { requests: [{ name: "a", exactly: {} }] },
    ["spec.devices.requests[0].exactly.deviceClassName: Required value"],
  ],
  [
    { requests: [{ name: "a", exactly: { ...exactly, allocationMode: "All", count: 2 } }] },
    [
      "spec.devices.requests[0].exactly.count: Invalid value: 2: must not be specified when allocationMode is 'All'",
    ],
  ],
  [
    { requests: [{ name: "a", firstAvailable: [{ name: "x", deviceClassName: "gpu", count: -1 }] }] },
    ["spec.devices.requests[0].firstAvailable[0].count: Invalid value: -1: must be greater than zero"],
  ],
  [
    { requests: [{ name: "a", exactly }], constraints: [{ requests: ["b"], matchAttribute: "d/a" }] },
    [
      "spec.devices.constraints[0].requests[0]: Invalid value: \"b\": must be the name of a request in the claim or the name of a request and a subrequest separated by '/'",
    ],
  ],
  [
    {
      requests: [
        { name: "a", exactly },
        { name: "a", exactly },
      ],
    },
    ['spec.devices.requests[1]: Duplicate value: "a"'],
  ],
])("%j is wrong", async (devices, causes) => {
  const server = await kindServer();
  expect(server.causes(await server.call("POST", path, claim(devices)))).toEqual(causes);
});

it("never changes", async () => {
  const server = await kindServer();
  await server.call("POST", path, claim({ requests: [{ name: "a", exactly }] }));
  const change = { spec: { devices: { requests: [{ name: "b", exactly }] } } };
  expect(server.fields(await server.patch(`${path}/c`, change))).toEqual(["spec"]);
});

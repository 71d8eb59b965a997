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

it("ResourceClaim: requests one device by default", async () => {
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
  [
    { requests: [{ name: "A_", exactly }] },
    [
      expect.stringMatching(
        /^spec.devices.requests\[0\].name: Invalid value: "A_": a lowercase RFC 1123 label/,
      ),
    ],
  ],
  [
    {
      requests: [{ name: "a", exactly: { ...exactly, selectors: [{}, { cel: { expression: "device." } }] } }],
    },
    [
      "spec.devices.requests[0].exactly.selectors[0].cel: Required value",
      expect.stringMatching(
        /^spec.devices.requests\[0\].exactly.selectors\[1\].cel.expression: .*compilation failed/s,
      ),
    ],
  ],
  [
    {
      requests: [
        { name: "a", exactly: { ...exactly, selectors: [{ cel: { expression: "device.driver" } }] } },
      ],
    },
    [
      'spec.devices.requests[0].exactly.selectors[0].cel.expression: Invalid value: "device.driver": must evaluate to bool or the unknown type, not string',
    ],
  ],
  [
    {
      requests: [
        {
          name: "a",
          exactly: { ...exactly, tolerations: [{ operator: "Exists", value: "x", effect: "No" }] },
        },
      ],
    },
    [
      'spec.devices.requests[0].exactly.tolerations[0].value: Invalid value: "x": must be empty for operator `Exists`',
      'spec.devices.requests[0].exactly.tolerations[0].effect: Unsupported value: "No": supported values: "NoExecute", "NoSchedule", "None"',
    ],
  ],
  [
    { requests: [{ name: "a", exactly }], constraints: [{ matchAttribute: "a" }, {}] },
    [
      'spec.devices.constraints[0].matchAttribute: Invalid value: "a": a fully qualified name must be a domain and a name separated by a slash',
      'spec.devices.constraints[1]: Required value: exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
    ],
  ],
  [
    { requests: [{ name: "a", exactly }], config: [{}, { opaque: { driver: "d", parameters: [1] } }] },
    [
      "spec.devices.config[0].opaque: Required value",
      'spec.devices.config[1].opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON object',
    ],
  ],
  [
    { requests: [{ name: "a", exactly: { ...exactly, adminAccess: true } }] },
    [
      "spec.devices.requests[0].adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace",
    ],
  ],
  [
    { requests: Array.from({ length: 33 }, (_, index) => ({ name: `r${index}`, exactly })) },
    ["spec.devices.requests: Too many: 33: must have at most 32 items"],
  ],
])("ResourceClaim: refuses %j", async (devices, causes) => {
  const server = await kindServer();
  expect(server.causes(await server.call("POST", path, claim(devices)))).toEqual(causes);
});

it("ResourceClaim: refuses another spec", async () => {
  const server = await kindServer();
  await server.call("POST", path, claim({ requests: [{ name: "a", exactly }] }));
  const change = { spec: { devices: { requests: [{ name: "b", exactly }] } } };
  expect(server.fields(await server.patch(`${path}/c`, change))).toEqual(["spec"]);
});

it.each([
  'device.driver == "d.example"',
  'device.attributes["d.example"].model == "a" && device.attributes["d.example"].count > 3',
  'device.capacity["d.example"].memory.isGreaterThan(quantity("1Gi"))',
  'cel.bind(own, device.attributes["d.example"], own.fast)',
])("ResourceClaim: accepts the selector %s", async (expression) => {
  const { call } = await kindServer();
  const requests = [{ name: "a", exactly: { ...exactly, selectors: [{ cel: { expression } }] } }];
  expect((await call("POST", path, claim({ requests }))).status).toBe(201);
});

it("ResourceClaim: allows adminAccess where the namespace has the label", async () => {
  const { call, patch } = await kindServer();
  await patch("/api/v1/namespaces/test", {
    metadata: { labels: { "resource.kubernetes.io/admin-access": "true" } },
  });
  const requests = [{ name: "a", exactly: { ...exactly, adminAccess: true } }];
  expect((await call("POST", path, claim({ requests }))).status).toBe(201);
});

const result = { request: "a", driver: "d.example", pool: "p", device: "gpu-0" };
const user = { resource: "pods", name: "p", uid: "u" };
const allocation = { devices: { results: [result] } };

async function claimed() {
  const server = await kindServer();
  await server.call("POST", path, claim({ requests: [{ name: "a", exactly }] }));
  const report = (status: object) => server.patch(`${path}/c/status`, { status });
  return { ...server, report };
}

it("ResourceClaim: is allocated once, and reserved only then", async () => {
  const { report, causes } = await claimed();
  expect(causes(await report({ reservedFor: [user] }))).toEqual([
    "status.reservedFor: Forbidden: may not be specified when `allocated` is not set",
  ]);
  expect((await report({ allocation, reservedFor: [user] })).status).toBe(200);
  const other = { devices: { results: [{ ...result, device: "gpu-1" }] } };
  expect(causes(await report({ allocation: other }))).toEqual([
    expect.stringMatching(/^status.allocation: Invalid value: .*: field is immutable$/),
  ]);
});

it.each([
  [
    { allocation: { devices: { results: [{ ...result, request: "b", pool: "", device: "A_" }] } } },
    [
      "status.allocation.devices.results[0].request",
      "status.allocation.devices.results[0].pool",
      "status.allocation.devices.results[0].device",
    ],
  ],
  [
    { allocation: { devices: { config: [{ source: "X", opaque: { driver: "d", parameters: {} } }] } } },
    ["status.allocation.devices.config[0].source"],
  ],
  [
    { allocation: { devices: { results: [{ ...result, shareID: "x" }] } } },
    ["status.allocation.devices.results[0].shareID"],
  ],
  [
    { allocation: { devices: { results: [{ ...result, bindingConditions: ["a.b/c"] }] } } },
    ["status.allocation.devices.results[0].bindingFailureConditions"],
  ],
  [
    { allocation, reservedFor: [{ resource: "", name: "", uid: "" }] },
    ["resource", "name", "uid"].map((part) => `status.reservedFor[0].${part}`),
  ],
  [{ allocation, reservedFor: [user, user] }, ["status.reservedFor[1]"]],
  [
    { allocation, devices: [{ ...result, device: "gpu-9", networkData: { ips: ["10.0.0.1"] } }] },
    ["status.devices[0]", "status.devices[0].networkData.ips[0]"],
  ],
])("ResourceClaim: refuses the status %j", async (status, expected) => {
  const { report, fields } = await claimed();
  expect(fields(await report(status))).toEqual(expected);
});

it("ResourceClaim: accepts the status of allocated devices", async () => {
  const { report } = await claimed();
  const { request: _, ...device } = result;
  const condition = {
    type: "Ready",
    status: "True",
    reason: "Up",
    message: "",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  };
  const devices = [
    { ...device, conditions: [condition], data: { a: 1 }, networkData: { ips: ["10.0.0.1/24"] } },
  ];
  const answer = await report({ allocation, devices });
  expect(answer.body.message ?? answer.status).toBe(200);
});

it("ResourceClaimTemplate: refuses a name in its metadata", async () => {
  const { call, causes } = await kindServer();
  const template = {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaimTemplate",
    metadata: { name: "t" },
    spec: { metadata: { name: "x" }, spec: { devices: { requests: [{ name: "a", exactly }] } } },
  };
  const answer = await call("POST", path.replace("claims", "claimtemplates"), template);
  expect(causes(answer)).toEqual(["spec.metadata.name: Forbidden: cannot be set"]);
});

import { expect, it } from "vitest";
import { kindServer } from "../fixtures/kind-server.js";

const root = "/apis/resource.k8s.io/v1";
const pool = { name: "p", generation: 1, resourceSliceCount: 1 };
const base = { driver: "d.example", pool, nodeName: "n" };
const object = (kind: string, spec: object, name = "x") => ({
  apiVersion: "resource.k8s.io/v1",
  kind,
  metadata: { name },
  spec,
});
const slice = (spec: object, name?: string) => object("ResourceSlice", { ...base, ...spec }, name);
const path = `${root}/resourceslices`;
const oneOfFour =
  "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";

it.each<[object, string[]]>([
  [
    { driver: "", pool: { name: "", generation: -1, resourceSliceCount: 0 } },
    [
      "spec.driver: Required value",
      "spec.pool.name: Required value",
      "spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero",
      "spec.pool.generation: Invalid value: -1: must be greater than or equal to zero",
    ],
  ],
  [{ nodeName: undefined }, [`spec: Required value: ${oneOfFour}`]],
  [
    { allNodes: true },
    [`spec: Invalid value: "{\`nodeName\`, \`allNodes\`}": ${oneOfFour}, but multiple fields are set`],
  ],
  [
    { nodeName: undefined, allNodes: false },
    [
      "spec.allNodes: Invalid value: false: must be either unset or set to true",
      `spec: Required value: ${oneOfFour}`,
    ],
  ],
  [{ devices: [{ name: "a" }, { name: "a" }] }, ['spec.devices[1]: Duplicate value: "a"']],
  [
    {
      devices: [
        { name: "a", attributes: { "x/y/z": { int: 1 }, "-": { int: 1, bool: true }, v: { version: "1" } } },
      ],
    },
    [
      'spec.devices[0].attributes: Invalid value: "x/y/z": must not contain more than one slash',
      expect.stringMatching(/^spec.devices\[0\].attributes: Invalid value: "-": a valid C identifier/),
      expect.stringMatching(
        /^spec.devices\[0\].attributes\[-\]: Invalid value: .*: exactly one value must be specified$/,
      ),
      'spec.devices[0].attributes[v].version: Invalid value: "1": must be a string compatible with semver.org spec 2.0.0',
    ],
  ],
  [
    { devices: [{ name: "a", capacity: { memory: { value: "1Gi", requestPolicy: { default: "1" } } } }] },
    ["spec.devices[0].capacity[memory].requestPolicy: Forbidden: allowMultipleAllocations must be true"],
  ],
  [
    {
      devices: [
        {
          name: "a",
          allowMultipleAllocations: true,
          capacity: {
            memory: {
              value: "10",
              requestPolicy: { default: "3", validRange: { min: "2", max: "12", step: "4" } },
            },
          },
        },
      ],
    },
    [
      'spec.devices[0].capacity[memory].requestPolicy.validRange.max: Invalid value: "12": max is larger than capacity value: 10',
      'spec.devices[0].capacity[memory].requestPolicy.validRange.step: Invalid value: "3": value is not a multiple of a given step (4) from (2)',
      'spec.devices[0].capacity[memory].requestPolicy.validRange.step: Invalid value: "12": value is not a multiple of a given step (4) from (2)',
    ],
  ],
  [
    {
      devices: [
        {
          name: "a",
          allowMultipleAllocations: true,
          capacity: {
            memory: { value: "10", requestPolicy: { default: "3", validValues: ["4", "2", "11"] } },
          },
        },
      ],
    },
    [
      'spec.devices[0].capacity[memory].requestPolicy.validValues[1]: Invalid value: "2": values must be sorted in ascending order',
      'spec.devices[0].capacity[memory].requestPolicy.validValues[2]: Invalid value: "11": option is larger than capacity value: 10',
      'spec.devices[0].capacity[memory].requestPolicy.validValues: Invalid value: "3": default value is not valid according to the requestPolicy',
    ],
  ],
  [
    { devices: [{ name: "a", taints: [{ key: "a b", effect: "" }] }] },
    [
      expect.stringMatching(/^spec.devices\[0\].taints\[0\].key: Invalid value: "a b"/),
      "spec.devices[0].taints[0].effect: Required value",
    ],
  ],
  [
    { devices: [{ name: "a", nodeName: "n" }] },
    [
      "spec.devices[0]: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec",
    ],
  ],
  [
    { nodeName: undefined, perDeviceNodeSelection: true, devices: [{ name: "a" }] },
    [
      "spec.devices[0]: Required value: exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec",
    ],
  ],
  [
    { devices: [{ name: "a", consumesCounters: [{ counterSet: "", counters: {} }] }] },
    [
      "spec.devices[0].consumesCounters[0].counterSet: Required value",
      "spec.devices[0].consumesCounters[0].counters: Required value",
    ],
  ],
  [
    { sharedCounters: [{ name: "A_", counters: { b_: { value: "1" } } }] },
    [
      expect.stringMatching(/^spec.sharedCounters\[0\].name: Invalid value: "A_"/),
      expect.stringMatching(/^spec.sharedCounters\[0\].counters: Invalid value: "b_"/),
    ],
  ],
  [
    { devices: Array.from({ length: 129 }, (_, index) => ({ name: `d${index}` })) },
    ["spec.devices: Too many: 129: must have at most 128 items"],
  ],
])("ResourceSlice: refuses %j", async (spec, expected) => {
  const { call, causes } = await kindServer();
  expect(causes(await call("POST", path, slice(spec)))).toEqual(expected);
});

it("ResourceSlice: refuses another driver, pool or node, counts its changes, and sets timeAdded of taints", async () => {
  const { call, patch, fields } = await kindServer();
  const devices = [{ name: "a", taints: [{ key: "k", effect: "NoSchedule" }] }];
  const { body } = await call("POST", path, slice({ devices }));
  expect(body).toMatchObject({
    metadata: { generation: 1 },
    spec: { devices: [{ taints: [{ timeAdded: expect.stringMatching(/Z$/) }] }] },
  });
  const moved = { spec: { driver: "e.example", nodeName: "m", pool: { name: "q" } } };
  expect(fields(await patch(`${path}/x`, moved))).toEqual(["spec.pool.name", "spec.driver", "spec.nodeName"]);
  const grown = await patch(`${path}/x`, { spec: { pool: { resourceSliceCount: 2 } } });
  expect(grown.body.metadata.generation).toBe(2);
});

it("ResourceSlice: is selected by node and driver", async () => {
  const { call } = await kindServer();
  await call("POST", path, slice({}, "a"));
  await call("POST", path, slice({ nodeName: "m" }, "b"));
  const found = async (fieldSelector: string) =>
    (await call("GET", path, undefined, { query: { fieldSelector } })).body.items.map(
      ({ metadata }: { metadata: { name: string } }) => metadata.name,
    );
  expect(await found("spec.nodeName=m")).toEqual(["b"]);
  expect(await found("spec.driver=d.example,spec.nodeName!=m")).toEqual(["a"]);
});

it.each<[object, string[]]>([
  [{ selectors: [{ cel: { expression: "1" } }] }, ["spec.selectors[0].cel.expression"]],
  [
    { config: [{ opaque: { driver: "", parameters: null } }] },
    ["spec.config[0].opaque.driver", "spec.config[0].opaque.parameters"],
  ],
  [{ extendedResourceName: "cpu" }, ["spec.extendedResourceName"]],
  [{ extendedResourceName: "example.com/gpu", selectors: [{ cel: { expression: "true" } }] }, []],
])("DeviceClass: validates %j: errors at %j", async (spec, expected) => {
  const { call, fields } = await kindServer();
  expect(fields(await call("POST", `${root}/deviceclasses`, object("DeviceClass", spec)))).toEqual(expected);
});

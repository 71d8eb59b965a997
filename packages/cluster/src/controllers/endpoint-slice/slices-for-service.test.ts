import type { Pod, Service } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { sliceContents } from "./slices-for-service.js";

const service = (spec: Service["spec"] = {}): Service => ({
  metadata: { name: "web" },
  spec: { ports: [{ port: 80 }], ...spec },
});
const pod = (
  name: string,
  ready: boolean,
  more: { readonly going?: boolean; readonly spec?: Partial<Pod["spec"]> } = {},
): Pod => ({
  metadata: { name, ...(more.going ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}) },
  spec: { containers: [], nodeName: "a", ...more.spec },
  status: { podIP: "10.0.0.1", conditions: [{ type: "Ready", status: ready ? "True" : "False" }] },
});
const conditions = (one: Service, its: Pod) => sliceContents(one, [its])[0]?.endpoints?.[0]?.conditions;

describe("an endpoint", () => {
  test.each([
    ["of a ready pod", {}, pod("p", true), { ready: true, serving: true, terminating: false }],
    ["of a pod that is not ready", {}, pod("p", false), { ready: false, serving: false, terminating: false }],
    [
      "of a pod on its way out",
      {},
      pod("p", true, { going: true }),
      { ready: false, serving: true, terminating: true },
    ],
    [
      "of a Service that shows all",
      { publishNotReadyAddresses: true },
      pod("p", false),
      { ready: true, serving: false, terminating: false },
    ],
  ])("%s", (_, spec, its, expected) => {
    expect(conditions(service(spec), its)).toEqual(expected);
  });

  test.each([
    [undefined, undefined],
    ["PreferClose", { forZones: [{ name: "z1" }] }],
    ["PreferSameZone", { forZones: [{ name: "z1" }] }],
    ["PreferSameNode", { forZones: [{ name: "z1" }], forNodes: [{ name: "a" }] }],
  ])("says who should use it when traffic is to go %s", (trafficDistribution, hints) => {
    const [slice] = sliceContents(service({ trafficDistribution }), [pod("p", true)], () => "z1");
    expect(slice?.endpoints?.[0]).toMatchObject({ zone: "z1" });
    expect(slice?.endpoints?.[0]?.hints).toEqual(hints);
  });
});

test("pods with other ports are in other slices, a hundred in each", () => {
  const named = service({ ports: [{ port: 80, targetPort: "http" }] });
  const at = (containerPort: number) => ({
    spec: { containers: [{ name: "c", ports: [{ name: "http", containerPort }] }] },
  });
  const pods = [
    ...Array.from({ length: 101 }, (_, index) => pod(`p${index}`, true, at(80))),
    pod("q", true, at(81)),
  ];
  expect(
    sliceContents(named, pods).map(({ endpoints, ports }) => [endpoints?.length, ports?.[0]?.port]),
  ).toEqual([
    [100, 80],
    [1, 80],
    [1, 81],
  ]);
});

test("a Service without pods has one empty slice", () => {
  expect(sliceContents(service(), [])).toEqual([{ endpoints: [], ports: [] }]);
});

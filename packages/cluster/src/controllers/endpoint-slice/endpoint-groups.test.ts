import type { Pod, Service } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { endpointGroups, familiesOf } from "./endpoint-groups.js";

const service = (spec: Service["spec"] = {}): Service => ({
  metadata: { name: "web" },
  spec: { ports: [{ port: 80 }], ...spec },
});
const pod = (
  name: string,
  ready: boolean,
  more: { readonly terminating?: boolean; readonly spec?: Partial<Pod["spec"]> } = {},
): Pod => ({
  metadata: { name, ...(more.terminating ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}) },
  spec: { containers: [], nodeName: "a", ...more.spec },
  status: { podIP: "10.0.0.1", conditions: [{ type: "Ready", status: ready ? "True" : "False" }] },
});
const conditions = (one: Service, its: Pod) => endpointGroups(one, [its])[0]?.endpoints[0]?.conditions;

describe("EndpointSlice: an endpoint", () => {
  test.each([
    ["of a ready pod", {}, pod("p", true), { ready: true, serving: true, terminating: false }],
    ["of a pod that is not ready", {}, pod("p", false), { ready: false, serving: false, terminating: false }],
    [
      "of a terminating pod",
      {},
      pod("p", true, { terminating: true }),
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
  ])("has the hints of trafficDistribution %s", (trafficDistribution, hints) => {
    const [slice] = endpointGroups(service({ trafficDistribution }), [pod("p", true)], () => "z1");
    expect(slice?.endpoints?.[0]).toMatchObject({ zone: "z1" });
    expect(slice?.endpoints?.[0]?.hints).toEqual(hints);
  });
});

test("EndpointSlice: pods with other ports have slices of their own", () => {
  const named = service({ ports: [{ port: 80, targetPort: "http" }] });
  const at = (containerPort: number) => ({
    spec: { containers: [{ name: "c", ports: [{ name: "http", containerPort }] }] },
  });
  const pods = [pod("p", true, at(80)), pod("q", true, at(81)), pod("r", true, at(80))];
  expect(
    endpointGroups(named, pods).map(({ endpoints, ports }) => [
      ports[0]?.port,
      endpoints.map(({ targetRef }) => targetRef?.name),
    ]),
  ).toEqual([
    [80, ["p", "r"]],
    [81, ["q"]],
  ]);
});

test("EndpointSlice: each address family has slices of its own", () => {
  const both: Pod = {
    ...pod("p", true),
    status: { podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }] },
  };
  const addresses = (family: "IPv4" | "IPv6", its = both) =>
    endpointGroups(service(), [its], undefined, family)[0]?.endpoints[0]?.addresses;
  expect(addresses("IPv4")).toEqual(["10.0.0.1"]);
  expect(addresses("IPv6")).toEqual(["fd00::1"]);
  expect(addresses("IPv6", pod("p", true))).toBeUndefined();
});

test.each([
  [{}, ["IPv4"]],
  [{ ipFamilies: ["IPv6"] as const }, ["IPv6"]],
  [{ ipFamilies: ["IPv4", "IPv6"] as const }, ["IPv4", "IPv6"]],
  [{ clusterIP: "fd00::1" }, ["IPv6"]],
])("EndpointSlice: %j has slices of %j", (spec, families) => {
  expect(familiesOf(service(spec))).toEqual(families);
});

test("EndpointSlice: topology-aware Services get no hints of trafficDistribution", () => {
  const annotations = { "service.kubernetes.io/topology-mode": "Auto" };
  const aware = {
    ...service({ trafficDistribution: "PreferClose" }),
    metadata: { name: "web", annotations },
  };
  expect(endpointGroups(aware, [pod("p", true)], () => "z")[0]?.endpoints[0]?.hints).toBeUndefined();
});

import type { Endpoints, Service } from "@kubewright/api";
import { expect, test } from "vitest";
import { isMirrored, mirroredMetadata, mirroredSlices } from "./mirrored-slices.js";

const plain: Service = { metadata: { name: "db" }, spec: {} };
const endpoints = (metadata: Endpoints["metadata"] = {}, subsets: Endpoints["subsets"] = []): Endpoints => ({
  metadata: { name: "db", namespace: "shop", ...metadata },
  subsets,
});

test.each([
  ["somebody's own", endpoints(), plain, true],
  ["without a Service", endpoints(), undefined, false],
  ["of a Service that selects pods", endpoints(), { spec: { selector: { app: "x" } } }, false],
  [
    "not to be mirrored",
    endpoints({ labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } }),
    plain,
    false,
  ],
  [
    "of a leader",
    endpoints({ annotations: { "control-plane.alpha.kubernetes.io/leader": "{}" } }),
    plain,
    false,
  ],
  [
    "of the endpoints controller",
    endpoints({ labels: { "endpoints.kubernetes.io/managed-by": "endpoint-controller" } }),
    plain,
    false,
  ],
])("EndpointSlice mirroring: Endpoints %s", (_, one, service, expected) => {
  expect(isMirrored(one, service)).toBe(expected);
});

test("EndpointSlice mirroring: each subset becomes a slice for each address type", () => {
  const subset = {
    addresses: [{ ip: "10.0.0.1", nodeName: "a" }, { ip: "fd00::1" }],
    notReadyAddresses: [{ ip: "10.0.0.2", hostname: "two" }],
    ports: [{ name: "sql", port: 5432 }],
  };
  const ports = [{ name: "sql", port: 5432, protocol: "TCP" }];
  expect(mirroredSlices(endpoints({}, [subset]))).toEqual([
    {
      addressType: "IPv4",
      ports,
      endpoints: [
        { addresses: ["10.0.0.1"], conditions: { ready: true }, nodeName: "a" },
        { addresses: ["10.0.0.2"], conditions: { ready: false }, hostname: "two" },
      ],
    },
    { addressType: "IPv6", ports, endpoints: [{ addresses: ["fd00::1"], conditions: { ready: true } }] },
  ]);
});

test("EndpointSlice mirroring: copies labels and annotations, except for those about the Endpoints alone", () => {
  const annotations = { team: "red", "endpoints.kubernetes.io/last-change-trigger-time": "now" };
  const labels = { app: "db", "service.kubernetes.io/headless": "" };
  expect(mirroredMetadata(endpoints({ labels, annotations }))).toEqual({
    labels: {
      app: "db",
      "kubernetes.io/service-name": "db",
      "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
    },
    annotations: { team: "red" },
  });
});

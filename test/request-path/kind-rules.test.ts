// Small rules in which kinds differ: what a delete answers with, whether a PUT must name the version it is based on, and
// whether labels can be written through the status.
import { beforeAll, describe, expect, it } from "vitest";
import { requestServer } from "./request-server.js";

const storage = "/apis/storage.k8s.io/v1";
const resource = "/apis/resource.k8s.io/v1";
const test = "/namespaces/test";
const claim = { devices: { requests: [{ name: "a", exactly: { deviceClassName: "c" } }] } };

interface Sample {
  readonly at: string;
  readonly object: object;
}

const samples = {
  CSIDriver: { at: `${storage}/csidrivers`, object: { spec: {} } },
  CSINode: { at: `${storage}/csinodes`, object: { spec: { drivers: [] } } },
  StorageClass: { at: `${storage}/storageclasses`, object: { provisioner: "example.com/x" } },
  VolumeAttributesClass: {
    at: `${storage}/volumeattributesclasses`,
    object: { driverName: "example.com", parameters: { a: "b" } },
  },
  VolumeAttachment: {
    at: `${storage}/volumeattachments`,
    object: { spec: { attacher: "a", nodeName: "n", source: { persistentVolumeName: "v" } } },
  },
  CSIStorageCapacity: {
    at: `${storage}${test}/csistoragecapacities`,
    object: { storageClassName: "a" },
  },
  DeviceClass: { at: `${resource}/deviceclasses`, object: { spec: {} } },
  ResourceClaim: { at: `${resource}${test}/resourceclaims`, object: { spec: claim } },
  ResourceClaimTemplate: {
    at: `${resource}${test}/resourceclaimtemplates`,
    object: { spec: { spec: claim } },
  },
  PodDisruptionBudget: {
    at: `/apis/policy/v1${test}/poddisruptionbudgets`,
    object: { spec: { minAvailable: 1, selector: { matchLabels: { a: "b" } } } },
  },
  APIService: {
    at: "/apis/apiregistration.k8s.io/v1/apiservices",
    object: { spec: { group: "x", version: "v1", groupPriorityMinimum: 1, versionPriority: 1 } },
  },
  FlowSchema: {
    at: "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
    object: { spec: { matchingPrecedence: 1000, priorityLevelConfiguration: { name: "exempt" } } },
  },
  ConfigMap: { at: `/api/v1${test}/configmaps`, object: {} },
  ServiceCIDR: {
    at: "/apis/networking.k8s.io/v1/servicecidrs",
    object: { spec: { cidrs: ["10.1.0.0/16"] } },
  },
  Ingress: {
    at: `/apis/networking.k8s.io/v1${test}/ingresses`,
    object: { spec: { defaultBackend: { service: { name: "a", port: { number: 1 } } } } },
  },
  Lease: { at: `/apis/coordination.k8s.io/v1${test}/leases`, object: {} },
} satisfies Record<string, Sample>;

let server: Awaited<ReturnType<typeof requestServer>>;
beforeAll(async () => {
  server = await requestServer();
});

async function created(kind: keyof typeof samples, name: string) {
  const { at, object } = samples[kind];
  const metadata = { name: kind === "APIService" ? "v1.x" : name };
  const answer = await server.call("POST", at, { ...object, metadata });
  expect([answer.body.message, answer.status]).toEqual([undefined, 201]);
  return { url: `${at}/${metadata.name}`, body: answer.body };
}

describe("a delete answers with", () => {
  it.each([
    ["CSIDriver", "CSIDriver"],
    ["CSINode", "CSINode"],
    ["StorageClass", "StorageClass"],
    ["VolumeAttributesClass", "VolumeAttributesClass"],
    ["VolumeAttachment", "VolumeAttachment"],
    ["DeviceClass", "DeviceClass"],
    ["ResourceClaim", "ResourceClaim"],
    ["ResourceClaimTemplate", "ResourceClaimTemplate"],
    ["CSIStorageCapacity", "Status"],
    ["PodDisruptionBudget", "Status"],
    ["ConfigMap", "Status"],
  ] as const)("of a %s: %s", async (kind, expected) => {
    const { url } = await created(kind, "deleted");
    const { body } = await server.call("DELETE", url);
    expect(body.kind).toBe(expected);
  });
});

describe("an update that names no version", () => {
  it.each([
    ["PodDisruptionBudget", 422],
    ["APIService", 422],
    ["CSIDriver", 422],
    ["Lease", 422],
    ["FlowSchema", 200],
    ["StorageClass", 200],
    ["ServiceCIDR", 200],
    ["ConfigMap", 200],
    ["Ingress", 200],
  ] as const)("of a %s: %i", async (kind, expected) => {
    const { url, body } = await created(kind, "updated");
    const { resourceVersion: _version, ...metadata } = body.metadata;
    const answer = await server.call("PUT", url, { ...body, metadata });
    expect(answer.status).toBe(expected);
    if (expected === 422)
      expect(answer.body.message).toContain("metadata.resourceVersion: Invalid value: 0: must be specified");
    await server.call("DELETE", url);
  });
});

describe("labels sent to the status", () => {
  it.each([
    ["VolumeAttachment", false],
    ["ResourceClaim", false],
    ["FlowSchema", false],
    ["APIService", false],
    ["PodDisruptionBudget", true],
    ["Ingress", true],
  ] as const)("of a %s change it: %s", async (kind, changes) => {
    const { url, body } = await created(kind, "status");
    const patch = { metadata: { labels: { a: "b" } }, status: body.status ?? {} };
    const answer = await server.patch("merge", `${url}/status`, patch);
    expect(answer.status).toBe(200);
    expect(answer.body.metadata.labels).toEqual(changes ? { a: "b" } : undefined);
    expect(answer.body.spec).toEqual(body.spec);
  });
});

describe("a patch that takes the version away", () => {
  it("leaves an object without fields, which is refused and not a failure of the server", async () => {
    const url = `/apis/rbac.authorization.k8s.io/v1${test}/rolebindings`;
    const group = "rbac.authorization.k8s.io";
    const binding = { metadata: { name: "b" }, roleRef: { apiGroup: group, kind: "Role", name: "r" } };
    await server.call("POST", url, { apiVersion: `${group}/v1`, kind: "RoleBinding", ...binding });
    const answer = await server.patch("merge", `${url}/b`, { apiVersion: null });
    expect(answer.status).toBe(400);
  });
});

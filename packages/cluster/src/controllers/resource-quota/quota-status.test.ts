import type {
  PersistentVolumeClaim,
  Pod,
  PodSpec,
  ResourceClaim,
  ResourceQuotaSpec,
  Service,
} from "@kubewright/api";
import { expect, test } from "vitest";
import { type NamespaceContents, quotaStatus } from "./quota-status.js";

const now = Date.UTC(2026, 0, 1);

function pod(
  requests: Record<string, string>,
  limits: Record<string, string> = {},
  spec: Partial<PodSpec> = {},
  status: Pod["status"] = {},
): Pod {
  return {
    metadata: { name: "p" },
    spec: { containers: [{ name: "c", image: "i", resources: { requests, limits } }], ...spec },
    status,
  };
}

const service = (spec: Service["spec"]): Service => ({ metadata: { name: "s" }, spec });
const claim = (storageClassName: string, storage: string): PersistentVolumeClaim => ({
  spec: { storageClassName, resources: { requests: { storage } } },
});
const devices = (count: number): ResourceClaim => ({
  spec: {
    devices: {
      requests: [{ name: "r", exactly: { deviceClassName: "gpu", allocationMode: "ExactCount", count } }],
    },
  },
});

function used(
  spec: ResourceQuotaSpec,
  contents: Partial<NamespaceContents>,
): Readonly<Record<string, unknown>> | undefined {
  const all = { pods: [], services: [], claims: [], deviceClaims: [], counts: new Map(), ...contents };
  return quotaStatus({ spec }, all, now).used;
}

const small = pod({ cpu: "100m", memory: "64Mi" }, { cpu: "1" });
const finished = pod({ cpu: "1" }, {}, {}, { phase: "Succeeded" });
const overdue: Pod = { ...small, metadata: { name: "g", deletionTimestamp: "2025-12-31T00:00:00Z" } };

test.each([
  [
    "requests and limits",
    { cpu: "9", "requests.memory": "9Gi", "limits.cpu": "9" },
    [small, small],
    { cpu: "200m", "requests.memory": "128Mi", "limits.cpu": "2" },
  ],
  ["only what it limits", { pods: "9" }, [small], { pods: "1" }],
  [
    "finished pods as objects alone",
    { pods: "9", "count/pods": "9", cpu: "9" },
    [small, finished],
    { pods: "1", "count/pods": "2", cpu: "100m" },
  ],
  ["no pods whose deletion is overdue", { pods: "9" }, [small, overdue], { pods: "1" }],
  [
    "extended resources",
    { "requests.example.com/gpu": "9" },
    [pod({ "example.com/gpu": "2" })],
    { "requests.example.com/gpu": "2" },
  ],
  [
    "the largest init container",
    { cpu: "9" },
    [pod({ cpu: "1" }, {}, { initContainers: [{ name: "i", resources: { requests: { cpu: "3" } } }] })],
    { cpu: "3" },
  ],
  [
    "nothing as zero",
    { pods: "9", "count/deployments.apps": "9" },
    [],
    { pods: "0", "count/deployments.apps": "0" },
  ],
])("ResourceQuota: counts %s", (_, hard, pods, expected) => {
  expect(used({ hard }, { pods })).toEqual(expected);
});

test.each([
  [["BestEffort"], "1"],
  [["NotBestEffort"], "2"],
  [["Terminating"], "1"],
  [["NotTerminating"], "2"],
  [["NotBestEffort", "NotTerminating"], "1"],
] as const)("ResourceQuota: counts pods with scopes %s", (scopes, expected) => {
  const pods = [small, pod({}), pod({ cpu: "1" }, {}, { activeDeadlineSeconds: 10 })];
  expect(used({ hard: { pods: "9" }, scopes: [...scopes] }, { pods })).toEqual({ pods: expected });
});

test.each([
  ["In", ["high"], "1"],
  ["NotIn", ["high"], "2"],
  ["Exists", undefined, "2"],
  ["DoesNotExist", undefined, "1"],
] as const)("ResourceQuota: counts pods with priority class %s %s", (operator, values, expected) => {
  const pods = [pod({}, {}, { priorityClassName: "high" }), pod({}, {}, { priorityClassName: "low" }), small];
  const scopeSelector = {
    matchExpressions: [
      { scopeName: "PriorityClass" as const, operator, ...(values ? { values: [...values] } : {}) },
    ],
  };
  expect(used({ hard: { pods: "9" }, scopeSelector }, { pods })).toEqual({ pods: expected });
});

test("ResourceQuota: counts Services, claims and objects of any kind", () => {
  const port = { port: 80 };
  const hard = {
    services: "9",
    "services.nodeports": "9",
    "services.loadbalancers": "9",
    persistentvolumeclaims: "9",
    "requests.storage": "9Gi",
    "gold.storageclass.storage.k8s.io/requests.storage": "9Gi",
    configmaps: "9",
    "count/crontabs.stable.example.com": "9",
    "gpu.deviceclass.resource.k8s.io/devices": "9",
  };
  const contents = {
    services: [
      service({ type: "NodePort", ports: [port, port] }),
      service({ type: "LoadBalancer", ports: [port] }),
      service({ type: "LoadBalancer", ports: [port], allocateLoadBalancerNodePorts: false }),
      service({}),
    ],
    claims: [claim("gold", "1Gi"), claim("tape", "2Gi")],
    deviceClaims: [devices(2), devices(1)],
    counts: new Map([
      ["configmaps", 3],
      ["count/crontabs.stable.example.com", 2],
    ]),
  };
  expect(used({ hard }, contents)).toEqual({
    services: "4",
    "services.nodeports": "3",
    "services.loadbalancers": "2",
    persistentvolumeclaims: "2",
    "requests.storage": "3Gi",
    "gold.storageclass.storage.k8s.io/requests.storage": "1Gi",
    configmaps: "3",
    "count/crontabs.stable.example.com": "2",
    "gpu.deviceclass.resource.k8s.io/devices": "3",
  });
});

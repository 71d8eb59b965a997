import { describe, expect, it } from "vitest";
import { kindServer } from "./fixtures/kind-server.js";

const storage = "/apis/storage.k8s.io/v1";
const networking = "/apis/networking.k8s.io/v1";
const access = "/apis/rbac.authorization.k8s.io/v1";
const inTest = (base: string) => `${base}/namespaces/test`;

const app = { app: "a" };
const template = { metadata: { labels: app }, spec: { containers: [{ name: "c", image: "i" }] } };

interface Case {
  /** Where objects of the kind are. */
  readonly path: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name?: string;
  readonly object: object;
  readonly patch: object;
  /** How often each field is reported. */
  readonly causes: Readonly<Record<string, number>>;
}

// kube-apiserver checks changes of some kinds by the rules of new objects and by those of changes, and where the latter
// repeat the former, clients see a cause for every time.
const cases: readonly Case[] = [
  {
    path: `${inTest("/api/v1")}/persistentvolumeclaims`,
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    object: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
    patch: {
      spec: { accessModes: ["ReadNever"], selector: { matchExpressions: [{ key: "a", operator: "X" }] } },
    },
    causes: { "spec.selector.matchExpressions[0].operator": 1, "spec.accessModes": 1, spec: 1 },
  },
  {
    path: "/api/v1/persistentvolumes",
    apiVersion: "v1",
    kind: "PersistentVolume",
    object: {
      spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, hostPath: { path: "/x" } },
    },
    patch: {
      metadata: { annotations: { "volume.beta.kubernetes.io/mount-options": "ro" } },
      spec: { capacity: { storage: "0" } },
    },
    causes: {
      "spec.capacity[storage]": 2,
      "metadata.annotations.volume.beta.kubernetes.io/mount-options": 1,
    },
  },
  {
    path: `${inTest(storage)}/csistoragecapacities`,
    apiVersion: "storage.k8s.io/v1",
    kind: "CSIStorageCapacity",
    object: { storageClassName: "fast" },
    patch: { capacity: "-1", storageClassName: "slow" },
    causes: { capacity: 1, storageClassName: 1 },
  },
  {
    path: `${storage}/csinodes`,
    apiVersion: "storage.k8s.io/v1",
    kind: "CSINode",
    object: { spec: { drivers: [] } },
    patch: { spec: { drivers: [{ name: "a.example", nodeID: "", topologyKeys: null }] } },
    causes: { "spec.drivers[0].nodeID": 1 },
  },
  {
    path: `${storage}/volumeattachments`,
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttachment",
    object: { spec: { attacher: "a.example", nodeName: "n", source: { persistentVolumeName: "p" } } },
    patch: { metadata: { labels: { a: "-" } }, spec: { nodeName: "N" } },
    causes: { "metadata.labels": 3, "spec.nodeName": 1, spec: 1 },
  },
  {
    path: `${inTest(networking)}/networkpolicies`,
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    object: { spec: { podSelector: {} } },
    patch: { spec: { policyTypes: ["Sideways"] } },
    causes: { "spec.policyTypes[0]": 1 },
  },
  {
    path: `${networking}/servicecidrs`,
    apiVersion: "networking.k8s.io/v1",
    kind: "ServiceCIDR",
    object: { spec: { cidrs: ["10.1.0.0/16"] } },
    patch: { spec: { cidrs: ["10.1.0.0/16", "10.2.0.1/16"] } },
    causes: { "spec.cidrs[1]": 1, "spec.cidrs": 1 },
  },
  {
    path: `${networking}/ipaddresses`,
    apiVersion: "networking.k8s.io/v1",
    kind: "IPAddress",
    name: "10.1.0.1",
    object: { spec: { parentRef: { resource: "services", name: "s" } } },
    patch: { spec: { parentRef: { name: "" } } },
    causes: { "spec.parentRef.name": 1, "spec.parentRef": 1 },
  },
  {
    path: "/apis/node.k8s.io/v1/runtimeclasses",
    apiVersion: "node.k8s.io/v1",
    kind: "RuntimeClass",
    object: { handler: "runsc" },
    patch: { handler: "Kata", overhead: { podFixed: { cpu: "-1" } } },
    causes: { handler: 2, "overhead.limits[cpu]": 1 },
  },
  {
    path: `${inTest(access)}/roles`,
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    object: { rules: [] },
    patch: { rules: [{ apiGroups: [""], resources: ["pods"], verbs: [] }] },
    causes: { "rules[0].verbs": 1 },
  },
  {
    path: `${access}/clusterroles`,
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    object: { rules: [] },
    patch: { aggregationRule: {} },
    causes: { "aggregationRule.clusterRoleSelectors": 1 },
  },
  {
    path: `${access}/clusterrolebindings`,
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    object: { roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" } },
    patch: { roleRef: { name: "edit" }, subjects: [{ kind: "ServiceAccount", name: "a" }] },
    causes: { "subjects[0].namespace": 1, roleRef: 1 },
  },
  {
    path: `${inTest("/apis/apps/v1")}/replicasets`,
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    object: { spec: { selector: { matchLabels: app }, template } },
    patch: { spec: { replicas: -1 } },
    causes: { "spec.replicas": 1 },
  },
  {
    path: `${inTest("/apis/apps/v1")}/daemonsets`,
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    object: { spec: { selector: { matchLabels: app }, template } },
    patch: { spec: { minReadySeconds: -1 } },
    causes: { "spec.minReadySeconds": 1 },
  },
  {
    path: `${inTest("/api/v1")}/replicationcontrollers`,
    apiVersion: "v1",
    kind: "ReplicationController",
    object: { spec: { selector: app, template } },
    patch: { spec: { replicas: -1 } },
    causes: { "spec.replicas": 1 },
  },
  {
    path: `${inTest("/api/v1")}/services`,
    apiVersion: "v1",
    kind: "Service",
    object: { spec: { ports: [{ port: 80 }] } },
    patch: { spec: { loadBalancerClass: "a.example/b" } },
    causes: { "spec.loadBalancerClass": 2 },
  },
];

describe("update that violates the rules of creation and of updates", () => {
  it.each(cases)("reports the field of a $kind for each of them", async (one) => {
    const { path, apiVersion, kind, name = "x", object, patch: change } = one;
    const { call, patch, fields } = await kindServer();
    const made = await call("POST", path, { apiVersion, kind, metadata: { name }, ...object });
    expect(made.status).toBe(201);
    const reported: Record<string, number> = {};
    for (const field of fields(await patch(`${path}/${name}`, change)))
      reported[field] = (reported[field] ?? 0) + 1;
    expect(reported).toEqual(one.causes);
  });
});

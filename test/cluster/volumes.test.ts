import {
  Event,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  type PodSpec,
  StorageClass,
  VolumeAttributesClass,
} from "@kubewright/api";
import { expect, test } from "vitest";
import { VirtualCluster } from "./virtual-cluster.js";

const namespace = "default";

const claim = (name: string, spec: PersistentVolumeClaim["spec"] = {}): PersistentVolumeClaim => ({
  metadata: { name, namespace },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
});

const podWith = (name: string, claimName: string, spec: Partial<PodSpec> = {}): Pod => ({
  metadata: { name, namespace },
  spec: {
    containers: [{ name: "c", image: "web:1" }],
    volumes: [{ name: "v", persistentVolumeClaim: { claimName } }],
    terminationGracePeriodSeconds: 0,
    ...spec,
  },
});

const read = (cluster: VirtualCluster, name: string) =>
  cluster.client.get(PersistentVolumeClaim, name, { namespace });

const volumes = async (cluster: VirtualCluster) => (await cluster.client.list(PersistentVolume)).items;

const reasons = async (cluster: VirtualCluster) =>
  (await cluster.client.list(Event, { namespace })).items
    .filter(({ involvedObject }) => involvedObject.kind === "PersistentVolumeClaim")
    .map(({ reason }) => reason);

test("a claim of the default class gets its volume with its first pod, and takes it along", async () => {
  await using cluster = await VirtualCluster.start({ nodes: 2 });
  await cluster.client.create(PersistentVolumeClaim, claim("data"));
  await cluster.rest();
  expect((await read(cluster, "data")).status?.phase).toBe("Pending");
  expect(await volumes(cluster)).toEqual([]);

  await cluster.client.create(Pod, podWith("web", "data"));
  await cluster.rest();
  const bound = await read(cluster, "data");
  expect(bound.status).toMatchObject({
    phase: "Bound",
    capacity: { storage: "1Gi" },
    accessModes: ["ReadWriteOnce"],
  });
  expect((await cluster.client.get(Pod, "web", { namespace })).status?.phase).toBe("Running");
  expect((await volumes(cluster))[0]).toMatchObject({
    metadata: { name: `pvc-${bound.metadata?.uid}` },
    spec: { storageClassName: "standard", claimRef: { name: "data" } },
    status: { phase: "Bound" },
  });
  expect(await reasons(cluster)).toEqual(
    expect.arrayContaining([
      "WaitForFirstConsumer",
      "ExternalProvisioning",
      "Provisioning",
      "ProvisioningSucceeded",
    ]),
  );

  await cluster.client.delete(PersistentVolumeClaim, "data", { namespace });
  await cluster.rest();
  expect((await read(cluster, "data")).metadata?.deletionTimestamp).toBeDefined();
  await cluster.client.delete(Pod, "web", { namespace });
  await cluster.rest();
  expect((await cluster.client.list(PersistentVolumeClaim, { namespace })).items).toEqual([]);
  expect(await volumes(cluster)).toEqual([]);
});

test("a pod waits for a claim that waits for a volume, and a volume that is kept outlives its claim", async () => {
  await using cluster = await VirtualCluster.start();
  await cluster.client.create(PersistentVolumeClaim, claim("data", { storageClassName: "" }));
  await cluster.client.create(Pod, podWith("web", "data"));
  await cluster.rest();
  const pending = await cluster.client.get(Pod, "web", { namespace });
  expect(pending.status?.conditions?.[0]?.message).toBe(
    "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
  );
  await cluster.client.create(PersistentVolume, {
    metadata: { name: "disk" },
    spec: {
      capacity: { storage: "2Gi" },
      accessModes: ["ReadWriteOnce"],
      hostPath: { path: "/data" },
      persistentVolumeReclaimPolicy: "Retain",
    },
  });
  await cluster.rest();
  expect((await read(cluster, "data")).status).toMatchObject({
    phase: "Bound",
    capacity: { storage: "2Gi" },
  });
  expect((await cluster.client.get(Pod, "web", { namespace })).status?.phase).toBe("Running");
  await cluster.client.delete(Pod, "web", { namespace });
  await cluster.client.delete(PersistentVolumeClaim, "data", { namespace });
  await cluster.rest();
  expect((await volumes(cluster))[0]?.status?.phase).toBe("Released");
});

test("claims of a class that does not wait are bound at once, and grow", async () => {
  await using cluster = await VirtualCluster.start();
  const { metadata, ...standard } = await cluster.client.get(StorageClass, "standard");
  expect(metadata?.annotations?.["storageclass.kubernetes.io/is-default-class"]).toBe("true");
  await cluster.client.create(StorageClass, {
    ...standard,
    metadata: { name: "now" },
    volumeBindingMode: "Immediate",
  });
  await cluster.client.create(PersistentVolumeClaim, claim("data", { storageClassName: "now" }));
  await cluster.rest();
  expect((await read(cluster, "data")).status?.phase).toBe("Bound");
  const more = { spec: { resources: { requests: { storage: "3Gi" } } } };
  await cluster.client.patch(PersistentVolumeClaim, "data", { merge: more }, { namespace });
  await cluster.rest();
  expect((await read(cluster, "data")).status?.capacity).toEqual({ storage: "3Gi" });
  expect((await volumes(cluster))[0]?.spec?.capacity).toEqual({ storage: "3Gi" });
});

test("a volume reserved for a node leads the pod there", async () => {
  await using cluster = await VirtualCluster.start({ nodes: 3 });
  await cluster.client.create(StorageClass, {
    metadata: { name: "local" },
    provisioner: "kubernetes.io/no-provisioner",
    volumeBindingMode: "WaitForFirstConsumer",
  });
  const onNode3 = [{ key: "kubernetes.io/hostname", operator: "In" as const, values: ["node-3"] }];
  await cluster.client.create(PersistentVolume, {
    metadata: { name: "disk" },
    spec: {
      capacity: { storage: "2Gi" },
      accessModes: ["ReadWriteOnce"],
      storageClassName: "local",
      local: { path: "/mnt" },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: onNode3 }] } },
    },
  });
  await cluster.client.create(PersistentVolumeClaim, claim("data", { storageClassName: "local" }));
  await cluster.client.create(Pod, podWith("web", "data"));
  await cluster.rest();
  expect((await cluster.client.get(Pod, "web", { namespace })).spec?.nodeName).toBe("node-3");
  expect((await read(cluster, "data")).spec?.volumeName).toBe("disk");
});

test("a deleted class of volume attributes goes when no claim asks for it any more", async () => {
  await using cluster = await VirtualCluster.start({ nodes: 1 });
  const fast = { metadata: { name: "fast" }, driverName: "disks.example.com", parameters: { iops: "9" } };
  await cluster.client.create(VolumeAttributesClass, fast);
  await cluster.client.create(PersistentVolumeClaim, claim("data", { volumeAttributesClassName: "fast" }));
  await cluster.client.delete(VolumeAttributesClass, "fast");
  await cluster.rest();
  const names = async () =>
    (await cluster.client.list(VolumeAttributesClass)).items.map(({ metadata }) => metadata?.name);
  expect(await names()).toEqual(["fast"]);
  await cluster.client.delete(PersistentVolumeClaim, "data", { namespace });
  await cluster.rest();
  expect(await names()).toEqual([]);
});

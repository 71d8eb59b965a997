// Overrides of the StatefulSet, in virtual time, with a model in place of mongod: merged by the rules of strategic merge, and what would
// break the set is refused by name.
import { PersistentVolumeClaim, Pod, StatefulSet } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import { MongoWorld, name } from "./fixtures/mongo-world.js";

const overrides = (spec: object, metadata?: object) => ({
  statefulSet: { spec, ...(metadata ? { metadata } : {}) },
});

const merged = {
  minReadySeconds: 3,
  template: {
    metadata: { labels: { team: "shop" }, annotations: { "example.com/scrape": "true" } },
    spec: {
      nodeSelector: { "kubernetes.io/os": "linux" },
      affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
      tolerations: [{ key: "database", operator: "Exists" }],
      volumes: [{ name: "scratch", emptyDir: {} }],
      containers: [
        {
          name: "mongod",
          resources: { requests: { cpu: "250m", memory: "512Mi" } },
          env: [{ name: "TZ", value: "UTC" }],
          volumeMounts: [{ name: "scratch", mountPath: "/scratch" }],
        },
        { name: "exporter", image: "exporter:1" },
      ],
      initContainers: [{ name: "sysctl", image: "busybox:1", command: ["true"] }],
    },
  },
  volumeClaimTemplates: [
    {
      metadata: { name: "data-volume", annotations: { "example.com/tier": "fast" } },
      spec: { accessModes: ["ReadWriteOncePod"], resources: { requests: { storage: "3Gi" } } },
    },
    {
      metadata: { name: "logs-volume" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
  ],
};

describe("overrides of the StatefulSet", () => {
  test("are merged: sidecars, resources, affinity, volumes, claims, labels and annotations", async () => {
    await using w = await MongoWorld.start();
    await w.create({
      members: 1,
      ...overrides(merged, { labels: { owner: "me" }, annotations: { "example.com/note": "x" } }),
    });
    await w.settled(1);
    const { metadata, spec } = await w.cluster.get(StatefulSet, name);
    expect(metadata).toMatchObject({
      labels: { owner: "me", app: "db-svc" },
      annotations: { "example.com/note": "x" },
    });
    expect(spec).toMatchObject({
      minReadySeconds: 3,
      serviceName: "db-svc",
      podManagementPolicy: "Parallel",
    });
    const { template } = spec ?? {};
    expect(template?.metadata).toMatchObject({
      labels: { team: "shop", app: "db-svc", "mongodb.com/replica-set": "db" },
      annotations: { "example.com/scrape": "true" },
    });
    const [mongod, exporter] = template?.spec?.containers ?? [];
    expect(mongod).toMatchObject({
      name: "mongod",
      image: "mongo:4.2.6",
      resources: { requests: { cpu: "250m" } },
    });
    expect(mongod?.command?.at(-1)).toContain("exec mongod --config");
    expect(mongod?.volumeMounts?.map(({ mountPath }) => mountPath)).toEqual(
      expect.arrayContaining(["/scratch", "/data", "/etc/mongod"]),
    );
    expect(exporter).toMatchObject({ name: "exporter", image: "exporter:1" });
    expect(template?.spec?.initContainers?.map((each) => each.name)).toEqual(["sysctl"]);
    // What is given of affinity is merged with the operator's own.
    expect(Object.keys(template?.spec?.affinity ?? {}).toSorted()).toEqual([
      "nodeAffinity",
      "podAntiAffinity",
    ]);
    const claims = await w.cluster.list(PersistentVolumeClaim);
    expect(
      claims.map(({ metadata: { name: claim } = {}, spec: asked }) => [
        claim,
        asked?.accessModes?.[0],
        asked?.resources?.requests?.["storage"],
      ]),
    ).toEqual([
      ["data-volume-db-0", "ReadWriteOncePod", "3Gi"],
      ["logs-volume-db-0", "ReadWriteOnce", "1Gi"],
    ]);
    expect(await w.condition("Degraded")).toMatchObject({ status: "False" });
    expect(w.cluster.errors).toEqual([]);
  });

  test("that are changed roll through the members, one at a time", async () => {
    await using w = await MongoWorld.start();
    await w.create();
    const { status } = await w.settled(3);
    w.taken();
    await w.patch(overrides({ template: { spec: { terminationGracePeriodSeconds: 60 } } }));
    await w.settled(3);
    expect(w.taken()).toEqual([
      "restart db-2",
      "restart db-1",
      `step-down ${status?.primary}`,
      "restart db-0",
    ]);
    expect((await w.cluster.get(Pod, "db-0")).spec?.terminationGracePeriodSeconds).toBe(60);
  });

  test("that would break the set are refused by name, and all else is taken", async () => {
    await using w = await MongoWorld.start();
    await w.create({
      members: 1,
      ...overrides({
        replicas: 7,
        serviceName: "other",
        selector: { matchLabels: { a: "b" } },
        updateStrategy: { type: "RollingUpdate" },
        podManagementPolicy: "OrderedReady",
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Delete" },
        template: {
          metadata: { labels: { app: "mine", team: "shop" } },
          spec: {
            hostname: "x",
            priorityClassName: "system-cluster-critical",
            volumes: [{ name: "data-volume", emptyDir: {} }],
            containers: [
              {
                name: "mongod",
                command: ["sleep"],
                args: ["1d"],
                volumeMounts: [{ name: "x", mountPath: "/data" }],
              },
            ],
          },
        },
      }),
    });
    await w.cluster.eventually(MongoDBCommunity, name, ({ status }) => status?.ready === "1/1", {
      timeout: "10m",
    });
    expect(await w.condition("Degraded")).toMatchObject({ status: "True", reason: "OverridesRefused" });
    expect((await w.get()).status?.message).toBe(
      "the operator sets spec.replicas, spec.selector, spec.serviceName, spec.updateStrategy, spec.podManagementPolicy, spec.persistentVolumeClaimRetentionPolicy, spec.template.metadata.labels.app, spec.template.spec.hostname, spec.template.spec.volumes[data-volume], spec.template.spec.containers[mongod].command, spec.template.spec.containers[mongod].args, spec.template.spec.containers[mongod].volumeMounts[/data] of statefulSet itself; all else is merged",
    );
    const { spec } = await w.cluster.get(StatefulSet, name);
    expect(spec).toMatchObject({ replicas: 1, serviceName: "db-svc", updateStrategy: { type: "OnDelete" } });
    expect(spec?.template.metadata?.labels).toMatchObject({ app: "db-svc", team: "shop" });
    expect(spec?.template.spec?.priorityClassName).toBe("system-cluster-critical");
  });

  test("that make the StatefulSet invalid are reported, and members go on as they are", async () => {
    await using w = await MongoWorld.start();
    await w.create();
    await w.settled(3);
    w.taken();
    await w.patch(overrides({ template: { spec: { dnsPolicy: "Nonsense" } } }));
    await w.cluster.condition(MongoDBCommunity, name, "Degraded", "True");
    expect(await w.condition("Degraded")).toMatchObject({
      reason: "OverridesInvalid",
      message: expect.stringContaining("dnsPolicy"),
    });
    expect(await w.condition("Available")).toMatchObject({ status: "True" });
    expect(w.taken()).toEqual([]);
    await w.patch({ statefulSet: null });
    await w.settled(3);
  });

  test("of claims that exist already are reported, since a StatefulSet's claim templates cannot change", async () => {
    await using w = await MongoWorld.start();
    await w.create({ members: 1 });
    await w.settled(1);
    await w.patch(
      overrides({
        volumeClaimTemplates: [
          { metadata: { name: "data-volume" }, spec: { storageClassName: "fast" } },
          { metadata: { name: "logs-volume" }, spec: {} },
        ],
      }),
    );
    await w.cluster.condition(MongoDBCommunity, name, "Degraded", "True");
    expect(await w.condition("Degraded")).toMatchObject({
      reason: "ClaimTemplatesFixed",
      message: expect.stringContaining("volumeClaimTemplates data-volume, logs-volume"),
    });
    expect(w.cluster.errors).toEqual([]);
  });
});

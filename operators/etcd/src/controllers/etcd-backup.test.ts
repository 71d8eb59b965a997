// EtcdBackups and EtcdRestores in virtual time. Agents are simulated: how they end, and with which words, is a rule.
import { Event, PersistentVolumeClaim, Pod } from "@kubewright/api";
import { type TestCluster, testCluster } from "@kubewright/testing";
import { describe, expect, test } from "vitest";
import { EtcdBackup } from "../api/v1alpha1/etcd-backup.js";
import { EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import { EtcdRestore } from "../api/v1alpha1/etcd-restore.js";
import { taskVariable } from "../backup/agent-task.js";
import { etcdManager } from "../manager.js";
import { ModelledEtcd } from "../model/modelled-etcd.js";

const namespace = "default";
const image = "etcd-operator:test";
const report = {
  size: 20_480,
  sha256: "a".repeat(64),
  revision: 7,
  version: "3.5.30",
  host: "db-1.db-peers.default.svc",
};

async function world(): Promise<TestCluster> {
  let cluster: TestCluster | undefined;
  const access = new ModelledEtcd({ now: () => cluster?.now() ?? 0, standsForReal: true });
  const manager = { ...etcdManager({ access, agentImage: async () => image }), webhooks: [] };
  const resources = [EtcdCluster, EtcdBackup, EtcdRestore];
  cluster = await testCluster({ resources, manager, nodes: 3, leaks: "ignore" });
  await cluster.create(PersistentVolumeClaim, {
    name: "backups",
    spec: { accessModes: ["ReadWriteMany"], resources: { requests: { storage: "1Gi" } } },
  });
  return cluster;
}

const target = { claim: { claimName: "backups" } };
const ends = (cluster: TestCluster, code: number, words: object) =>
  cluster.simulate(
    { image: "etcd-operator:*" },
    { exit: { after: "2s", code, message: JSON.stringify(words) } },
  );
const running = (cluster: TestCluster, name = "db") =>
  cluster.eventually(EtcdCluster, name, ({ status }) => status?.phase === "Running", { timeout: "5m" });
const make = (cluster: TestCluster, spec: object = {}) =>
  cluster.create(EtcdCluster, { name: "db", spec: { replicas: 3, ...spec } as never });
const backUp = (cluster: TestCluster, spec: object = {}) =>
  cluster.create(EtcdBackup, { name: "one", spec: { clusterName: "db", target, ...spec } as never });
const over = (cluster: TestCluster, name = "one") =>
  cluster.eventually(EtcdBackup, name, ({ status }) => status?.completionTime !== undefined, {
    timeout: "2h",
  });
const eventsAbout = async (cluster: TestCluster, kind: string) =>
  (await cluster.client.list(Event, { namespace })).items
    .filter(({ involvedObject }) => involvedObject.kind === kind)
    .map(({ reason }) => reason);

describe("an EtcdBackup", () => {
  test("has what the agent reports, and no pod any more", async () => {
    await using cluster = await world();
    ends(cluster, 0, report);
    await make(cluster);
    await running(cluster);
    await backUp(cluster);
    const pod = await cluster.eventually(Pod, "one-snapshot");
    const task = JSON.parse(
      pod.spec?.containers[0]?.env?.find(({ name }) => name === taskVariable)?.value ?? "",
    );
    expect(task).toMatchObject({
      kind: "snapshot",
      file: "one.db",
      isSecure: false,
      store: { folder: "db" },
    });
    expect(task.hosts).toHaveLength(3);
    expect(task.hosts[2]).toBe("db-0.db-peers.default.svc");
    const { status } = await over(cluster);
    expect(status).toMatchObject({
      phase: "Succeeded",
      member: "db-1",
      revision: 7,
      size: 20_480,
      sha256: report.sha256,
      file: "one.db",
    });
    await cluster.eventuallyGone(Pod, "one-snapshot");
    expect(await eventsAbout(cluster, "EtcdBackup")).toEqual(
      expect.arrayContaining(["BackupStarted", "BackupSucceeded"]),
    );
  });

  test.each<[string, [number, object] | undefined, boolean, RegExp]>([
    ["the agent fails", [1, { error: "HTTP 403" }], true, /^HTTP 403$/],
    ["the agent says nothing", [0, {}], true, /reported nothing/],
    ["there is no cluster", [0, report], false, /longer than 60 s/],
    ["the agent never ends", undefined, true, /longer than 60 s|deadline/i],
  ])("says failed when %s", async (_, end, hasCluster, message) => {
    await using cluster = await world();
    if (end) ends(cluster, ...end);
    if (hasCluster) {
      await make(cluster);
      await running(cluster);
    }
    await backUp(cluster, { timeoutSeconds: 60 });
    const { status } = await over(cluster);
    expect(status?.phase).toBe("Failed");
    expect(status?.message).toMatch(message);
    expect(await eventsAbout(cluster, "EtcdBackup")).toContain("BackupFailed");
  });

  test("is made at each time of a schedule, kept as often as asked, and missed when none succeeds", async () => {
    await using cluster = await world();
    const rule = ends(cluster, 0, report);
    await make(cluster, { replicas: 1, backup: { schedule: "0 * * * *", target, keep: 2 } });
    await running(cluster);
    await cluster.advance("4h1m");
    const backups = await cluster.list(EtcdBackup);
    expect(backups.map(({ metadata }) => metadata.name).toSorted()).toEqual([
      "db-scheduled-20260101030000",
      "db-scheduled-20260101040000",
    ]);
    expect((await cluster.get(EtcdCluster, "db")).status).toMatchObject({
      lastBackup: "db-scheduled-20260101040000",
    });
    await cluster.condition(EtcdCluster, "db", "BackupOverdue", "False");
    rule.remove();
    ends(cluster, 1, { error: "the bucket is gone" });
    await cluster.advance("3h");
    await cluster.condition(EtcdCluster, "db", "BackupOverdue", "True");
    expect(await eventsAbout(cluster, "EtcdCluster")).toContain("BackupScheduled");
  });
});

describe("an EtcdRestore", () => {
  const restore = (cluster: TestCluster, name = "db-2") =>
    cluster.create(EtcdRestore, {
      name: "back",
      spec: { source: { backupName: "one" }, cluster: { name } },
    });
  const restored = (cluster: TestCluster) =>
    cluster.eventually(EtcdRestore, "back", ({ status }) => status?.completionTime !== undefined, {
      timeout: "1h",
    });

  test("makes a cluster whose first member is filled from the snapshot, and which grows to its size", async () => {
    await using cluster = await world();
    ends(cluster, 0, report);
    cluster.simulate({ container: "restore" }, { exit: { after: "1s", code: 0 } });
    await make(cluster, { etcdOptions: { "quota-backend-bytes": "100000000" } });
    await running(cluster);
    await restore(cluster);
    await cluster.eventually(EtcdRestore, "back", ({ status }) => status?.phase === "Pending");
    await backUp(cluster);
    const pod = await cluster.eventually(Pod, "db-2-0");
    expect(pod.spec?.initContainers?.map(({ name }) => name)).toEqual(["fetch", "restore"]);
    expect(pod.spec?.initContainers?.[1]?.command).toEqual([
      "etcdutl",
      "snapshot",
      "restore",
      "/restore/snapshot.db",
    ]);
    expect((await restored(cluster)).status?.phase).toBe("Succeeded");
    const { spec, status } = await running(cluster, "db-2");
    expect(status?.readyReplicas).toBe(3);
    expect(spec.etcdOptions).toEqual({ "quota-backend-bytes": "100000000" });
    expect((await cluster.get(Pod, "db-2-0")).spec?.initContainers ?? []).toEqual([]);
  });

  test("says failed when the snapshot cannot be fetched", async () => {
    await using cluster = await world();
    const rule = ends(cluster, 0, report);
    await make(cluster, { replicas: 1 });
    await running(cluster);
    await backUp(cluster);
    await over(cluster);
    rule.remove();
    ends(cluster, 1, { error: "one.db is damaged" });
    await restore(cluster);
    expect((await restored(cluster)).status).toMatchObject({
      phase: "Failed",
      message: "fetch: one.db is damaged",
    });
  });

  test("never touches a cluster that is there", async () => {
    await using cluster = await world();
    ends(cluster, 0, report);
    await make(cluster, { replicas: 1 });
    await running(cluster);
    await backUp(cluster);
    await over(cluster);
    await restore(cluster, "db");
    expect((await restored(cluster)).status?.message).toContain("is there already");
  });
});

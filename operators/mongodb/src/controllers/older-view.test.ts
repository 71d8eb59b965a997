// An operator that starts with an older view of the cluster, as one whose caches lag behind the API server: it does nothing that cannot be
// undone, and takes nothing down that runs.
import { PersistentVolume, Pod, Secret, StatefulSet } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { MongoDBBackup } from "../api/v1/mongo-db-backup.js";
import { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import { MongoDBRestore } from "../api/v1/mongo-db-restore.js";
import { backUp, ids, insert, over, restore, world } from "./fixtures/backup-world.js";
import { authority, pairOf, security, setAuthority, setPair, tls } from "./fixtures/certificates.js";
import { MongoWorld, name, namespace, sampleUser } from "./fixtures/mongo-world.js";

const members = ["db-0", "db-1", "db-2"];
const everything = [
  "mongodbcommunity",
  "mongodbbackups",
  "mongodbrestores",
  "statefulsets",
  "pods",
  "secrets",
  "persistentvolumeclaims",
];

/** Notes whether the StatefulSet is ever given another number of pods, or a pod deleted. */
async function watchPods(w: MongoWorld): Promise<{ readonly check: () => Promise<void> }> {
  const uids = async () => (await w.cluster.list(Pod)).map(({ metadata }) => metadata?.uid).toSorted();
  const before = await uids();
  return {
    check: async () => {
      expect((await w.cluster.get(StatefulSet, name)).spec?.replicas).toBe(3);
      expect(await uids()).toEqual(before);
      expect(w.mongo.running.toSorted()).toEqual(members);
    },
  };
}

const votes = (w: MongoWorld) =>
  w.mongo.mongod("db-0").replication.config?.members.map(({ votes: vote }) => vote);

describe("an operator with an older view takes no running replica set down", { timeout: 60_000 }, () => {
  test.each([
    { what: "X509 is asked for without TLS", spec: { security: { authentication: { modes: ["X509"] } } } },
    { what: "it is paused", spec: { paused: true, members: 1 } },
  ])("that does not show its StatefulSet, and $what", async ({ spec }) => {
    await using w = await MongoWorld.start();
    const { revision } = w;
    await w.create();
    await w.settled(3);
    const pods = await watchPods(w);
    await w.patch(spec);
    await w.cluster.advance("5s");
    await w.seeOlder([{ revision, resources: ["statefulsets"] }]);
    await pods.check();
    await w.seeOlder([{ revision, resources: ["statefulsets", "pods"] }]);
    await pods.check();
    await w.cluster.advance("1m");
    await pods.check();
    expect(w.cluster.errors).toEqual([]);
  });

  test("that shows neither its StatefulSet nor its pods, and its certificate was deleted", async () => {
    await using w = await MongoWorld.start();
    const { revision } = w;
    const ca = authority();
    await setPair(w, "certificate", pairOf(ca));
    await setAuthority(w, ca.certificate);
    await w.create(security(tls));
    await w.settled(3);
    const pods = await watchPods(w);
    await w.cluster.client.delete(Secret, "certificate", { namespace });
    await w.seeOlder([{ revision, resources: ["statefulsets", "pods"] }]);
    await pods.check();
    await w.cluster.advance("1m");
    await pods.check();
  });

  test("of the time when it had one member", async () => {
    await using w = await MongoWorld.start();
    await w.create({ members: 1 });
    await w.settled(1);
    const { revision } = w;
    await w.patch({ members: 3 });
    await w.settled(3);
    w.taken();
    const pods = await watchPods(w);
    await w.seeOlder([{ revision, resources: ["mongodbcommunity"] }]);
    await pods.check();
    await w.seeOlder([{ revision, resources: everything }]);
    await pods.check();
    await w.elect("db-2");
    await w.seeOlder([{ revision, resources: everything }]);
    await pods.check();
    await w.settled(3);
    expect(votes(w)).toEqual([1, 1, 1]);
    expect(w.taken()).toEqual([]);
  });

  test("of the time when its claims were not there yet, and deletes no claim", async () => {
    await using w = await MongoWorld.start({ cluster: { defaultStorageClass: "none" } });
    const { revision: before } = w;
    await w.create();
    await w.cluster.advance("30s");
    const { revision } = w;
    for (const ordinal of [0, 1, 2])
      await w.cluster.client.create(PersistentVolume, {
        metadata: { name: `volume-${ordinal}` },
        spec: {
          capacity: { storage: "20Gi" },
          accessModes: ["ReadWriteOnce"],
          nfs: { path: "/data", server: "nfs.example.com" },
        },
      });
    await w.settled(3);
    w.taken();
    const pods = await watchPods(w);
    await w.seeOlder([
      { revision: before, resources: ["persistentvolumeclaims"] },
      { revision, resources: ["mongodbcommunity", "pods", "statefulsets"] },
    ]);
    await pods.check();
    await w.settled(3);
    expect(w.taken()).toEqual([]);
  });

  test("and forces no configuration a second time", async () => {
    await using w = await MongoWorld.start();
    await w.create();
    await w.settled(3);
    for (const member of ["db-0", "db-2"]) w.mongo.pause(member);
    await w.cluster.condition(MongoDBCommunity, name, "MajorityLost", "True", { timeout: "1m" });
    await w.annotate({ "mongodb.com/force-reconfig-from": "db-1" });
    const { revision } = w;
    await w.cluster.eventually(MongoDBCommunity, name, ({ status }) => status?.primary === "db-1", {
      timeout: "5m",
    });
    for (const member of ["db-0", "db-2"]) w.mongo.resume(member);
    await w.settled(3);
    await w.elect("db-0");
    await w.settled(3);
    w.taken();
    for (const member of ["db-0", "db-2"]) w.mongo.pause(member);
    await w.seeOlder([{ revision, resources: ["mongodbcommunity"] }]);
    for (const member of ["db-0", "db-2"]) w.mongo.resume(member);
    await w.settled(3);
    expect(w.taken()).toEqual([]);
    expect(votes(w)).toEqual([1, 1, 1]);
  });
});

test("an operator with an older view recreates a StatefulSet that somebody deleted, and its pods are the same", async () => {
  await using w = await MongoWorld.start();
  await w.create();
  await w.settled(3);
  const { revision } = w;
  const pods = await watchPods(w);
  w.cluster.crashManager();
  await w.cluster.client.delete(StatefulSet, name, { namespace, propagationPolicy: "Orphan" });
  await w.seeOlder([{ revision, resources: ["statefulsets"] }]);
  await w.cluster.advance("1m");
  await pods.check();
  await w.settled(3);
});

const podsMade = (w: MongoWorld): number =>
  w.cluster.manager?.writes.filter((write) => /^POST .*\/pods$/.test(write)).length ?? 0;

describe("an operator with an older view repeats nothing that happens once", { timeout: 60_000 }, () => {
  test("a restore", async () => {
    await using w = await world({ members: 1 });
    await insert(w, [1]);
    await backUp(w);
    expect((await over(w, MongoDBBackup, "one")).status?.phase).toBe("Succeeded");
    await restore(w, "back", { replace: true });
    const { revision } = w;
    expect((await over(w, MongoDBRestore, "back")).status?.phase).toBe("Succeeded");
    await w.cluster.eventuallyGone(Pod, "back-restore");
    await insert(w, [2]);
    const made = podsMade(w);
    await w.seeOlder([{ revision, resources: ["mongodbrestores", "pods"] }]);
    await w.cluster.advance("1m");
    expect(await ids(w)).toEqual([1, 2]);
    expect(podsMade(w)).toBe(made);
  });

  test("a backup, whose checksum is in its status", async () => {
    await using w = await world({ members: 1 });
    await insert(w, [1]);
    await backUp(w);
    const { revision } = w;
    await over(w, MongoDBBackup, "one");
    await w.cluster.eventuallyGone(Pod, "one-backup");
    const stored = w.mongo.agents.files.get("claim/db/one.backup.gz");
    await insert(w, [2]);
    const made = podsMade(w);
    await w.seeOlder([{ revision, resources: ["mongodbbackups", "pods"] }]);
    await w.cluster.advance("1m");
    expect(w.mongo.agents.files.get("claim/db/one.backup.gz")).toBe(stored);
    expect(podsMade(w)).toBe(made);
  });

  test("and reports no backup as failed whose pod it does not see yet", async () => {
    await using w = await world({ members: 1 });
    const { revision } = w;
    await backUp(w);
    await w.cluster.eventually(MongoDBBackup, "one", ({ status }) => status?.phase === "Running");
    await w.seeOlder([{ revision, resources: ["pods"] }]);
    expect((await over(w, MongoDBBackup, "one")).status).toMatchObject({ phase: "Succeeded" });
  });
});

describe("an operator with an older view loses nothing", { timeout: 60_000 }, () => {
  test("of users that were added since, though their passwords are gone", async () => {
    await using w = await MongoWorld.start();
    await w.create({ members: 1 });
    await w.settled(1);
    const { revision } = w;
    await w.secret("second", "second-password");
    const second = {
      ...sampleUser,
      name: "second",
      passwordSecretRef: { name: "second" },
      scramCredentialsSecretName: "2",
    };
    await w.patch({ users: [sampleUser, second] });
    await w.cluster.eventually(Secret, "db-admin-second", () => true);
    await w.settled(1);
    await w.cluster.client.delete(Secret, "second", { namespace });
    await w.cluster.advance("10s");
    w.taken();
    await w.seeOlder([{ revision, resources: ["mongodbcommunity"] }]);
    await w.cluster.advance("1m");
    expect(w.taken()).toEqual([]);
    expect(w.mongo.mongod("db-0").data.users.has("admin.second")).toBe(true);
    expect((await w.cluster.get(Secret, "db-admin-second")).data).toHaveProperty("password");
  });

  test("of a password that was changed since", async () => {
    await using w = await MongoWorld.start();
    await w.create({ members: 1 });
    await w.settled(1);
    const { revision } = w;
    await w.secret("my-user-password", "another-password");
    await w.cluster.advance("10s");
    const changed = { user: "my-user", db: "admin", password: "another-password" };
    await w.run(changed, "shop", { ping: 1 });
    w.taken();
    await w.seeOlder([{ revision, resources: ["secrets"] }]);
    await w.run(changed, "shop", { ping: 1 });
    await w.cluster.advance("1m");
    expect(w.taken()).toEqual([]);
  });

  test("of backups that a schedule keeps since", async () => {
    const schedule = { schedule: "*/5 * * * *", target: { claim: { claimName: "backups" } } };
    await using w = await world({ members: 1, backup: { ...schedule, keep: 3 } });
    await w.cluster.advance("16m");
    expect(await w.cluster.list(MongoDBBackup)).toHaveLength(3);
    w.cluster.crashManager();
    await w.patch({ backup: { keep: 1 } });
    const { revision } = w;
    await w.patch({ backup: { keep: 3 } });
    await w.seeOlder([{ revision, resources: ["mongodbcommunity"] }]);
    expect(await w.cluster.list(MongoDBBackup)).toHaveLength(3);
    expect(w.mongo.agents.files.size).toBe(3);
  });

  test("of the configuration files that members were started with", async () => {
    await using w = await MongoWorld.start();
    const { revision } = w;
    await w.create();
    await w.settled(3);
    w.cluster.crashManager();
    await w.patch({ additionalMongodConfig: { "net.maxIncomingConnections": 100 } });
    const files = async () => Object.keys((await w.cluster.get(Secret, "db-config")).data ?? {});
    const [first] = await files();
    await w.seeOlder([{ revision, resources: ["pods"] }]);
    expect(await files()).toContain(first);
    await w.settled(3);
    expect(await files()).not.toContain(first);
  });

  test("of the certificate that members are on the way from", async () => {
    await using w = await MongoWorld.start();
    const { revision } = w;
    const ca = authority();
    await setPair(w, "certificate", pairOf(ca));
    await setAuthority(w, ca.certificate);
    await w.create({ version: "5.0.31", ...security(tls) });
    await w.settled(3);
    const mounted = async () => (await w.cluster.get(Secret, "db-server-certificate-key")).data;
    const before = await mounted();
    w.cluster.crashManager();
    const next = authority("next");
    await setPair(w, "certificate", pairOf(next));
    await setAuthority(w, next.certificate);
    await w.seeOlder([{ revision, resources: ["pods"] }]);
    expect(await mounted()).toEqual(before);
    await w.settled(3);
  });
});

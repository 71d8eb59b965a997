// Backups, restores and metrics of a set whose members take certificates alone: in virtual time, with a model in place of mongod. What the
// exporter and the agents do over the wire is in test/mongodb.
import { gunzipSync } from "node:zlib";
import { Deployment, PersistentVolumeClaim, Pod } from "@kubewright/api";
import type { CertificateAuthority } from "@kubewright/api/x509";
import { agentTask } from "@kubewright/runtime/agent";
import { describe, expect, test } from "vitest";
import { MongoDBBackup } from "../api/v1/mongo-db-backup.js";
import { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import { MongoDBRestore } from "../api/v1/mongo-db-restore.js";
import type { Document } from "../client/mongo-member.js";
import { certificatesIn } from "../client/pem.js";
import { type ExporterSettings, settingsVariable } from "../exporter/exporter-settings.js";
import { connection } from "../model/command.js";
import { backUp, file, ids, over, restore, target } from "./fixtures/backup-world.js";
import {
  authority,
  type Pair,
  pairOf,
  security,
  setAuthority,
  setPair,
  tls,
  userPair,
} from "./fixtures/certificates.js";
import { MongoWorld, name, sampleUser } from "./fixtures/mongo-world.js";

const x509 = { modes: ["X509"] };
const prometheus = { username: "prometheus", passwordSecretRef: { name: "metrics-password" } };
const subjects = {
  operator: "CN=operator,O=people",
  backup: "CN=backup,O=people",
  exporter: "CN=exporter,O=people",
  person: "CN=my-user,O=people",
} as const;
const certified = {
  name: subjects.person,
  db: "$external",
  roles: [{ name: "readWriteAnyDatabase", db: "admin" }],
};

interface Certified {
  readonly w: MongoWorld;
  readonly ca: CertificateAuthority;
  readonly person: Pair;
}

async function withCertificates(secrets: Readonly<Record<string, string>>): Promise<Certified> {
  const w = await MongoWorld.start();
  const ca = authority();
  await setPair(w, "certificate", pairOf(ca));
  for (const [secret, holder] of Object.entries(secrets)) await setPair(w, secret, userPair(ca, holder));
  await setAuthority(w, ca.certificate);
  await w.secret("metrics-password", "secret");
  await w.cluster.create(PersistentVolumeClaim, {
    name: "backups",
    spec: { accessModes: ["ReadWriteMany"], resources: { requests: { storage: "1Gi" } } },
  });
  return { w, ca, person: userPair(ca, "my-user") };
}

const all = { "agent-certs": "operator", "backup-certs": "backup", "exporter-certs": "exporter" };

/** Runs a command on the primary as whom a certificate names. */
async function runAs(w: MongoWorld, { certificate }: Pair, db: string, command: Document): Promise<Document> {
  const mongod = w.mongo.mongod((await w.get()).status?.primary ?? "");
  const [shown] = certificatesIn(certificate);
  const from = connection({ isLoopback: false, isTls: true, certificate: shown });
  mongod.loginByCertificate(from);
  return w.cluster.run(mongod.answer(from, { ...command, $db: db }));
}

const insertAs = (w: MongoWorld, pair: Pair, numbers: readonly number[]) =>
  runAs(w, pair, "shop", {
    insert: "x",
    documents: numbers.map((_id) => ({ _id })),
    writeConcern: { w: "majority" },
  });

const rolesOf = (w: MongoWorld) =>
  Object.fromEntries(
    [...w.mongo.mongod("db-0").data.users].map(([key, { roles }]) => [key, roles.map(({ role }) => role)]),
  );

const exporterSpec = async (w: MongoWorld) =>
  (await w.cluster.get(Deployment, "db-exporter")).spec?.template?.spec;

async function exporterSettings(w: MongoWorld): Promise<ExporterSettings> {
  const { env = [] } = (await exporterSpec(w))?.containers[0] ?? {};
  return JSON.parse(env.find((each) => each.name === settingsVariable)?.value ?? "null");
}

describe("a set whose users show certificates", { timeout: 60_000 }, () => {
  test("is backed up with a certificate that may only read, and restored with every document", async () => {
    const { w, person } = await withCertificates(all);
    await using _ = w;
    await w.create({ ...security(tls, x509), users: [certified] });
    await w.settled(3);
    expect(rolesOf(w)).toEqual({
      [`$external.${subjects.operator}`]: ["root"],
      [`$external.${subjects.backup}`]: ["backup"],
      [`$external.${subjects.person}`]: ["readWriteAnyDatabase"],
    });
    await insertAs(w, person, [1, 2, 3]);
    await backUp(w);
    const pod = await w.cluster.eventually(Pod, "one-backup");
    expect(agentTask(pod)).toMatchObject({
      login: { user: subjects.backup, db: "$external" },
      isSecure: true,
    });
    expect(pod.spec?.volumes?.find((volume) => volume.name === "login")?.secret).toMatchObject({
      secretName: "backup-certs",
      items: [{ key: "tls.crt" }, { key: "tls.key" }],
    });
    expect((await over(w, MongoDBBackup, "one")).status).toMatchObject({
      phase: "Succeeded",
      collections: 1,
    });

    await runAs(w, person, "shop", { drop: "x", writeConcern: { w: "majority" } });
    expect(await ids(w)).toEqual([]);
    await restore(w);
    expect((await over(w, MongoDBRestore, "back")).status).toMatchObject({
      phase: "Succeeded",
      documents: 3,
    });
    expect(await ids(w)).toEqual([1, 2, 3]);
    // The file has none of the users that belong to the operator.
    const stored = gunzipSync(w.mongo.agents.files.get(file) ?? "");
    expect(stored.includes(subjects.person)).toBe(true);
    for (const own of [subjects.operator, subjects.backup]) expect(stored.includes(own), own).toBe(false);
    expect(w.cluster.errors).toEqual([]);
  });

  test("is not written to by the agent of a backup", async () => {
    const { w, ca, person } = await withCertificates(all);
    await using _ = w;
    await w.create({ members: 1, ...security(tls, x509), users: [certified] });
    await w.settled(1);
    const agent = userPair(ca, "backup");
    expect(await insertAs(w, agent, [1])).toMatchObject({ ok: 0, codeName: "Unauthorized" });
    expect(await runAs(w, agent, "admin", { usersInfo: { forAllDBs: true } })).toMatchObject({ ok: 0 });
    expect(await insertAs(w, person, [1])).toMatchObject({ ok: 1 });
  });

  test("has metrics by a certificate that may only look, and goes back to a password with its members", async () => {
    const { w } = await withCertificates(all);
    await using _ = w;
    await w.create({ prometheus });
    await w.settled(3);
    expect(await exporterSettings(w)).toMatchObject({ login: { user: "mongodb-exporter", db: "admin" } });
    await w.patch({ ...security(tls, x509), users: [certified] });
    await w.settled(3);
    expect(await exporterSettings(w)).toMatchObject({
      login: { user: subjects.exporter, db: "$external" },
      isSecure: true,
    });
    expect((await exporterSpec(w))?.volumes?.find((volume) => volume.name === "login")?.secret).toMatchObject(
      {
        secretName: "exporter-certs",
      },
    );
    expect(rolesOf(w)).toMatchObject({ [`$external.${subjects.exporter}`]: ["clusterMonitor"] });
    expect(rolesOf(w)).not.toHaveProperty("admin.mongodb-exporter");
    await w.patch({ ...security(tls), users: [sampleUser] });
    await w.settled(3);
    expect(await exporterSettings(w)).toMatchObject({ login: { user: "mongodb-exporter", db: "admin" } });
    expect(Object.keys(rolesOf(w)).toSorted()).toEqual([
      "admin.mongodb-exporter",
      "admin.mongodb-operator",
      "admin.my-user",
    ]);
    expect(w.cluster.errors).toEqual([]);
  });

  test("reports which certificate backups and metrics are missing, and goes on when it is there", async () => {
    const { w, ca } = await withCertificates({ "agent-certs": "operator" });
    await using _ = w;
    const schedule = { schedule: "0 3 * * *", target };
    await w.create({ members: 1, ...security(tls, x509), users: [], backup: schedule });
    await w.cluster.condition(MongoDBCommunity, name, "Degraded", "True");
    expect(await w.condition("Degraded")).toMatchObject({
      reason: "CertificateMissing",
      message:
        "there is no certificate for backups in the Secret backup-certs: it needs tls.crt and tls.key. Issue one for clients and name its Secret in security.authentication.backupCertificateSecretRef, or add SCRAM to the modes",
    });
    await setPair(w, "backup-certs", userPair(ca, "backup"));
    await w.settled(1);
    await w.patch({ prometheus });
    await w.cluster.condition(MongoDBCommunity, name, "Degraded", "True");
    expect(await w.condition("Degraded")).toMatchObject({
      reason: "CertificateMissing",
      message: expect.stringMatching(
        /no certificate for the exporter in the Secret exporter-certs.*exporterCertificateSecretRef/,
      ),
    });
    await w.cluster.eventuallyGone(Deployment, "db-exporter");
    await setPair(w, "exporter-certs", userPair(ca, "exporter"));
    await w.settled(1);
    expect((await w.condition("Degraded"))?.status).toBe("False");
    await w.cluster.get(Deployment, "db-exporter");
  });

  test("reports in a backup which certificate it waits for", async () => {
    const { w, ca } = await withCertificates({ "agent-certs": "operator" });
    await using _ = w;
    await w.create({ members: 1, ...security(tls, x509), users: [] });
    await w.settled(1);
    await backUp(w, "one", { timeoutSeconds: 60 });
    const message = expect.stringContaining("no certificate for backups in the Secret backup-certs");
    const waiting = await w.cluster.eventually(
      MongoDBBackup,
      "one",
      ({ status }) => status?.phase === "Pending",
    );
    expect(waiting.status?.message).toEqual(message);
    const failed = await over(w, MongoDBBackup, "one");
    expect(failed.status).toMatchObject({ phase: "Failed", message });
    expect(failed.status?.message).toContain("it took longer than 60 s: ");
    await backUp(w, "two");
    await w.cluster.advance("30s");
    // The agent may come before its user: it waits for it.
    await setPair(w, "backup-certs", userPair(ca, "backup"));
    expect((await over(w, MongoDBBackup, "two")).status).toMatchObject({ phase: "Succeeded" });
  });

  test.each([
    [
      "a certificate of another CA",
      (ca: CertificateAuthority) => userPair(authority("forged"), ca ? "backup" : ""),
      "is not issued by a CA in ca.crt",
    ],
    [
      "the operator's certificate",
      (ca: CertificateAuthority) => userPair(ca, "operator"),
      "has the subject of the operator's: issue it with another, since it shall have fewer rights",
    ],
    [
      "a member's certificate",
      (ca: CertificateAuthority) => pairOf(ca),
      "members would take backups for one of their own",
    ],
  ])("refuses %s for backups", async (_what, pair, message) => {
    const { w, ca } = await withCertificates({ "agent-certs": "operator" });
    await using _ = w;
    await setPair(w, "backup-certs", pair(ca));
    await w.create({
      members: 1,
      ...security(tls, x509),
      users: [],
      backup: { schedule: "0 3 * * *", target },
    });
    await w.cluster.condition(MongoDBCommunity, name, "Degraded", "True");
    expect(await w.condition("Degraded")).toMatchObject({
      reason: "CertificateInvalid",
      message: expect.stringContaining(message),
    });
    await backUp(w, "one");
    const { status } = await w.cluster.eventually(
      MongoDBBackup,
      "one",
      (backup) => backup.status?.message !== undefined,
    );
    expect(status).toMatchObject({ phase: "Pending", message: expect.stringContaining(message) });
  });

  test("keeps the exporter's certificate apart from that of backups, and the names of both from users", async () => {
    const { w, ca } = await withCertificates({ ...all, "exporter-certs": "backup" });
    await using _ = w;
    const reserved = { ...certified, name: subjects.backup };
    await w.create({ members: 1, ...security(tls, x509), users: [reserved], prometheus });
    await w.cluster.condition(MongoDBCommunity, name, "Degraded", "True");
    expect(await w.condition("Degraded")).toMatchObject({ reason: "NameReserved" });
    await w.patch({ users: [certified] });
    await w.cluster.eventually(
      MongoDBCommunity,
      name,
      ({ status }) => status?.message?.includes("has the subject of the backups'") === true,
    );
    expect((await w.condition("Degraded"))?.reason).toBe("CertificateInvalid");
    await setPair(w, "exporter-certs", userPair(ca, "exporter"));
    await w.settled(1);
    expect(rolesOf(w)).toMatchObject({
      [`$external.${subjects.backup}`]: ["backup"],
      [`$external.${subjects.exporter}`]: ["clusterMonitor"],
    });
  });
});

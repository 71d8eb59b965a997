// Users and members that show certificates, in virtual time, with a model in place of mongod. The handshakes over the wire are in
// test/mongodb/x509.test.ts.
import { Pod, Secret } from "@kubewright/api";
import type { CertificateAuthority } from "@kubewright/api/x509";
import { describe, expect, test } from "vitest";
import { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import type { ClusterAuthMode } from "../model/command.js";
import { Application } from "./fixtures/application.js";
import {
  authority,
  loginOf,
  type Pair,
  pairOf,
  security,
  setAuthority,
  setPair,
  tls,
  userPair,
} from "./fixtures/certificates.js";
import { MongoWorld, name, password, sampleUser } from "./fixtures/mongo-world.js";

const members = ["db-0", "db-1", "db-2"];
const x509 = { modes: ["X509"] };
const person = "CN=my-user,O=people";
const certified = {
  name: person,
  db: "$external",
  roles: [{ name: "readWriteAnyDatabase", db: "admin" }],
};

interface Certified {
  readonly w: MongoWorld;
  readonly ca: CertificateAuthority;
  readonly pair: Pair;
}

async function withCertificates(): Promise<Certified> {
  const w = await MongoWorld.start();
  const ca = authority();
  await setPair(w, "certificate", pairOf(ca));
  await setPair(w, "agent-certs", userPair(ca, "operator"));
  await setAuthority(w, ca.certificate);
  return { w, ca, pair: userPair(ca, "my-user") };
}

const authModes = (w: MongoWorld): readonly ClusterAuthMode[] =>
  w.mongo.running.map((member) => w.mongo.mongod(member).clusterAuth);

const usersOn = (w: MongoWorld, member = "db-0"): readonly string[] =>
  [...w.mongo.mongod(member).data.users.keys()].toSorted();

describe("users that show certificates", { timeout: 60_000 }, () => {
  test("are made by an operator that shows one, too, and passwords open nothing", async () => {
    const { w, ca, pair } = await withCertificates();
    await using _ = w;
    await w.create({ ...security(tls, x509), users: [certified] });
    await w.settled(3);
    expect(usersOn(w)).toEqual([`$external.${person}`, "$external.CN=operator,O=people"].toSorted());
    expect(w.taken()[1]).toBe("create-operator-user db-0");
    const application = new Application(w, { login: loginOf(pair), ca: () => ca.certificate });
    expect(await application.write()).toBe(true);
    const stranger = new Application(w, { login: loginOf(userPair(ca, "nobody")), ca: () => ca.certificate });
    expect(await stranger.write()).toBe(false);
    const forged = new Application(w, {
      login: loginOf(userPair(authority("forged"), "my-user")),
      ca: () => ca.certificate,
    });
    expect(await forged.write()).toBe(false);
    await expect(w.run({ user: "my-user", db: "admin", password }, "shop", { find: "x" })).rejects.toThrow(
      "SCRAM-SHA-256 which is not enabled",
    );
    const { data = {} } = await w.cluster.get(Secret, "db-external-cn-my-user-o-people");
    const text = (key: string) => Buffer.from(data[key] ?? "", "base64").toString();
    expect(Object.keys(data).toSorted()).toEqual([
      "connectionString.standard",
      "connectionString.standardSrv",
      "username",
    ]);
    expect(text("username")).toBe(person);
    expect(text("connectionString.standard")).toMatch(
      /^mongodb:\/\/db-0\.[^@]+\/\?replicaSet=db&tls=true&authSource=%24external&authMechanism=MONGODB-X509$/,
    );
    expect(text("connectionString.standardSrv")).toContain("mongodb+srv://db-svc.default");
    expect(w.cluster.errors).toEqual([]);
  });

  test("come to a running set without TLS that has users with passwords, and go again", async () => {
    const { w, ca, pair } = await withCertificates();
    await using _ = w;
    await w.create();
    await w.settled(3);
    const application = new Application(w, { ca: () => ca.certificate });
    await w.patch({ ...security(tls, { modes: ["SCRAM", "X509"] }), users: [sampleUser, certified] });
    await application.writeUntilSettled(3);
    expect(application.longestGap).toBeLessThan(15);
    application.expectNothingLost(members);
    const byCertificate = new Application(w, { login: loginOf(pair), ca: () => ca.certificate });
    // The numbers of the application are taken.
    for (let i = 0; i <= application.acknowledged.length; i++) await byCertificate.write();
    expect(usersOn(w)).toContain("admin.mongodb-operator");
    w.taken();
    await w.patch({
      ...security(tls, { modes: ["SCRAM", "X509"], agentMode: "X509" }),
      users: [sampleUser, certified],
    });
    await w.cluster.advance("5s");
    const { status } = await w.settled(3);
    expect(w.taken()).toEqual([`create-operator-user ${status?.primary}`]);
    expect(usersOn(w)).toEqual(
      expect.arrayContaining(["$external.CN=operator,O=people", "admin.mongodb-operator"]),
    );
    await w.patch({ ...security(tls, x509), users: [certified] });
    await w.settled(3);
    expect(usersOn(w)).toEqual(
      ["$external.CN=operator,O=people", `$external.${person}`, "admin.mongodb-operator"].toSorted(),
    );
    await w.patch({
      ...security({ enabled: false }, { modes: ["SCRAM"], agentMode: null }),
      users: [sampleUser],
    });
    await w.settled(3);
    expect(usersOn(w)).toEqual(["admin.mongodb-operator", "admin.my-user"]);
    await w.run({ user: "my-user", db: "admin", password }, "shop", { find: "x" });
    expect(w.cluster.errors).toEqual([]);
  });

  test("another certificate of the operator is another user, and the one before goes with its memory kept", async () => {
    const { w, ca } = await withCertificates();
    await using _ = w;
    const role = {
      role: "reader",
      db: "shop",
      privileges: [{ resource: { db: "shop", collection: "" }, actions: ["find"] }],
    };
    const with_ = (roles: readonly object[]) => ({
      security: { authentication: x509, tls, roles },
      users: [certified],
    });
    await w.create({ members: 1, ...with_([role]) });
    await w.settled(1);
    await setPair(w, "agent-certs", userPair(ca, "another"));
    await w.cluster.advance("5s");
    await w.settled(1);
    expect(usersOn(w)).toEqual(["$external.CN=another,O=people", `$external.${person}`].toSorted());
    await w.patch(with_([]));
    await w.settled(1);
    expect(w.mongo.mongod("db-0").data.roles.size).toBe(0);
    expect(w.cluster.errors).toEqual([]);
  });

  test.each([
    [
      "the mode without TLS",
      { ...security({ enabled: false }, x509), users: [] },
      "TlsRequired",
      "set security.tls.enabled",
    ],
    ["a user without its mode", { ...security(tls), users: [certified] }, "ModeMissing", "add X509"],
    [
      "a password without its mode",
      { ...security(tls, x509), users: [sampleUser] },
      "ModeMissing",
      "add SCRAM",
    ],
    [
      "no certificate for the operator",
      { ...security(tls, { ...x509, agentCertificateSecretRef: { name: "none" } }), users: [] },
      "CertificateMissing",
      "the Secret none",
    ],
    [
      "a member's certificate for the operator",
      { ...security(tls, { ...x509, agentCertificateSecretRef: { name: "certificate" } }), users: [] },
      "CertificateInvalid",
      "members would take the operator for one of their own",
    ],
    [
      "the operator's name for a user",
      { ...security(tls, x509), users: [{ ...certified, name: "CN=operator,O=people" }] },
      "NameReserved",
      "the operator's own user",
    ],
  ])("%s is reported by name", async (_what, spec, reason, message) => {
    const { w } = await withCertificates();
    await using _ = w;
    await w.create({ members: 1, ...spec });
    await w.cluster.condition(MongoDBCommunity, name, "Degraded", "True");
    expect(await w.condition("Degraded")).toMatchObject({
      reason,
      message: expect.stringContaining(message),
    });
  });
});

describe("members that know each other by certificates", { timeout: 60_000 }, () => {
  const internal = { modes: ["SCRAM"], internalCluster: "X509" };

  test("come to be so on a running set, by the four modes in turn, and stop being so", async () => {
    const { w, ca } = await withCertificates();
    await using _ = w;
    await w.create(security(tls));
    await w.settled(3);
    const seen = new Set<string>();
    w.onStep = () => seen.add([...new Set(authModes(w))].toSorted().join("+"));
    const application = new Application(w, { ca: () => ca.certificate });
    await w.patch(security(tls, internal));
    await application.writeUntilSettled(3);
    expect(authModes(w)).toEqual(["x509", "x509", "x509"]);
    expect([...seen]).toEqual(
      expect.arrayContaining(["keyFile+sendKeyFile", "sendKeyFile+sendX509", "sendX509+x509"]),
    );
    expect([...seen].filter((each) => /keyFile\+(sendX509|x509)|sendKeyFile\+x509/.test(each))).toEqual([]);
    expect(application.longestGap).toBeLessThan(15);
    application.expectNothingLost(members);
    // Without a key file the operator comes in with a member's certificate when its own user is lost.
    w.mongo.mongod("db-0").data.users.delete("admin.mongodb-operator");
    await w.patch(security(tls, { modes: ["SCRAM"], internalCluster: null }));
    await application.writeUntilSettled(3);
    expect(authModes(w)).toEqual(["keyFile", "keyFile", "keyFile"]);
    expect(w.cluster.errors).toEqual([]);
  });

  test("begin so at once, and read another certificate of the same organization", async () => {
    const { w, ca } = await withCertificates();
    await using _ = w;
    await w.create({ version: "5.0.31", ...security(tls, internal) });
    await w.settled(3);
    expect(authModes(w)).toEqual(["x509", "x509", "x509"]);
    expect(w.taken().filter((step) => step.startsWith("restart"))).toEqual([]);
    await setPair(w, "certificate", pairOf(ca));
    await w.cluster.advance("5s");
    await w.settled(3);
    expect(w.taken().filter((step) => step.startsWith("reload"))).toHaveLength(3);
    await w.cluster.delete(Pod, "db-1");
    await w.cluster.advance("5s");
    await w.settled(3);
  });

  test("are given no certificate by which they would not know each other", async () => {
    const { w, ca } = await withCertificates();
    await using _ = w;
    await w.create({ version: "5.0.31", ...security(tls, internal) });
    await w.settled(3);
    w.taken();
    for (const organizations of [["others"], []]) {
      await setPair(w, "certificate", pairOf(ca, { organizations }));
      await w.cluster.advance("30s");
      expect(await w.condition("Degraded")).toMatchObject({
        reason: "CertificateInvalid",
        message: expect.stringMatching(/would not know one with O=others|has no organization/),
      });
    }
    expect(w.taken()).toEqual([]);
    await setPair(w, "certificate", pairOf(ca));
    await w.cluster.advance("5s");
    await w.settled(3);
  });
});

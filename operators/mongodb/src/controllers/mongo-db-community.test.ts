// MongoDBCommunity objects in virtual time, on simulated nodes, with a model in place of mongod.
import {
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  Secret,
  Service,
  StatefulSet,
} from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import { MongoWorld, name, namespace, password, sampleUser } from "./fixtures/mongo-world.js";

const user = { user: "my-user", db: "admin", password };
const text = (secret: Secret, key: string) =>
  Buffer.from(secret.data?.[key] ?? "", "base64").toString("utf8");

describe("a MongoDBCommunity", () => {
  test("begins with one member, makes its users, and grows by members that get their vote when they have the data", async () => {
    await using w = await MongoWorld.start();
    await w.create();
    const { status } = await w.settled(3);
    expect(w.taken()).toEqual([
      "initiate db-0",
      "create-operator-user db-0",
      "create-user my-user",
      "add-member db-1",
      "promote db-1",
      "add-member db-2",
      "promote db-2",
    ]);
    expect(status).toMatchObject({
      phase: "Running",
      version: "4.2.6",
      currentMongoDBMembers: 3,
      currentStatefulSetReplicas: 3,
      primary: "db-0",
      mongoUri: `mongodb://${[0, 1, 2].map((n) => `db-${n}.db-svc.default.svc.cluster.local:27017`).join(",")}/?replicaSet=db`,
    });
    expect(status?.members?.map(({ state, voting }) => `${state} ${voting}`)).toEqual([
      "PRIMARY true",
      "SECONDARY true",
      "SECONDARY true",
    ]);
    expect(await w.events()).toEqual(
      expect.arrayContaining([
        "Initiated",
        "OperatorUserSet",
        "UserCreated",
        "MemberAdded",
        "MemberPromoted",
      ]),
    );
    expect((await w.cluster.get(Service, "db-svc")).spec).toMatchObject({
      clusterIP: "None",
      publishNotReadyAddresses: true,
    });
    expect((await w.cluster.get(PodDisruptionBudget, name)).spec?.minAvailable).toBe(2);
    const claims = await w.cluster.list(PersistentVolumeClaim);
    expect(claims.map(({ metadata }) => metadata?.name).toSorted()).toEqual(
      [0, 1, 2].map((n) => `data-volume-db-${n}`),
    );
    await w.run(user, "shop", { insert: "x", documents: [{ _id: 1 }], writeConcern: { w: "majority" } });
    expect((await w.condition("Simulated"))?.status).toBe("True");
    expect(w.cluster.errors).toEqual([]);
  });
});

describe("users and roles", () => {
  test("follow the spec and their Secrets: password, roles, mechanisms, removal", async () => {
    await using w = await MongoWorld.start();
    await w.create({ members: 1 });
    await w.settled(1);
    w.taken();
    await w.secret("my-user-password", "another one");
    await w.cluster.advance("5s");
    expect(w.taken()).toEqual(["update-user my-user"]);
    await expect(w.run(user, "shop", { ping: 1 })).rejects.toThrow("Authentication failed");
    const changed = { ...user, password: "another one" };
    await w.run(changed, "shop", { insert: "x", documents: [{ _id: 1 }] });
    const role = {
      role: "reader",
      db: "shop",
      privileges: [{ resource: { db: "shop", collection: "" }, actions: ["find"] }],
    };
    await w.patch({
      security: { roles: [role] },
      users: [{ ...sampleUser, roles: [{ name: "reader", db: "shop" }] }],
    });
    await w.settled(1);
    expect(w.taken()).toEqual(["create-role reader", "update-user my-user"]);
    await expect(w.run(changed, "shop", { insert: "x", documents: [{ _id: 2 }] })).rejects.toThrow(
      "not authorized",
    );
    await w.run(changed, "shop", { find: "x" });
    await w.patch({ security: { authentication: { modes: ["SCRAM-SHA-1"] }, roles: [] }, users: [] });
    await w.settled(1);
    expect(w.taken()).toEqual(["drop-user my-user", "drop-role reader"]);
    expect([...w.mongo.mongod("db-0").data.users.keys()]).toEqual(["admin.mongodb-operator"]);
    expect(w.mongo.mongod("db-0").data.roles.size).toBe(0);
    expect(w.cluster.errors).toEqual([]);
  });

  test("a user made by hand is left alone", async () => {
    await using w = await MongoWorld.start();
    await w.create({ members: 1, users: [{ ...sampleUser, roles: [{ name: "root", db: "admin" }] }] });
    await w.settled(1);
    w.taken();
    await w.run(user, "shop", { createUser: "theirs", pwd: "p", roles: [] });
    await w.cluster.advance("2m");
    expect(w.taken()).toEqual([]);
    expect(w.mongo.mongod("db-0").data.users.has("shop.theirs")).toBe(true);
  });

  test("a password is awaited and reported, and no longer needed once its user is there", async () => {
    await using w = await MongoWorld.start();
    await w.create({
      members: 1,
      users: [{ ...sampleUser, passwordSecretRef: { name: "later", key: "word" } }],
    });
    await w.cluster.condition(MongoDBCommunity, name, "Degraded", "True");
    expect((await w.get()).status).toMatchObject({
      phase: "Failed",
      message: "the user my-user is not made: there is no password in the Secret later",
    });
    await w.cluster.create(Secret, { name: "later", stringData: { word: "at last" } });
    await w.settled(1);
    await w.run({ ...user, password: "at last" }, "shop", { find: "x" });
    w.taken();
    await w.cluster.delete(Secret, "later");
    await w.cluster.advance("2m");
    expect(w.taken()).toEqual([]);
    await w.run({ ...user, password: "at last" }, "shop", { find: "x" });
    expect((await w.get()).status?.phase).toBe("Running");
  });

  test("get Secrets with connection strings, and with what their password became", async () => {
    await using w = await MongoWorld.start();
    await w.create({ users: [{ ...sampleUser, connectionStringSecretName: "to-connect" }] });
    await w.settled(3);
    const secret = await w.cluster.get(Secret, "to-connect");
    const hosts = [0, 1, 2].map((n) => `db-${n}.db-svc.default.svc.cluster.local:27017`).join(",");
    expect(text(secret, "connectionString.standard")).toBe(
      `mongodb://my-user:${password}@${hosts}/?replicaSet=db&authSource=admin`,
    );
    expect(text(secret, "connectionString.standardSrv")).toBe(
      `mongodb+srv://my-user:${password}@db-svc.default.svc.cluster.local/?replicaSet=db&ssl=false&authSource=admin`,
    );
    const stored = w.mongo.mongod("db-0").data.users.get("admin.my-user")?.credentials["SCRAM-SHA-256"];
    const credentials = await w.cluster.get(Secret, "my-scram-scram-credentials");
    expect(text(credentials, "sha-256-stored-key")).toBe(stored?.storedKey);
    await w.patch({ users: [] });
    await w.cluster.eventuallyGone(Secret, "to-connect");
    await w.cluster.eventuallyGone(Secret, "my-scram-scram-credentials");
  });
});

describe("members", () => {
  test("grow and shrink one vote at a time; a primary steps down before it goes", async () => {
    await using w = await MongoWorld.start();
    await w.create();
    await w.settled(3);
    w.taken();
    await w.patch({ members: 5 });
    await w.settled(5);
    expect(w.taken()).toEqual(["add-member db-3", "promote db-3", "add-member db-4", "promote db-4"]);
    await w.elect("db-4");
    await w.patch({ members: 3 });
    await w.settled(3);
    expect(w.taken()).toEqual(["step-down db-4", "remove-member db-4", "remove-member db-3"]);
    const pods = await w.cluster.list(Pod);
    expect(pods.map(({ metadata }) => metadata?.name).toSorted()).toEqual(["db-0", "db-1", "db-2"]);
    expect(w.cluster.errors).toEqual([]);
  });

  test("an even number of votes is made, and said", async () => {
    await using w = await MongoWorld.start();
    await w.create({ members: 2 });
    await w.settled(2);
    expect(await w.condition("Degraded")).toMatchObject({ status: "True", reason: "EvenVotes" });
    await w.patch({ arbiters: 1 });
    const { status } = await w.settled(3);
    expect(status?.members?.map(({ name: pod, state }) => `${pod} ${state}`)).toEqual([
      expect.stringContaining("db-0"),
      expect.stringContaining("db-1"),
      "db-arb-0 ARBITER",
    ]);
    expect(status).toMatchObject({ currentMongoDBMembers: 2, currentMongoDBArbiters: 1 });
    expect(await w.condition("Degraded")).toMatchObject({ status: "False" });
    await w.patch({ arbiters: 0, members: 1 });
    await w.settled(1);
  });

  test("an arbiter comes to 5.0 only when the default write concern is set, which stays what it was", async () => {
    await using w = await MongoWorld.start();
    await w.create({ members: 2, version: "5.0.31" });
    await w.settled(2);
    w.taken();
    await w.patch({ arbiters: 1 });
    await w.settled(3);
    expect(w.taken()).toEqual(["set-write-concern", "add-arbiter db-arb-0"]);
    expect(w.mongo.mongod("db-0").data.writeConcern).toMatchObject({ w: "majority" });
    expect(w.cluster.errors).toEqual([]);
  });

  test("a version is taken by secondaries first, the primary last, and the compatibility version only when asked", async () => {
    await using w = await MongoWorld.start();
    await w.create();
    const before = (await w.settled(3)).status?.primary;
    w.taken();
    await w.patch({ version: "4.4.29" });
    const { status } = await w.settled(3);
    expect(w.taken()).toEqual(["restart db-2", "restart db-1", `step-down ${before}`, `restart ${before}`]);
    expect(status).toMatchObject({ version: "4.4.29", featureCompatibilityVersion: "4.2" });
    await w.patch({ version: "5.0.31" });
    await w.cluster.condition(MongoDBCommunity, name, "Degraded", "True");
    expect((await w.get()).status?.message).toBe(
      '4.4.29 cannot become 5.0.31 while the feature compatibility version is 4.2: set featureCompatibilityVersion to "4.4" first',
    );
    expect(w.taken()).toEqual([]);
    await w.patch({ version: "4.4.29", featureCompatibilityVersion: "4.4" });
    expect((await w.settled(3)).status?.featureCompatibilityVersion).toBe("4.4");
    expect(w.taken()).toEqual(["set-compatibility"]);
    await w.patch({ version: "6.0.20" });
    await w.cluster.condition(MongoDBCommunity, name, "Degraded", "True");
    expect((await w.condition("Degraded"))?.message).toBe(
      "4.4.29 cannot become 6.0.20 at once: set the version to the newest 5.0.x, then 6.0.20",
    );
    await w.patch({ version: "4.2.6" });
    await w.cluster.advance("1m");
    expect(w.taken()).toEqual([]);
    expect(await w.condition("Degraded")).toMatchObject({ reason: "Downgrade" });
    expect(w.cluster.errors).toEqual([]);
  });

  test("an option of mongod rolls through the members; those of the operator are refused and said", async () => {
    await using w = await MongoWorld.start();
    await w.create();
    await w.settled(3);
    w.taken();
    await w.patch({
      additionalMongodConfig: {
        "storage.wiredTiger.engineConfig.journalCompressor": "zlib",
        setParameter: { ttlMonitorEnabled: false },
      },
    });
    await w.settled(3);
    expect(w.taken()).toHaveLength(4);
    const { data = {} } = await w.cluster.get(Secret, "db-config");
    expect(Object.keys(data)).toHaveLength(1);
    const config = JSON.parse(Buffer.from(Object.values(data)[0] ?? "", "base64").toString("utf8"));
    expect(config).toMatchObject({
      storage: { dbPath: "/data", wiredTiger: { engineConfig: { journalCompressor: "zlib" } } },
      setParameter: { ttlMonitorEnabled: false },
      replication: { replSetName: "db" },
    });
    await w.patch({ additionalMongodConfig: { net: { port: 1 }, "security.keyFile": "/mine" } });
    await w.cluster.condition(MongoDBCommunity, name, "Degraded", "True");
    expect((await w.condition("Degraded"))?.message).toBe(
      "the operator sets net.port, security.keyFile itself; other options are taken",
    );
  });
});

describe("failures", () => {
  test("everything the operator made is made again when it is deleted, and nobody loses a vote or a login", async () => {
    await using w = await MongoWorld.start();
    await w.create();
    await w.settled(3);
    await w.run(user, "shop", { insert: "x", documents: [{ _id: 1 }], writeConcern: { w: "majority" } });
    const keyfile = text(await w.cluster.get(Secret, "db-keyfile"), "keyfile");
    for (const [kind, child] of [
      [StatefulSet, "db"],
      [Service, "db-svc"],
      [Secret, "db-keyfile"],
      [Secret, "db-operator-user"],
      [Secret, "db-config"],
      [Secret, "db-admin-my-user"],
      [PodDisruptionBudget, "db"],
    ] as const) {
      const { metadata } = await w.cluster.get(kind as typeof Secret, child);
      await w.cluster.delete(kind as typeof Secret, child);
      await w.cluster.eventually(kind as typeof Secret, child, (now) => now.metadata?.uid !== metadata?.uid);
      await w.settled(3);
    }
    expect(text(await w.cluster.get(Secret, "db-keyfile"), "keyfile")).toBe(keyfile);
    const { cursor } = await w.run(user, "shop", { find: "x" });
    expect(cursor).toMatchObject({ firstBatch: [{ _id: 1 }] });
    expect(w.taken().filter((step) => step.startsWith("initiate"))).toEqual(["initiate db-0"]);
    expect(w.cluster.errors).toEqual([]);
  });

  test("a primary that is lost is followed by another; its pod comes back as a secondary", async () => {
    await using w = await MongoWorld.start();
    await w.create();
    const { primary = "" } = (await w.settled(3)).status ?? {};
    w.taken();
    await w.cluster.delete(Pod, primary);
    await w.cluster.eventually(
      MongoDBCommunity,
      name,
      ({ status }) => status?.primary !== undefined && status.primary !== primary,
    );
    await w.settled(3);
    expect(w.taken()).toEqual([]);
    await w.run(user, "shop", { insert: "x", documents: [{ _id: 1 }], writeConcern: { w: "majority" } });
  });

  test("a member lost with its volume copies the data again", async () => {
    await using w = await MongoWorld.start();
    await w.create();
    await w.settled(3);
    await w.run(user, "shop", { insert: "x", documents: [{ _id: 1 }], writeConcern: { w: "majority" } });
    await w.cluster.client.delete(PersistentVolumeClaim, "data-volume-db-2", { namespace });
    await w.cluster.delete(Pod, "db-2");
    await w.cluster.advance("10s");
    await w.settled(3);
    expect(w.mongo.mongod("db-2").data.collections.get("shop.x")?.documents.size).toBe(1);
    expect(w.taken().filter((step) => step.startsWith("remove"))).toEqual([]);
  });

  test("a lost majority is said at once, nothing is removed, and it heals when members return", async () => {
    await using w = await MongoWorld.start();
    await w.create();
    await w.settled(3);
    w.taken();
    w.mongo.pause("db-1");
    w.mongo.pause("db-2");
    await w.cluster.condition(MongoDBCommunity, name, "MajorityLost", "True", { timeout: "1m" });
    expect((await w.get()).status).toMatchObject({ phase: "Failed" });
    await w.cluster.condition(MongoDBCommunity, name, "Available", "False");
    await w.cluster.advance("10m");
    expect(w.taken()).toEqual([]);
    w.mongo.resume("db-1");
    await w.cluster.condition(MongoDBCommunity, name, "MajorityLost", "False", { timeout: "2m" });
    w.mongo.resume("db-2");
    await w.settled(3);
    expect(await w.events()).toEqual(expect.arrayContaining(["MajorityLost", "MajorityRegained"]));
  });

  test("goes on by force from one member only when that is confirmed", async () => {
    await using w = await MongoWorld.start();
    await w.create();
    await w.settled(3);
    await w.run(user, "shop", { insert: "x", documents: [{ _id: 1 }], writeConcern: { w: "majority" } });
    w.taken();
    for (const member of ["db-0", "db-2"]) w.mongo.pause(member);
    await w.cluster.condition(MongoDBCommunity, name, "MajorityLost", "True", { timeout: "1m" });
    await w.annotate({ "mongodb.com/force-reconfig-from": "db-1" });
    await w.cluster.eventually(MongoDBCommunity, name, ({ status }) => status?.primary === "db-1", {
      timeout: "2m",
    });
    for (const member of ["db-0", "db-2"]) w.mongo.resume(member);
    await w.settled(3);
    expect(w.taken()).toEqual([
      "force db-1",
      "add-member db-0",
      "promote db-0",
      "add-member db-2",
      "promote db-2",
    ]);
    expect((await w.get()).status?.forcedBy).toBe("db-1");
    expect((await w.run(user, "shop", { find: "x" }))["cursor"]).toMatchObject({ firstBatch: [{ _id: 1 }] });
  });

  test("an object made again over volumes that stayed finds its data, its users and a way in", async () => {
    await using w = await MongoWorld.start();
    await w.create();
    await w.settled(3);
    await w.run(user, "shop", { insert: "x", documents: [{ _id: 1 }], writeConcern: { w: "majority" } });
    await w.cluster.delete(MongoDBCommunity, name);
    await w.cluster.eventuallyGone(Pod, "db-0");
    await w.cluster.eventuallyGone(Secret, "db-keyfile");
    w.taken();
    await w.create();
    await w.settled(3);
    expect(w.taken()).toEqual(["create-operator-user db-0"]);
    expect((await w.run(user, "shop", { find: "x" }))["cursor"]).toMatchObject({ firstBatch: [{ _id: 1 }] });
  });

  test("while paused nothing is changed", async () => {
    await using w = await MongoWorld.start();
    await w.create();
    await w.settled(3);
    w.taken();
    await w.patch({ paused: true, members: 5 });
    await w.cluster.advance("2m");
    expect(w.taken()).toEqual([]);
    expect((await w.cluster.get(StatefulSet, name)).spec?.replicas).toBe(3);
    await w.patch({ paused: false });
    await w.settled(5);
  });
});

// Backup and restore over the driver, with logins and TLS: one suite against the model of mongod, and against real mongod where there is
// one. What is shown for "the model" says how the agent and the model behave, nothing more.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { BSON } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AgentFolders, runTask } from "../../operators/mongodb/src/backup/agent.js";
import type { AgentReport, AgentTask } from "../../operators/mongodb/src/backup/agent-task.js";
import type {
  ClientTls,
  Document,
  MongoMember,
  ReadableMember,
} from "../../operators/mongodb/src/client/mongo-member.js";
import { errorCodes } from "../../operators/mongodb/src/client/mongo-member.js";
import { authority, pairOf } from "../../operators/mongodb/src/controllers/fixtures/certificates.js";
import { operatorUser } from "../../operators/mongodb/src/replica-set/names.js";
import { Bucket } from "../../packages/runtime/src/backup/fixtures/bucket.js";
import { implementations, skipWithoutMongod } from "./implementations.js";
import { eventually, type Members, setName } from "./members.js";

skipWithoutMongod();

const operator = { user: operatorUser, db: "admin", password: "of the operator" };
const majority = { w: "majority", wtimeout: 10_000 };
const folder = mkdtempSync(join(tmpdir(), "kubewright-mongodb-backup-"));
const files = { certificateKeyFile: join(folder, "server.pem"), caFile: join(folder, "ca.crt") };
const credentials = { accessKeyId: "key", secretAccessKey: "secret" };
let tls: ClientTls;
let bucket: Bucket;

beforeAll(async () => {
  const notBefore = Date.now() - 60_000;
  const ca = authority("test", notBefore);
  const { certificate, key } = pairOf(ca, { hosts: ["localhost", "127.0.0.1"], notBefore });
  writeFileSync(files.certificateKeyFile, `${certificate}${key}`);
  writeFileSync(files.caFile, ca.certificate);
  tls = { ca: ca.certificate, certificate: undefined, key: undefined };
  bucket = await Bucket.start(credentials);
});
afterAll(async () => {
  await bucket?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.each(implementations)("backup and restore with %s", { timeout: 60_000 }, (name, make) => {
  const isReal = name !== "the model";
  let number = 0;

  /** The folders of an agent's pod. */
  function agentFolders(): AgentFolders {
    number += 1;
    const own = join(folder, String(number));
    const at = (name: string): string => {
      mkdirSync(join(own, name), { recursive: true });
      return join(own, name);
    };
    const folders = {
      login: at("login"),
      tls: at("tls"),
      scratch: at("scratch"),
      snapshots: at("snapshots"),
      credentials: at("credentials"),
    };
    writeFileSync(join(folders.login, "password"), operator.password);
    writeFileSync(join(folders.tls, "ca.crt"), readFileSync(files.caFile));
    for (const [name, value] of Object.entries(credentials))
      writeFileSync(join(folders.credentials, name), value);
    return folders as unknown as AgentFolders;
  }

  interface World {
    readonly members: Members;
    readonly primary: MongoMember;
    readonly hosts: readonly string[];
  }

  /** A set of members that take nothing but TLS, with the operator's user. */
  async function begun(names: readonly string[] = ["a"], version?: string): Promise<World> {
    const members = make();
    for (const name of names) await members.start(name, { version, tls: { mode: "requireTLS", ...files } });
    const hosts = await Promise.all(names.map((name) => members.host(name)));
    const inside = await members.as(names[0] ?? "", undefined, tls);
    const config = {
      _id: setName,
      members: hosts.map((host, _id) => ({ _id, host, priority: _id === 0 ? 2 : 1 })),
    };
    await inside.command("admin", { replSetInitiate: config });
    const user = {
      createUser: operator.user,
      pwd: operator.password,
      roles: ["root"],
      mechanisms: ["SCRAM-SHA-256"],
      writeConcern: majority,
    };
    await eventually(() => inside.command("admin", user));
    return { members, hosts, primary: await members.as(names[0] ?? "", operator, tls) };
  }

  const store = { kind: "claim", folder: "db" } as const;
  const take = (
    hosts: readonly string[],
    at: AgentFolders,
    more: Partial<AgentTask> = {},
  ): Promise<AgentReport> =>
    runTask(
      {
        kind: "backup",
        store,
        file: "one.backup.gz",
        hosts,
        isSecure: true,
        login: { user: operatorUser, db: "admin" },
        replicaSet: setName,
        retention: undefined,
        timeout: 20_000,
        ...more,
      } as AgentTask,
      at,
    );
  const restore = (hosts: readonly string[], at: AgentFolders, more: object = {}): Promise<AgentReport> =>
    runTask(
      {
        kind: "restore",
        store,
        file: "one.backup.gz",
        sha256: undefined,
        hosts,
        isSecure: true,
        login: { user: operatorUser, db: "admin" },
        replace: false,
        timeout: 20_000,
        ...more,
      } as AgentTask,
      at,
    );

  const documents = [
    { _id: new BSON.ObjectId(), double: new BSON.Double(1), long: BSON.Long.fromNumber(5), int: 5 },
    {
      _id: "text",
      date: new Date(5),
      list: [1, { a: null }],
      decimal: BSON.Decimal128.fromString("1.10"),
      bytes: new BSON.Binary(Buffer.from("x")),
    },
    { _id: { a: 1, b: 2 }, nested: { deep: { deeper: true } }, regex: new BSON.BSONRegExp("^a", "i") },
  ];
  const indexes = [
    {
      key: { a: 1, b: -1 },
      name: "a_1_b_-1",
      unique: true,
      partialFilterExpression: { a: { $exists: true } },
    },
    { key: { at: 1 }, name: "at_1", expireAfterSeconds: 3600 },
  ];
  /** Fields that look like numbers, of which JavaScript would change the order. The model is written in it, and changes it before. */
  const numbered = new Map([
    ["b", 1],
    ["10", -1],
    ["2", 1],
  ]);
  const validator = { $jsonSchema: { bsonType: "object" } };

  async function fill(primary: MongoMember): Promise<void> {
    const run = (db: string, command: Document) =>
      primary.command(db, { ...command, writeConcern: majority });
    await run("shop", { create: "orders", validator, validationLevel: "moderate" });
    await run("shop", { insert: "orders", documents });
    await run("shop", { createIndexes: "orders", indexes });
    await run("shop", { create: "last", capped: true, size: 4096, max: 10 });
    await run("shop", { insert: "last", documents: [{ _id: 1 }] });
    await run("shop", { create: "view", viewOn: "orders", pipeline: [{ $match: { int: 5 } }] });
    await run("shop", { create: "empty" });
    await run("shop", { createIndexes: "empty", indexes: [{ key: numbered, name: "numbered" }] });
    // More than one batch of a cursor.
    for (let at = 0; at < 2_500; at += 500)
      await run("numbers", {
        insert: "many",
        documents: Array.from({ length: 500 }, (_, each) => ({ _id: at + each })),
      });
    const privileges = [{ resource: { db: "shop", collection: "" }, actions: ["find"] }];
    await run("shop", { createRole: "reader", privileges, roles: [] });
    const user = { pwd: "pässword", mechanisms: ["SCRAM-SHA-256"] };
    await run("admin", {
      createUser: "by-hand",
      ...user,
      roles: [{ role: "reader", db: "shop" }],
      customData: { of: "us" },
    });
    await run("admin", {
      createUser: "by-operator",
      ...user,
      roles: [],
      customData: { managedBy: "mongodb-operator" },
    });
  }

  const all = async (member: MongoMember, db: string, command: Document): Promise<readonly Document[]> =>
    ((await member.command(db, command))["cursor"] as { firstBatch: readonly Document[] }).firstBatch;
  const typed = (values: readonly unknown[]) =>
    values.map((value) => BSON.EJSON.stringify(value as object, { relaxed: false })).toSorted();

  const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
  async function rawIndexes(member: MongoMember): Promise<readonly string[]> {
    const found: string[] = [];
    const { documents: read } = member as ReadableMember;
    for await (const bytes of read.call(member, "shop", { listIndexes: "empty" })) found.push(hexOf(bytes));
    return found;
  }

  async function expectContents({ primary, members }: World, from: World): Promise<void> {
    expect(typed(await all(primary, "shop", { find: "orders" }))).toEqual(
      typed(BSON.deserialize(BSON.serialize({ documents }))["documents"]),
    );
    const found = await all(primary, "shop", { listIndexes: "orders" });
    expect(found).toMatchObject([{ name: "_id_" }, ...indexes]);
    const collections = await all(primary, "shop", { listCollections: 1 });
    const options = Object.fromEntries(collections.map(({ name, options: own }) => [String(name), own]));
    expect(options).toMatchObject({
      orders: { validator, validationLevel: "moderate" },
      last: { capped: true, size: 4096, max: 10 },
      view: { viewOn: "orders", pipeline: [{ $match: { int: 5 } }] },
      empty: {},
    });
    expect(await primary.command("numbers", { count: "many" })).toMatchObject({ n: 2_500 });
    expect(await rawIndexes(primary)).toEqual(await rawIndexes(from.primary));
    if (isReal) expect((await rawIndexes(primary)).join()).toContain(hexOf(BSON.serialize(numbered)));
    const user = await members.as("a", { user: "by-hand", db: "admin", password: "pässword" }, tls);
    await user.command("shop", { find: "orders" });
    await expect(user.command("numbers", { find: "many" })).rejects.toMatchObject({
      code: errorCodes.unauthorized,
    });
    const { users } = await primary.command("admin", { usersInfo: { forAllDBs: true } });
    // One that the operator had made is one made by hand now, which it does not drop.
    expect(users).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ user: "by-hand", customData: { of: "us" } }),
        expect.not.objectContaining({ customData: { managedBy: "mongodb-operator" } }),
      ]),
    );
    expect((users as readonly Document[]).map(({ user: name }) => name).toSorted()).toEqual([
      "by-hand",
      "by-operator",
      operatorUser,
    ]);
    expect(
      await primary.command("admin", { listCollections: 1, filter: { name: "kubewright_restored_users" } }),
    ).toMatchObject({ cursor: { firstBatch: [] } });
  }

  test("documents, types, indexes, options, views, users and roles come back, from a claim and from a bucket", async () => {
    const from = await begun();
    const to = await begun();
    try {
      await fill(from.primary);
      for (const place of [
        store,
        {
          kind: "s3",
          endpoint: bucket.endpoint,
          bucket: "mongodb",
          prefix: "db",
          region: "eu-west-1",
        } as const,
      ]) {
        const at = agentFolders();
        const taken = await take(from.hosts, at, { store: place });
        expect(taken).toMatchObject({
          consistency: expect.stringMatching(/Snapshot|Majority/),
          databases: 2,
          collections: 5,
          documents: 2_507,
          member: from.hosts[0],
        });
        const options = { store: place, sha256: taken.sha256, replace: place !== store };
        const done = await restore(to.hosts, at, options);
        expect(done).toMatchObject({
          databases: 2,
          collections: 5,
          documents: 2_504,
          users: place === store ? 2 : 0,
          roles: place === store ? 1 : 0,
        });
        await expectContents(to, from);
        const file = place === store ? readFileSync(join(at.snapshots, "db", "one.backup.gz")) : undefined;
        // The file has nothing of the operator's password.
        if (file)
          expect(gunzipSync(file).includes(`admin.${operatorUser}`), "the operator's own user").toBe(false);
      }
    } finally {
      await from.members.close();
      await to.members.close();
    }
  });

  test("a restore is refused where data is and where the file is damaged, and changes nothing then", async () => {
    const world = await begun();
    const { hosts, primary } = world;
    try {
      const insert = (db: string, _id: number) =>
        primary.command(db, { insert: "x", documents: [{ _id }], writeConcern: majority });
      await insert("shop", 1);
      const at = agentFolders();
      const { sha256 } = await take(hosts, at);
      const file = join(at.snapshots, "db", "one.backup.gz");
      const whole = readFileSync(file);
      await expect(restore(hosts, at)).rejects.toThrow(
        "the database shop of the backup is not empty: drop it, or set spec.replace",
      );
      await insert("shop", 2);
      const damaged: [Buffer, RegExp, string | undefined][] = [
        [whole.subarray(0, whole.length - 30), /one\.backup\.gz is cut short/, undefined],
        [
          Buffer.from(whole.map((byte, index) => (index === 60 ? byte ^ 255 : byte))),
          /is damaged/,
          undefined,
        ],
        [Buffer.concat([whole, Buffer.of(0)]), /is damaged: its sha256 is .* was recorded/, sha256],
      ];
      for (const [bytes, message, recorded] of damaged) {
        writeFileSync(file, bytes);
        await expect(restore(hosts, at, { replace: true, sha256: recorded })).rejects.toThrow(message);
        expect(await primary.command("shop", { count: "x" })).toMatchObject({ n: 2 });
      }
      writeFileSync(file, whole);
      await insert("other", 1);
      await restore(hosts, at, { replace: true, sha256 });
      expect(await primary.command("shop", { count: "x" })).toMatchObject({ n: 1 });
      expect(await primary.command("other", { count: "x" })).toMatchObject({ n: 1 });
      await expect(restore(hosts, at, { file: "none.backup.gz" })).rejects.toThrow("none.backup.gz");
    } finally {
      await world.members.close();
    }
  });

  test("a wrong password and a stranger's certificate are refused, and no secret is in the error", async () => {
    const world = await begun();
    try {
      const at = agentFolders();
      writeFileSync(join(at.login, "password"), "another-password");
      const error: unknown = await take(world.hosts, at, { timeout: 500 }).catch((cause: unknown) => cause);
      expect(String(error)).toMatch(/no primary answers.*Authentication failed/);
      expect(String(error)).not.toContain("another-password");
      writeFileSync(join(at.login, "password"), operator.password);
      writeFileSync(join(at.tls, "ca.crt"), authority("another").certificate);
      await expect(take(world.hosts, at, { timeout: 500 })).rejects.toThrow("no primary answers");
    } finally {
      await world.members.close();
    }
  });
});

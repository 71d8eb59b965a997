// The operator with MongoDB's driver, port-forwards and the wire protocol, against members in pods of process nodes: the model of mongod,
// and real mongod where there is one. Results for "the model" say how the operator works with the model, nothing more.
import { PersistentVolumeClaim, Pod, Secret } from "@kubewright/api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MongoDBBackup } from "../../operators/mongodb/src/api/v1/mongo-db-backup.js";
import { MongoDBCommunity } from "../../operators/mongodb/src/api/v1/mongo-db-community.js";
import { MongoDBRestore } from "../../operators/mongodb/src/api/v1/mongo-db-restore.js";
import { errorCodes, type Login } from "../../operators/mongodb/src/client/mongo-member.js";
import { authority, pairOf } from "../../operators/mongodb/src/controllers/fixtures/certificates.js";
import { compareVersions } from "../../operators/mongodb/src/release/series.js";
import { namespace } from "../process-nodes/process-cluster.js";
import { AcknowledgedWrites, written } from "./acknowledged-writes.js";
import { skipWithoutMongod } from "./implementations.js";
import { eventually, realPrograms } from "./members.js";
import { MongoNodes, missing } from "./mongo-nodes.js";

const name = "example-mongodb";
const user = { user: "my-user", db: "admin", password: "change-me-please" };
const spec = {
  members: 3,
  type: "ReplicaSet",
  security: { authentication: { modes: ["SCRAM"] } },
  users: [
    {
      name: "my-user",
      db: "admin",
      passwordSecretRef: { name: "my-user-password" },
      roles: [{ name: "readWriteAnyDatabase", db: "admin" }],
      scramCredentialsSecretName: "my-scram",
    },
  ],
  storage: "1Gi",
};

const isTrue = (conditions: readonly { type: string; status: string }[] | undefined, type: string): boolean =>
  conditions?.some((each) => each.type === type && each.status === "True") ?? false;

const real = realPrograms(process.env);
const worlds: readonly (readonly [string, ReadonlyMap<string, string> | undefined])[] = [
  ["the model", undefined],
  ...(real.size > 0 ? [[`mongod ${[...real.keys()].join(" and ")}`, real] as const] : []),
];
skipWithoutMongod();

describe.skipIf(missing !== undefined).each(worlds)(
  `${missing ?? "the operator on process nodes"}, with %s`,
  { timeout: 300_000 },
  (_name, programs) => {
    let world: MongoNodes;
    const [version = "4.2.6"] = programs?.keys() ?? [];
    beforeAll(async () => {
      world = await MongoNodes.start(programs);
    }, 60_000);
    afterAll(() => world?.close(), 60_000);

    test("the sample becomes three members over the wire, and its user writes to a majority", async () => {
      await world.create(name, { ...spec, version });
      const { status } = await world.settled(name, 3);
      expect(status).toMatchObject({ version, currentMongoDBMembers: 3 });
      const primary = world.member(status?.primary ?? "", user);
      await primary.command("shop", {
        insert: "x",
        documents: [{ _id: 1 }],
        writeConcern: { w: "majority", wtimeout: 5_000 },
      });
      const inside = world.member(status?.primary ?? "", undefined);
      await expect(inside.command("admin", { replSetGetStatus: 1 })).rejects.toMatchObject({
        code: errorCodes.unauthorized,
      });
      expect(world.errors).toEqual([]);
    });

    test("a lost primary is followed by another, and no write that a majority had is lost", async () => {
      const before = (await world.settled(name, 3)).status?.primary ?? "";
      await world.client.delete(Pod, before, { namespace });
      const { status } = await world.until(
        name,
        ({ status: now }) => now?.primary !== undefined && now.primary !== before,
      );
      const next = world.member(status?.primary ?? "", user);
      expect((await next.command("shop", { find: "x" }))["cursor"]).toMatchObject({
        firstBatch: [{ _id: 1 }],
      });
      await world.settled(name, 3);
    });

    test("a backup and a restore run in pods of the operator's image, to a claim and back", async () => {
      const { status } = await world.settled(name, 3);
      await world.client.create(PersistentVolumeClaim, {
        metadata: { name: "backups", namespace },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      });
      const metadata = { name: "one", namespace };
      const target = { claim: { claimName: "backups" } };
      await world.client.create(MongoDBBackup, { metadata, spec: { clusterName: name, target } });
      const taken = await world.over(MongoDBBackup, "one");
      expect(taken).toMatchObject({
        phase: "Succeeded",
        collections: 1,
        consistency: compareVersions(version, "5.0.0") < 0 ? "Majority" : "Snapshot",
      });
      const primary = world.member(status?.primary ?? "", user);
      await primary.command("shop", { drop: "x", writeConcern: { w: "majority", wtimeout: 5_000 } });
      const source = { backupName: "one" };
      await world.client.create(MongoDBRestore, { metadata, spec: { clusterName: name, source } });
      expect(await world.over(MongoDBRestore, "one")).toMatchObject({ phase: "Succeeded", documents: 1 });
      expect((await primary.command("shop", { find: "x" }))["cursor"]).toMatchObject({
        firstBatch: [{ _id: 1 }],
      });
      expect(world.errors).toEqual([]);
    });

    test("the exporter serves metrics in a pod of the operator's image, to the password its Secret has", async () => {
      const secret = (password: string) =>
        world.client.apply(
          Secret,
          { metadata: { name: "metrics", namespace }, stringData: { password } } as never,
          { fieldManager: "test", force: true },
        );
      await secret("first");
      const prometheus = { username: "prometheus", passwordSecretRef: { name: "metrics" } };
      await world.client.patch(
        MongoDBCommunity,
        name,
        { merge: { spec: { prometheus } } as never },
        { namespace },
      );
      const scrape = () => world.scrape(`${name}-exporter`, "prometheus:first");
      await eventually(async () => expect((await scrape()).status).toBe(200));
      const { text } = await scrape();
      for (const ordinal of [0, 1, 2]) expect(text).toContain(`member="${name}-${ordinal}"} 1`);
      expect((await world.scrape(`${name}-exporter`, "prometheus:second")).status).toBe(401);
      await secret("second");
      await eventually(async () => expect((await scrape()).status).toBe(401));
      expect((await world.scrape(`${name}-exporter`, "prometheus:second")).status).toBe(200);
    });

    // What follows takes minutes where members elect and copy as mongod does.
    const isLong = programs !== undefined || process.env["KUBEWRIGHT_MONGODB_MATRIX"] !== undefined;

    /** Runs a change while a user writes; every write that was acknowledged is there afterwards. */
    async function losingNothing(pods: number, change: () => Promise<MongoDBCommunity>): Promise<void> {
      const all = Array.from({ length: pods }, (_, ordinal) => world.member(`${name}-${ordinal}`, user));
      const writes = new AcknowledgedWrites(() => all);
      const { status } = await change().finally(() => writes.stop());
      const acknowledged = await writes.stop();
      expect(acknowledged.length).toBeGreaterThan(0);
      const there = await written(world.member(status?.primary ?? "", user));
      expect(acknowledged.filter((each) => !there.has(each))).toEqual([]);
    }

    test.skipIf(!isLong)("five members and three again, and no acknowledged write is lost", async () => {
      await losingNothing(3, () => world.change(name, { members: 5 }, 5));
      await losingNothing(3, () => world.change(name, { members: 3 }, 3));
    });

    test.skipIf(!isLong)("a member that lost its volume copies the data again", async () => {
      const { status } = await world.settled(name, 3);
      const lost = [0, 1, 2].map((each) => `${name}-${each}`).find((pod) => pod !== status?.primary) ?? "";
      const { metadata } = await world.client.get(Pod, lost, { namespace });
      await losingNothing(3, async () => {
        await world.client.delete(PersistentVolumeClaim, `data-volume-${lost}`, { namespace });
        await world.client.delete(Pod, lost, { namespace });
        await eventually(async () => {
          const pod = await world.client.get(Pod, lost, { namespace });
          expect(pod.metadata?.uid).not.toBe(metadata?.uid);
        });
        return world.settled(name, 3);
      });
      const read = { count: "written", $readPreference: { mode: "secondaryPreferred" } };
      const answer = await eventually(() => world.member(lost, user).command("shop", read));
      expect(Number(answer["n"])).toBeGreaterThan(0);
    });

    test.skipIf(!isLong)("another password in the Secret is the user's password", async () => {
      const { status } = await world.settled(name, 3);
      const changed = { ...user, password: "changed-it" };
      const setPassword = (password: string) =>
        world.client.patch(
          Secret,
          "my-user-password",
          { merge: { stringData: { password } } as never },
          { namespace },
        );
      const ping = (login: Login) =>
        world.member(status?.primary ?? "", login).command("shop", { count: "x" });
      await setPassword(changed.password);
      await eventually(() => ping(changed), 60_000);
      await expect(ping(user)).rejects.toMatchObject({ kind: "login" });
      await setPassword(user.password);
      await eventually(() => ping(user), 60_000);
    });

    test.skipIf(!isLong)("TLS is taken up by the running set, and given up again", async () => {
      const notBefore = Date.now() - 60_000;
      const ca = authority("test", notBefore);
      const { certificate, key } = pairOf(ca, {
        hosts: [`*.${name}-svc.${namespace}.svc.cluster.local`],
        notBefore,
      });
      await world.client.create(Secret, {
        metadata: { name: "certificate", namespace },
        stringData: { "tls.crt": certificate, "tls.key": key, "ca.crt": ca.certificate },
      });
      const tls = { enabled: true, certificateKeySecretRef: { name: "certificate" } };
      const { status } = await world.change(name, { security: { tls } }, 3);
      const pod = status?.primary ?? "";
      const serverName = `${pod}.${name}-svc.${namespace}.svc.cluster.local`;
      const trust = { ca: ca.certificate, certificate: undefined, key: undefined, serverName };
      await world.member(pod, user, trust).command("shop", { count: "written" });
      await expect(world.member(pod, user).command("shop", { count: "written" })).rejects.toMatchObject({
        kind: "unavailable",
      });
      const { status: after } = await world.change(name, { security: { tls: null } }, 3);
      await world.member(after?.primary ?? "", user).command("shop", { count: "written" });
    });

    const later = programs ? [...programs.keys()][1] : "4.4.29";
    test.skipIf(!isLong || later === undefined)(
      "the next version comes to all members, the primary last",
      async () => {
        const from = world.steps.length;
        await losingNothing(3, () => world.change(name, { version: later }, 3));
        const series = (later ?? "").split(".").slice(0, 2).join(".");
        const { status } = await world.change(name, { featureCompatibilityVersion: series }, 3);
        expect(status?.version).toBe(later);
        const primary = world.member(status?.primary ?? "", user);
        expect(await primary.command("admin", { buildInfo: 1 })).toMatchObject({ version: later });
        const kinds = world.steps.slice(from).map(({ kind }) => kind);
        expect(kinds.filter((kind) => kind === "restart")).toHaveLength(3);
        expect(kinds.indexOf("step-down")).toBeLessThan(kinds.lastIndexOf("restart"));
        expect(kinds.indexOf("step-down")).toBeGreaterThan(kinds.indexOf("restart"));
        expect(world.errors).toEqual([]);
      },
    );

    test.skipIf(!isLong)("an arbiter, a role, another user and options of mongod", async () => {
      const privileges = [{ resource: { db: "shop", collection: "written" }, actions: ["find"] }];
      const reader = {
        name: "reader",
        db: "shop",
        passwordSecretRef: { name: "my-user-password" },
        roles: [{ name: "reading", db: "shop" }],
        scramCredentialsSecretName: "reader-scram",
      };
      const wanted = {
        members: 2,
        arbiters: 1,
        users: [...spec.users, reader],
        security: { roles: [{ role: "reading", db: "shop", privileges, roles: [] }] },
        additionalMongodConfig: {
          "operationProfiling.slowOpThresholdMs": 321,
          setParameter: { ttlMonitorSleepSecs: 59 },
        },
      };
      const { status } = await world.change(name, wanted, 3);
      expect(status).toMatchObject({ currentMongoDBMembers: 2, currentMongoDBArbiters: 1 });
      expect(status?.members?.map(({ state }) => state).toSorted()).toEqual([
        "ARBITER",
        "PRIMARY",
        "SECONDARY",
      ]);
      const login = { user: "reader", db: "shop", password: user.password };
      const member = world.member(status?.primary ?? "", login);
      expect(Number((await member.command("shop", { count: "written" }))["n"])).toBeGreaterThan(0);
      await expect(member.command("shop", { insert: "written", documents: [{}] })).rejects.toMatchObject({
        code: errorCodes.unauthorized,
      });
      await world.change(name, { members: 3, arbiters: 0, users: spec.users, security: { roles: null } }, 3);
      await expect(
        world.member(status?.primary ?? "", login).command("shop", { count: "written" }),
      ).rejects.toMatchObject({ kind: "login" });
    });

    test.skipIf(!isLong)(
      "a lost majority is reported, and one member goes on when that is confirmed",
      async () => {
        const { status } = await world.settled(name, 3);
        const [survivor = "", ...lost] = [2, 1, 0].map((each) => `${name}-${each}`);
        await world.openNodes(false);
        for (const pod of lost) {
          await world.client.delete(PersistentVolumeClaim, `data-volume-${pod}`, { namespace });
          await world.client.delete(Pod, pod, { namespace });
        }
        await world.until(
          name,
          ({ status: now }) => now?.phase === "Failed" && isTrue(now.conditions, "MajorityLost"),
        );
        const annotations = { "mongodb.com/force-reconfig-from": survivor };
        await world.client.patch(
          MongoDBCommunity,
          name,
          { merge: { metadata: { annotations } } },
          { namespace },
        );
        await world.until(name, ({ status: now }) => now?.forcedBy === survivor && now.primary === survivor);
        await world.openNodes(true);
        const whole = await world.settled(name, 3);
        expect(whole.status?.replicaSetId).toBe(status?.replicaSetId);
        expect((await written(world.member(survivor, user))).size).toBeGreaterThan(0);
      },
    );
  },
);

// The operator with MongoDB's driver, port-forwards and the wire protocol, against members in pods of process nodes: the model of mongod,
// and real mongod where there is one. Results for "the model" say how the operator works with the model, nothing more.
import { PersistentVolumeClaim, Pod, Secret } from "@kubewright/api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MongoDBBackup } from "../../operators/mongodb/src/api/v1/mongo-db-backup.js";
import { MongoDBCommunity } from "../../operators/mongodb/src/api/v1/mongo-db-community.js";
import { MongoDBRestore } from "../../operators/mongodb/src/api/v1/mongo-db-restore.js";
import { errorCodes } from "../../operators/mongodb/src/client/mongo-member.js";
import { compareVersions } from "../../operators/mongodb/src/release/series.js";
import { namespace } from "../process-nodes/process-cluster.js";
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
  },
);

// The fault matrix, in virtual time, on the model of mongod: each member and the primary, each fault, while a client writes all the time.
// At the end every write that a majority had acknowledged is on every member, and no user, role or vote is lost. What is shown is how the
// operator and the model behave; it says nothing about mongod.
import { PersistentVolumeClaim, Pod } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import { connection } from "../model/command.js";
import { MongoWorld, name, namespace, password } from "./fixtures/mongo-world.js";

const user = { user: "my-user", db: "admin", password };

type Fault = (w: MongoWorld, member: string) => Promise<void>;

const faults: Readonly<Record<string, Fault>> = {
  "its pod deleted": async (w, member) => {
    await w.cluster.delete(Pod, member);
  },
  "paused for 5 s": async (w, member) => {
    w.mongo.pause(member);
    await w.cluster.advance("5s");
    w.mongo.resume(member);
  },
  "paused for a minute": async (w, member) => {
    w.mongo.pause(member);
    await w.cluster.advance("1m");
    w.mongo.resume(member);
  },
  "its claim and pod deleted": async (w, member) => {
    await w.cluster.client.delete(PersistentVolumeClaim, `data-volume-${member}`, { namespace });
    await w.cluster.delete(Pod, member);
  },
  "its node lost for a minute": async (w, member) => {
    const { spec } = await w.cluster.get(Pod, member);
    w.mongo.pause(member);
    const handle = w.cluster.killNode(spec?.nodeName ?? "");
    await w.cluster.advance("1m");
    handle.remove();
    w.mongo.resume(member);
  },
  "the operator killed and the pod deleted": async (w, member) => {
    w.cluster.crashManager();
    await w.cluster.client.delete(Pod, member, { namespace });
    await w.cluster.advance("20s");
    await w.cluster.startManager();
  },
};

const places = [0, 1, 2, "the primary"] as const;
const all = places.flatMap((place) => Object.keys(faults).map((fault) => ({ place, fault })));
/** Each fault once in every run; `npm run test:mongodb` has all of them. */
const isLong = Boolean(process.env["KUBEWRIGHT_MONGODB_MATRIX"]);
const cases = isLong
  ? all
  : all.filter(({ place, fault }) => place === (fault.includes("claim") ? 2 : "the primary"));

/** Writes to whoever is primary; a write that failed is tried again under another number. */
class Writer {
  readonly acknowledged: number[] = [];
  #next = 1;
  readonly #world: MongoWorld;

  constructor(world: MongoWorld) {
    this.#world = world;
  }

  async write(): Promise<boolean> {
    const _id = this.#next++;
    const { mongo, cluster } = this.#world;
    const primary = mongo.running.find(
      (member) => !mongo.isPaused(member) && mongo.mongod(member).replication.isPrimary,
    );
    if (!primary) return false;
    const from = connection({ isLoopback: false, isTls: false });
    const mongod = mongo.mongod(primary);
    mongod.login(from, user);
    const writeConcern = { w: "majority", wtimeout: 2_000 };
    const answer = await cluster.run(
      mongod.answer(from, { insert: "x", documents: [{ _id }], writeConcern, $db: "shop" }),
    );
    const isAcknowledged = answer["ok"] === 1 && answer["writeConcernError"] === undefined;
    if (isAcknowledged) this.acknowledged.push(_id);
    return isAcknowledged;
  }
}

describe("the fault matrix on the model of mongod", () => {
  test.each(cases)("member $place: $fault", async ({ place, fault }) => {
    await using w = await MongoWorld.start();
    await w.create();
    const { status } = await w.settled(3);
    const before = w.mongo.mongod("db-0").replication.config?.members;
    const member = place === "the primary" ? (status?.primary ?? "") : `db-${place}`;
    const writer = new Writer(w);
    for (let i = 0; i < 5; i++) expect(await writer.write()).toBe(true);
    await faults[fault]?.(w, member);
    for (let i = 0; i < 30; i++) {
      await writer.write();
      await w.cluster.advance("1s");
    }
    await w.settled(3);
    expect(await writer.write()).toBe(true);
    await w.cluster.advance("5s");
    expect(writer.acknowledged.length).toBeGreaterThan(10);
    for (const each of ["db-0", "db-1", "db-2"]) {
      const { data, replication } = w.mongo.mongod(each);
      const there = new Set(
        [...(data.collections.get("shop.x")?.documents.values() ?? [])].map((document) =>
          Number(document["_id"]),
        ),
      );
      expect(
        writer.acknowledged.filter((id) => !there.has(id)),
        `writes lost by ${each}`,
      ).toEqual([]);
      expect([...data.users.keys()].toSorted(), each).toEqual(["admin.mongodb-operator", "admin.my-user"]);
      expect(replication.config?.members.map(({ host, votes }) => [host, votes])).toEqual(
        before?.map(({ host, votes }) => [host, votes]),
      );
    }
    expect((await w.cluster.get(MongoDBCommunity, name)).status?.phase).toBe("Running");
  });
});

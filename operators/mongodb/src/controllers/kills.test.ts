// An operator that is killed after every single step finishes what it began, with nobody's vote, login or data lost. In virtual time, with
// a model in place of mongod.
import { Pod } from "@kubewright/api";
import { everyCrashPoint } from "@kubewright/testing";
import { describe, expect, test } from "vitest";
import { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import { mongoManager } from "../manager.js";
import { ModelledMongo } from "../model/modelled-mongo.js";
import { agentImage, MongoWorld, name, namespace, password, resources, sampleUser } from "./fixtures/mongo-world.js";

const user = { user: "my-user", db: "admin", password };
const role = {
  role: "reader",
  db: "shop",
  privileges: [{ resource: { db: "shop", collection: "" }, actions: ["find"] }],
};
const reader = {
  ...sampleUser,
  name: "reader",
  roles: [{ name: "reader", db: "shop" }],
  scramCredentialsSecretName: "r",
};

interface Scenario {
  readonly what: string;
  readonly from: object;
  readonly to: object;
  readonly members: number;
  /** How many steps the change takes, at least. */
  readonly steps: number;
}

const scenarios: readonly Scenario[] = [
  { what: "three members grow to five", from: {}, to: { members: 5 }, members: 5, steps: 4 },
  { what: "five members shrink to three", from: { members: 5 }, to: { members: 3 }, members: 3, steps: 2 },
  {
    what: "an arbiter and a role come",
    from: { members: 2 },
    to: { arbiters: 1, security: { roles: [role] }, users: [sampleUser, reader] },
    members: 3,
    steps: 3,
  },
  {
    what: "a version is taken",
    from: {},
    to: { version: "4.4.29", featureCompatibilityVersion: "4.4" },
    members: 3,
    steps: 5,
  },
  {
    what: "users and roles go",
    from: { members: 1, security: { roles: [role] }, users: [sampleUser, reader] },
    to: { security: { roles: [] }, users: [sampleUser] },
    members: 1,
    steps: 2,
  },
];

/** Ends the operator after each step, and starts it again a moment later. */
function killAfterEveryStep(w: MongoWorld): { readonly kills: () => number } {
  let kills = 0;
  w.onStep = () => {
    kills += 1;
    w.cluster.crashManager();
    w.cluster.clock.setTimer(1_000, () => void w.cluster.startManager());
  };
  return { kills: () => kills };
}

describe("an operator killed after every single step", () => {
  test.each(scenarios)("$what", async ({ from, to, members, steps }) => {
    await using w = await MongoWorld.start();
    const { kills } = killAfterEveryStep(w);
    await w.create(from);
    await w.cluster.eventually(
      MongoDBCommunity,
      name,
      ({ status }) => status?.phase === "Running" && status.step === undefined,
      { timeout: "20m" },
    );
    await w.run(user, "shop", { insert: "x", documents: [{ _id: 1 }], writeConcern: { w: "majority" } });
    const before = kills();
    await w.patch(to);
    const { status } = await w.settled(members);
    expect(kills() - before).toBeGreaterThanOrEqual(steps);
    expect(status?.members?.every(({ voting }) => voting)).toBe(true);
    for (const { name: member, state } of status?.members ?? []) {
      if (state === "ARBITER") continue;
      const { data } = w.mongo.mongod(member);
      expect(data.collections.get("shop.x")?.documents.size, member).toBe(1);
      expect(data.users.has("admin.my-user"), member).toBe(true);
    }
    await w.run(user, "shop", { insert: "x", documents: [{ _id: 2 }], writeConcern: { w: "majority" } });
  });
});

const isLong = Boolean(process.env["KUBEWRIGHT_MONGODB_MATRIX"]);

describe.skipIf(!isLong)("an operator that crashes after any of its writes (npm run test:mongodb)", () => {
  test("finishes what it began", { timeout: 900_000 }, async () => {
    let mongo = new ModelledMongo({
      clock: () => {
        throw new Error("not started");
      },
    });
    const access = {
      isModel: true,
      member: (target: Parameters<ModelledMongo["member"]>[0]) => mongo.member(target),
      keepOnly: (cluster: string, pods: readonly Pod[]) => mongo.keepOnly(cluster, pods),
      agentEnd: (pod: Pod) => mongo.agentEnd(pod),
    };
    const manager = mongoManager({ access, image: "mongo", agentImage });
    const { writes } = await everyCrashPoint(
      { resources, manager, nodes: 3 },
      async (cluster) => {
        mongo.close();
        mongo = new ModelledMongo({ clock: () => cluster.clock, random: () => 0.5 });
        const w = new MongoWorld(cluster, mongo, []);
        await w.create();
        await w.settled(3);
        await w.patch({ members: 1, version: "4.4.29" });
        await w.settled(1);
        expect(mongo.mongod("db-0").data.users.has("admin.my-user")).toBe(true);
        expect((await cluster.client.list(Pod, { namespace })).items).toHaveLength(1);
      },
    );
    mongo.close();
    expect(writes.length).toBeGreaterThan(20);
  });
});

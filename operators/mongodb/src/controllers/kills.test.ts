// An operator that is killed after every single step finishes what it began, with nobody's vote, login or data lost. In virtual time, with
// a model in place of mongod.
import { PersistentVolumeClaim, Pod } from "@kubewright/api";
import { ConnectionError, type Middleware } from "@kubewright/client";
import { everyCrashPoint } from "@kubewright/testing";
import { describe, expect, test } from "vitest";
import { MongoDBBackup } from "../api/v1/mongo-db-backup.js";
import { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import { MongoDBRestore } from "../api/v1/mongo-db-restore.js";
import { mongoManager } from "../manager.js";
import { ModelledMongo } from "../model/modelled-mongo.js";
import { authority, pairOf, security, setAuthority, setPair, tls } from "./fixtures/certificates.js";
import {
  agentImage,
  MongoWorld,
  name,
  namespace,
  password,
  resources,
  sampleUser,
} from "./fixtures/mongo-world.js";

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
  /** A change of the spec, or something else that happens. */
  readonly to: object | ((w: MongoWorld) => Promise<void>);
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
  {
    what: "an exporter comes",
    from: { members: 1 },
    to: { prometheus: { username: "prometheus", passwordSecretRef: sampleUser.passwordSecretRef } },
    members: 1,
    steps: 1,
  },
  { what: "TLS is taken up", from: {}, to: security(tls), members: 3, steps: 9 },
  {
    what: "members come to know each other by certificates",
    from: security(tls),
    to: security(tls, { modes: ["SCRAM"], internalCluster: "X509" }),
    members: 3,
    steps: 9,
  },
  {
    what: "another CA and another certificate come",
    from: { version: "5.0.31", ...security(tls) },
    to: exchange,
    members: 3,
    steps: 12,
  },
  { what: "volumes grow", from: { storage: "1Gi" }, to: { storage: "2Gi" }, members: 3, steps: 4 },
  {
    what: "members get addresses for elsewhere",
    from: {},
    to: { replicaSetHorizons: [0, 1, 2].map((n) => ({ outside: `db-${n}.example.com:27017` })) },
    members: 3,
    steps: 1,
  },
  { what: "one member goes on by force", from: {}, to: force, members: 3, steps: 5 },
];

/** Certificates of another CA, both at once. */
async function exchange(w: MongoWorld): Promise<void> {
  const next = authority("next");
  await setPair(w, "certificate", pairOf(next));
  await setAuthority(w, next.certificate);
  await w.cluster.advance("5s");
}

async function force(w: MongoWorld): Promise<void> {
  for (const member of ["db-0", "db-2"]) w.mongo.pause(member);
  await w.cluster.condition(MongoDBCommunity, name, "MajorityLost", "True", { timeout: "1m" });
  await w.annotate({ "mongodb.com/force-reconfig-from": "db-1" });
  await w.cluster.eventually(MongoDBCommunity, name, ({ status }) => status?.primary === "db-1", {
    timeout: "5m",
  });
  for (const member of ["db-0", "db-2"]) w.mongo.resume(member);
}

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

describe("an operator killed after every single step", { timeout: 60_000 }, () => {
  test.each(scenarios)("$what", async ({ from, to, members, steps }) => {
    await using w = await MongoWorld.start();
    const { kills } = killAfterEveryStep(w);
    const ca = authority();
    await setPair(w, "certificate", pairOf(ca));
    await setAuthority(w, ca.certificate);
    await w.create(from);
    await w.cluster.eventually(
      MongoDBCommunity,
      name,
      ({ status }) => status?.phase === "Running" && status.step === undefined,
      { timeout: "20m" },
    );
    await w.run(user, "shop", { insert: "x", documents: [{ _id: 1 }], writeConcern: { w: "majority" } });
    const before = kills();
    await (typeof to === "function" ? to(w) : w.patch(to));
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

describe("an operator that crashes after any of its writes", () => {
  const target = { claim: { claimName: "backups" } };
  const ended = { timeout: "1h" } as const;

  /** Ends the operator right after one of its writes, whose answer it never gets, and starts it again a moment later. */
  class Crasher {
    /** Writes so far, events left out. */
    writes = 0;
    #crashAt = Number.POSITIVE_INFINITY;
    world: MongoWorld | undefined;
    readonly middleware: Middleware = (next) => async (request) => {
      const answer = await next(request);
      if (request.method === "GET" || /\/events$|authorization/.test(request.path)) return answer;
      this.writes += 1;
      if (this.writes !== this.#crashAt || !this.world) return answer;
      const { cluster } = this.world;
      cluster.crashManager();
      cluster.clock.setTimer(1_000, () => void cluster.startManager());
      throw new ConnectionError("the operator was killed", "closed");
    };

    /** Crashes after one write after the other, until the work is done without reaching the next one. */
    async atEveryWrite(work: (word: string) => Promise<void>): Promise<number> {
      for (let point = 1; ; point++) {
        this.#crashAt = this.writes + point;
        await work(`at-${point}`);
        if (this.writes < this.#crashAt) return point - 1;
      }
    }

    static async start(spec: object): Promise<{ readonly w: MongoWorld; readonly crasher: Crasher }> {
      const crasher = new Crasher();
      const w = await MongoWorld.start({ middleware: [crasher.middleware] });
      await w.cluster.create(PersistentVolumeClaim, {
        name: "backups",
        spec: { accessModes: ["ReadWriteMany"], resources: { requests: { storage: "1Gi" } } },
      });
      await w.create({ members: 1, ...spec });
      await w.settled(1);
      crasher.world = w;
      return { w, crasher };
    }
  }

  test("takes a backup and restores it all the same, and leaves no pod", async () => {
    const { w: world, crasher } = await Crasher.start({});
    await using w = world;
    await w.run(user, "shop", { insert: "x", documents: [{ _id: 1 }, { _id: 2 }] });
    const spec = { clusterName: name, target };
    const backups = await crasher.atEveryWrite(async (word) => {
      await w.cluster.create(MongoDBBackup, { name: word, spec });
      const isOver = ({ status }: MongoDBBackup) => status?.completionTime !== undefined;
      const { status } = await w.cluster.eventually(MongoDBBackup, word, isOver, ended);
      expect(status, word).toMatchObject({ phase: "Succeeded", collections: 1 });
      expect(status?.startTime).toBeDefined();
      await w.cluster.eventuallyGone(Pod, `${word}-backup`);
    });
    expect(backups).toBeGreaterThanOrEqual(4);
    const restores = await crasher.atEveryWrite(async (word) => {
      await w.run(user, "shop", { insert: "x", documents: [{ _id: 3 }] });
      const source = { backupName: "at-1" };
      await w.cluster.create(MongoDBRestore, {
        name: word,
        spec: { clusterName: name, source, replace: true },
      });
      const isOver = ({ status }: MongoDBRestore) => status?.completionTime !== undefined;
      const { status } = await w.cluster.eventually(MongoDBRestore, word, isOver, ended);
      expect(status, word).toMatchObject({ phase: "Succeeded", documents: 2 });
      expect(w.mongo.mongod("db-0").data.collections.get("shop.x")?.documents.size).toBe(2);
      await w.cluster.eventuallyGone(Pod, `${word}-restore`);
    });
    expect(restores).toBeGreaterThanOrEqual(4);
  });

  test("makes one backup for each time of a schedule, and keeps as many as asked", async () => {
    const backup = { schedule: "*/5 * * * *", target, keep: 2 };
    const { w: world, crasher } = await Crasher.start({ backup });
    await using w = world;
    const crashes = await crasher.atEveryWrite(async () => {
      await w.cluster.advance("5m");
      const backups = await w.cluster.list(MongoDBBackup);
      expect(backups.length).toBeLessThanOrEqual(3);
      expect(new Set(backups.map(({ metadata }) => metadata.name)).size).toBe(backups.length);
    });
    expect(crashes).toBeGreaterThanOrEqual(5);
    await w.cluster.advance("10m");
    const backups = await w.cluster.list(MongoDBBackup);
    expect(backups.map(({ status }) => status?.phase)).toEqual(["Succeeded", "Succeeded"]);
    expect(w.mongo.agents.files.size).toBe(2);
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
      served: (target: Parameters<ModelledMongo["served"]>[0]) => mongo.served(target),
      keepOnly: (...pods: Parameters<ModelledMongo["keepOnly"]>) => mongo.keepOnly(...pods),
      agentEnd: (pod: Pod) => mongo.agentEnd(pod),
    };
    const manager = mongoManager({ access, image: "mongo", agentImage });
    const { writes } = await everyCrashPoint({ resources, manager, nodes: 3 }, async (cluster) => {
      mongo.close();
      mongo = new ModelledMongo({ clock: () => cluster.clock, random: () => 0.5 });
      const w = new MongoWorld(cluster, mongo, []);
      await w.create();
      await w.settled(3);
      await w.patch({ members: 1, version: "4.4.29" });
      await w.settled(1);
      expect(mongo.mongod("db-0").data.users.has("admin.my-user")).toBe(true);
      expect((await cluster.client.list(Pod, { namespace })).items).toHaveLength(1);
    });
    mongo.close();
    expect(writes.length).toBeGreaterThan(20);
  });
});

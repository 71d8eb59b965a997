// The fault matrix, in virtual time, on the model of mongod: each member and the primary, each fault, while a client writes all the time.
// At the end every write that a majority had acknowledged is on every member, and no user, role or vote is lost. What is shown is how the
// operator and the model behave; it says nothing about mongod.
import { ConfigMap, PersistentVolumeClaim, Pod } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import { certificateBlocks } from "../client/pem.js";
import { Application } from "./fixtures/application.js";
import { authority, pairOf, security, setAuthority, setPair, tls } from "./fixtures/certificates.js";
import { MongoWorld, name, namespace } from "./fixtures/mongo-world.js";

const members = ["db-0", "db-1", "db-2"];

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

/** No user, role or vote is lost, and every write that a majority had acknowledged is on every member. */
function expectWhole(w: MongoWorld, application: Application): void {
  application.expectNothingLost(members);
  for (const each of members) {
    const { data, replication } = w.mongo.mongod(each);
    expect([...data.users.keys()].toSorted(), each).toEqual(["admin.mongodb-operator", "admin.my-user"]);
    const votes = replication.config?.members.map(({ host, votes: vote }) => `${host.split(".")[0]} ${vote}`);
    expect(votes?.toSorted(), each).toEqual(["db-0 1", "db-1 1", "db-2 1"]);
  }
}

describe("the fault matrix on the model of mongod", { timeout: 60_000 }, () => {
  test.each(cases)("member $place: $fault", async ({ place, fault }) => {
    await using w = await MongoWorld.start();
    await w.create();
    const { status } = await w.settled(3);
    const member = place === "the primary" ? (status?.primary ?? "") : `db-${place}`;
    const application = new Application(w);
    for (let i = 0; i < 5; i++) expect(await application.write()).toBe(true);
    await faults[fault]?.(w, member);
    await application.writeFor(30);
    await w.settled(3);
    expect(await application.write()).toBe(true);
    await w.cluster.advance("5s");
    expect(application.acknowledged.length).toBeGreaterThan(10);
    expectWhole(w, application);
    expect((await w.cluster.get(MongoDBCommunity, name)).status?.phase).toBe("Running");
  });
});

interface Change {
  readonly from: object;
  make(w: MongoWorld): Promise<unknown>;
}

const changes: Readonly<Record<string, Change>> = {
  "TLS is taken up": { from: {}, make: (w) => w.patch(security(tls)) },
  "another CA and another certificate come": {
    from: { version: "5.0.31", ...security(tls) },
    make: async (w) => {
      const next = authority("next");
      await setPair(w, "certificate", pairOf(next));
      await setAuthority(w, ca.certificate + next.certificate);
    },
  },
  "volumes grow": { from: { storage: "1Gi" }, make: (w) => w.patch({ storage: "2Gi" }) },
  "members get addresses for elsewhere": {
    from: {},
    make: (w) =>
      w.patch({ replicaSetHorizons: [0, 1, 2].map((n) => ({ outside: `db-${n}.example.com:27017` })) }),
  },
};

const ca = authority();
const duringChange = Object.keys(changes).flatMap((change) =>
  (isLong ? Object.keys(faults) : ["the operator killed and the pod deleted"]).map((fault) => ({
    change,
    fault,
  })),
);

describe("faults in the middle of a change, on the model of mongod", { timeout: 60_000 }, () => {
  test.each(duringChange)("$change, and the primary: $fault", async ({ change, fault }) => {
    await using w = await MongoWorld.start();
    await setPair(w, "certificate", pairOf(ca));
    await setAuthority(w, ca.certificate);
    const { from, make } = changes[change] as Change;
    await w.create(from);
    await w.settled(3);
    w.taken();
    let trusted = ca.certificate;
    const application = new Application(w, { ca: () => trusted });
    await make(w);
    trusted = certificateBlocks(
      Object.values((await w.cluster.get(ConfigMap, "authority")).data ?? {}).join(""),
    ).join("\n");
    for (let second = 0; second < 60 && w.steps.length === 0; second++) await application.writeFor(1);
    expect(w.steps.length).toBeGreaterThan(0);
    await faults[fault]?.(w, (await w.get()).status?.primary ?? "db-0");
    await application.writeUntilSettled(3);
    await w.cluster.advance("5s");
    expect(await application.write()).toBe(true);
    await w.cluster.advance("5s");
    expectWhole(w, application);
  });
});

// What MongoDB's own operator of version 0.5.0 fails at, each as a test. In virtual time, with a model in place of mongod.
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
import { MongoWorld, name, namespace } from "./fixtures/mongo-world.js";

const horizons = (count: number) =>
  Array.from({ length: count }, (_, ordinal) => ({ outside: `db-${ordinal}.example.com:27017` }));

describe("known failures of the existing operator", () => {
  test("a deleted StatefulSet is made again, and its pods stay", async () => {
    await using w = await MongoWorld.start();
    await w.create();
    await w.settled(3);
    const before = (await w.cluster.list(Pod)).map(({ metadata }) => metadata?.uid).toSorted();
    await w.cluster.client.delete(StatefulSet, name, { namespace, propagationPolicy: "Orphan" });
    await w.cluster.advance("10s");
    await w.settled(3);
    expect((await w.cluster.list(Pod)).map(({ metadata }) => metadata?.uid).toSorted()).toEqual(before);
  });

  test("everything has the object as its owner, the Service too", async () => {
    await using w = await MongoWorld.start();
    await w.create({ members: 1 });
    const { metadata } = await w.settled(1);
    for (const [kind, child] of [
      [StatefulSet, "db"],
      [Service, "db-svc"],
      [PodDisruptionBudget, "db"],
      [Secret, "db-keyfile"],
      [Secret, "db-operator-user"],
      [Secret, "db-config"],
    ] as const)
      expect((await w.cluster.get(kind as typeof Secret, child)).metadata?.ownerReferences).toMatchObject([
        { kind: "MongoDBCommunity", uid: metadata.uid, controller: true },
      ]);
  });

  test("horizons for fewer members than there are harm nobody, and are set when they are complete", async () => {
    await using w = await MongoWorld.start();
    await w.create({ replicaSetHorizons: horizons(2) });
    await w.cluster.eventually(MongoDBCommunity, name, ({ status }) => status?.ready === "3/3", {
      timeout: "10m",
    });
    expect((await w.get()).status?.message).toBe(
      "replicaSetHorizons has 2 entries for 3 members; none is set before every member has one",
    );
    w.taken();
    await w.patch({ replicaSetHorizons: horizons(3) });
    await w.settled(3);
    expect(w.taken()).toEqual(["set-horizons"]);
    const { members = [] } = w.mongo.mongod("db-0").replication.config ?? {};
    expect(members.map((member) => member.horizons)).toEqual(horizons(3));
    await w.patch({ members: 5, replicaSetHorizons: horizons(5) });
    await w.settled(5);
    await w.patch({ replicaSetHorizons: null });
    await w.settled(5);
    expect(w.mongo.mongod("db-0").replication.config?.members.some((member) => member.horizons)).toBe(false);
    expect(w.cluster.errors).toEqual([]);
  });

  test("no pod waits for another to become ready", async () => {
    await using w = await MongoWorld.start();
    w.cluster.simulate({ namespace, name: "db-0" }, { neverReady: true });
    await w.create();
    await w.cluster.advance("1m");
    const pods = await w.cluster.list(Pod);
    expect(pods.map(({ status }) => status?.phase)).toEqual(["Running", "Running", "Running"]);
    expect((await w.get()).status?.primary).toBe("db-0");
    await w.cluster.condition(MongoDBCommunity, name, "Available", "True");
  });

  test("nothing is written while all is as asked, and changes in quick succession end at the last one", async () => {
    await using w = await MongoWorld.start();
    await w.create();
    await w.settled(3);
    for (const members of [5, 1, 4, 3]) await w.patch({ members });
    await w.settled(3);
    await w.cluster.advance("1m");
    const writes = w.cluster.manager!.writes.length;
    w.taken();
    await w.cluster.advance("1h");
    expect(w.taken()).toEqual([]);
    expect(w.cluster.manager!.writes.slice(writes)).toEqual([]);
  });

  test("a feature compatibility version that the release does not have stops nobody", async () => {
    await using w = await MongoWorld.start();
    await w.create();
    await w.settled(3);
    w.taken();
    for (const wrong of ["9.9", "5.0", "3.6"]) {
      await w.patch({ featureCompatibilityVersion: wrong });
      await w.cluster.advance("30s");
      expect(await w.condition("Degraded")).toMatchObject({ status: "True", reason: "CompatibilityRefused" });
      expect(await w.condition("Available")).toMatchObject({ status: "True" });
    }
    expect(w.taken()).toEqual([]);
    await w.patch({ featureCompatibilityVersion: "4.0" });
    expect((await w.settled(3)).status?.featureCompatibilityVersion).toBe("4.0");
  });

  test("claims grow with the spec, and a smaller size is refused", async () => {
    await using w = await MongoWorld.start();
    await w.create({ storage: "1Gi" });
    await w.settled(3);
    const before = (await w.cluster.list(Pod)).map(({ metadata }) => metadata?.uid).toSorted();
    w.taken();
    await w.patch({ storage: "2Gi" });
    await w.settled(3);
    expect(w.taken()).toEqual([
      "grow-claim data-volume-db-0",
      "grow-claim data-volume-db-1",
      "grow-claim data-volume-db-2",
      "replace-set",
    ]);
    const claims = await w.cluster.list(PersistentVolumeClaim);
    expect(claims.map(({ spec }) => spec?.resources?.requests?.["storage"])).toEqual(["2Gi", "2Gi", "2Gi"]);
    const set = await w.cluster.get(StatefulSet, name);
    expect(set.spec?.volumeClaimTemplates?.[0]?.spec?.resources?.requests?.["storage"]).toBe("2Gi");
    expect((await w.cluster.list(Pod)).map(({ metadata }) => metadata?.uid).toSorted()).toEqual(before);
    await w.patch({ storage: "1Gi" });
    await w.cluster.condition(MongoDBCommunity, name, "Degraded", "True");
    expect(await w.condition("Degraded")).toMatchObject({ reason: "StorageNotShrunk" });
    expect(w.cluster.errors).toEqual([]);
  });
});

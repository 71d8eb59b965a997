// MongoDBCommunity objects in virtual time, on simulated nodes, with a model in place of mongod.
import { PersistentVolumeClaim, Pod, PodDisruptionBudget, Secret, Service, StatefulSet } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { MongoDBCommunity } from "../api/v1/mongodb-community.js";
import { MongoWorld, name, namespace, password, sampleUser } from "./fixtures/mongo-world.js";

const user = { user: "my-user", db: "admin", password };
const text = (secret: Secret, key: string) => Buffer.from(secret.data?.[key] ?? "", "base64").toString("utf8");

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
      expect.arrayContaining(["Initiated", "OperatorUserSet", "UserCreated", "MemberAdded", "MemberPromoted"]),
    );
    expect((await w.cluster.get(Service, "db-svc")).spec).toMatchObject({ clusterIP: "None", publishNotReadyAddresses: true });
    expect((await w.cluster.get(PodDisruptionBudget, name)).spec?.minAvailable).toBe(2);
    const claims = await w.cluster.list(PersistentVolumeClaim);
    expect(claims.map(({ metadata }) => metadata?.name).toSorted()).toEqual([0, 1, 2].map((n) => `data-volume-db-${n}`));
    await w.run(user, "shop", { insert: "x", documents: [{ _id: 1 }], writeConcern: { w: "majority" } });
    expect((await w.condition("Simulated"))?.status).toBe("True");
    expect(w.cluster.errors).toEqual([]);
  });
});

// The exporter as objects: what spec.prometheus makes, changes and takes away. In virtual time, with a model in place of mongod.
import { Deployment, Secret, Service } from "@kubewright/api";
import { expect, test } from "vitest";
import { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import { type ExporterSettings, settingsVariable } from "../exporter/exporter-settings.js";
import { MongoWorld, name } from "./fixtures/mongo-world.js";

const prometheus = { username: "prometheus", passwordSecretRef: { name: "metrics-password" } };

const settingsOf = async (w: MongoWorld): Promise<ExporterSettings> => {
  const { spec } = await w.cluster.get(Deployment, "db-exporter");
  const value = spec?.template?.spec?.containers[0]?.env?.find(
    (each) => each.name === settingsVariable,
  )?.value;
  return JSON.parse(value ?? "null");
};

test("MongoDBCommunity: spec.prometheus makes an exporter with a user that may only look, and restarts no member", async () => {
  await using w = await MongoWorld.start();
  await w.create({ members: 1 });
  await w.settled(1);
  w.taken();
  await w.patch({ prometheus });
  await w.cluster.eventually(
    MongoDBCommunity,
    name,
    ({ status }) => status?.message?.includes("metrics-password") === true,
  );
  expect((await w.condition("Degraded"))?.reason).toBe("PasswordMissing");
  await w.secret("metrics-password", "secret");
  await w.settled(1);
  expect(w.taken()).toEqual(["create-user mongodb-exporter"]);
  const { roles } = w.mongo.mongod("db-0").data.users.get("admin.mongodb-exporter") ?? {};
  expect(roles).toEqual([{ role: "clusterMonitor", db: "admin" }]);
  expect(await settingsOf(w)).toEqual({
    replicaSet: "db",
    hosts: ["db-0.db-svc.default.svc.cluster.local:27017"],
    isSecure: false,
    login: { user: "mongodb-exporter", db: "admin" },
    port: 9216,
    path: "/metrics",
    username: "prometheus",
    isServedWithTls: false,
  });
  const service = await w.cluster.get(Service, "db-exporter");
  expect(service.metadata?.labels).toMatchObject({ app: "db-svc" });
  expect(service.spec?.ports).toMatchObject([{ name: "prometheus", port: 9216 }]);

  await w.patch({
    members: 3,
    prometheus: { port: 9999, metricsPath: "/m", tlsSecretKeyRef: { name: "metrics-tls" } },
  });
  await w.cluster.eventually(
    MongoDBCommunity,
    name,
    ({ status }) => status?.message?.includes("metrics-tls") === true,
  );
  expect(await settingsOf(w)).toMatchObject({ port: 9999, path: "/m", isServedWithTls: true });
  expect((await settingsOf(w)).hosts).toHaveLength(3);
  await w.cluster.client.delete(Deployment, "db-exporter", { namespace: "default" });
  await w.cluster.eventually(Deployment, "db-exporter");

  await w.patch({ prometheus: null });
  await w.settled(3);
  await w.cluster.eventuallyGone(Deployment, "db-exporter");
  await w.cluster.eventuallyGone(Service, "db-exporter");
  await w.cluster.eventuallyGone(Secret, "db-exporter");
  expect(w.mongo.mongod("db-0").data.users.has("admin.mongodb-exporter")).toBe(false);
});

const exporterImage = { image: "mongodb-operator:*" };
const failing = (w: MongoWorld, message: RegExp) =>
  w.cluster.eventually(
    MongoDBCommunity,
    name,
    ({ status }) =>
      status?.conditions?.some((each) => each.type === "ExporterAvailable" && message.test(each.message)) ===
      true,
    { timeout: "10m" },
  );

test.each([
  [
    "exits again and again",
    { crashLoop: { after: "1s", exitCode: 2 } },
    /^pod db-exporter-\S+: container exporter exits with code 2 again and again; see its logs$/,
  ],
  [
    "has an image that cannot be pulled",
    { pullError: "not found" },
    /^pod db-exporter-\S+: image mongodb-operator:test of container exporter cannot be pulled/,
  ],
])(
  "MongoDBCommunity: an exporter that %s is reported with its pod, and the set stays Running",
  async (_, outcome, message) => {
    await using w = await MongoWorld.start();
    const rule = w.cluster.simulate(exporterImage, outcome as never);
    await w.secret("metrics-password", "secret");
    await w.create({ members: 1, prometheus });
    const { status } = await failing(w, message);
    expect(await w.condition("ExporterAvailable")).toMatchObject({
      status: "False",
      reason: "ExporterFailing",
    });
    expect(await w.condition("Degraded")).toMatchObject({
      status: "True",
      reason: "ExporterFailing",
      message: expect.stringMatching(message),
    });
    expect(await w.condition("Available")).toMatchObject({ status: "True" });
    expect((await w.settled(1)).status?.message).toMatch(message);
    expect(status?.phase).not.toBe("Failed");
    // It is the same problem all the time, and reported once.
    await w.cluster.advance("5m");
    expect((await w.events()).filter((reason) => reason === "ExporterFailing")).toHaveLength(1);
    expect((await w.get()).status?.phase).toBe("Running");
    rule.remove();
    await w.cluster.condition(MongoDBCommunity, name, "ExporterAvailable", "True", { timeout: "10m" });
    expect(await w.condition("Degraded")).toMatchObject({ status: "False", reason: "AsExpected" });
    await w.patch({ prometheus: null });
    await w.settled(1);
    expect(await w.condition("ExporterAvailable")).toMatchObject({ status: "False", reason: "NotRequested" });
  },
);

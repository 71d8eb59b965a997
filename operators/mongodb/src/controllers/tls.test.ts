// TLS of a running replica set, in virtual time, with a model in place of mongod: what is shown is the order of steps and the modes that
// members are in, not encryption, which test/mongodb/tls.test.ts has over the wire.
import { ConfigMap, Pod, Secret } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import { nextMode, type TlsMode, tlsModes } from "../replica-set/tls.js";
import { MongoWorld, name, namespace, password } from "./fixtures/mongo-world.js";

const user = { user: "my-user", db: "admin", password };
const tls = {
  enabled: true,
  certificateKeySecretRef: { name: "certificate" },
  caConfigMapRef: { name: "authority" },
};
const security = (settings: object) => ({
  security: { authentication: { modes: ["SCRAM"] }, tls: settings },
});

const certify = (w: MongoWorld, certificate: string) =>
  w.cluster.client.apply(
    Secret,
    {
      metadata: { name: "certificate", namespace },
      stringData: { "tls.crt": certificate, "tls.key": "key" },
    } as never,
    { fieldManager: "test", force: true },
  );

async function withCertificates(): Promise<MongoWorld> {
  const w = await MongoWorld.start();
  await certify(w, "first");
  await w.cluster.create(ConfigMap, { name: "authority", data: { "ca.crt": "ca" } });
  return w;
}

const modesOf = (w: MongoWorld): readonly TlsMode[] =>
  w.mongo.running.map((member) => w.mongo.mongod(member).options.tlsMode);

/** The modes of members at each step; no two may be more than one step apart. */
function watchModes(w: MongoWorld): ReadonlySet<string> {
  const seen = new Set<string>();
  w.onStep = () => {
    const indexes = modesOf(w).map((mode) => tlsModes.indexOf(mode));
    expect(Math.max(...indexes) - Math.min(...indexes)).toBeLessThanOrEqual(1);
    seen.add([...new Set(modesOf(w))].toSorted().join("+"));
  };
  return seen;
}

describe("TLS", () => {
  test.each<[TlsMode, readonly TlsMode[], TlsMode]>([
    ["requireTLS", [], "requireTLS"],
    ["requireTLS", ["disabled", "disabled"], "allowTLS"],
    ["requireTLS", ["disabled", "allowTLS"], "allowTLS"],
    ["requireTLS", ["allowTLS", "allowTLS"], "preferTLS"],
    ["preferTLS", ["preferTLS", "preferTLS"], "preferTLS"],
    ["disabled", ["disabled", "allowTLS"], "disabled"],
    ["disabled", ["requireTLS", "requireTLS"], "preferTLS"],
  ])("on the way to %s, members in %j are started in %s next", (final, present, next) => {
    expect(nextMode(final, present)).toBe(next);
  });

  test("is taken up and given up by a running set, and members understand each other all the time", async () => {
    await using w = await withCertificates();
    await w.create();
    await w.settled(3);
    w.taken();
    const seen = watchModes(w);
    await w.patch(security(tls));
    await w.settled(3);
    expect(modesOf(w)).toEqual(["requireTLS", "requireTLS", "requireTLS"]);
    // The last pod of a step may be made anew for the step that follows.
    expect(w.taken().filter((step) => step.startsWith("restart")).length).toBeGreaterThanOrEqual(7);
    expect(seen).toContain("allowTLS+disabled");
    await w.run(user, "shop", { insert: "x", documents: [{ _id: 1 }], writeConcern: { w: "majority" } });
    const secret = await w.cluster.get(Secret, "db-admin-my-user");
    expect(Buffer.from(secret.data?.["connectionString.standard"] ?? "", "base64").toString()).toContain(
      "&tls=true",
    );
    await w.patch(security({ ...tls, optional: true }));
    await w.settled(3);
    expect(modesOf(w)).toEqual(["preferTLS", "preferTLS", "preferTLS"]);
    await w.patch(security({ enabled: false }));
    await w.settled(3);
    expect(modesOf(w)).toEqual(["disabled", "disabled", "disabled"]);
    expect(w.cluster.errors).toEqual([]);
  });

  test("begins with it at once, and another certificate rolls through the members", async () => {
    await using w = await withCertificates();
    await w.create(security(tls));
    await w.settled(3);
    expect(w.taken().filter((step) => step.startsWith("restart"))).toEqual([]);
    await certify(w, "second");
    await w.cluster.advance("5s");
    await w.settled(3);
    expect(w.taken().filter((step) => step.startsWith("restart"))).toHaveLength(3);
    const mounted = await w.cluster.get(Secret, "db-server-certificate-key");
    expect(Buffer.from(mounted.data?.["server.pem"] ?? "", "base64").toString()).toBe("second\nkey\n");
  });

  test("is never left out because its Secret is missing", async () => {
    await using w = await MongoWorld.start();
    await w.create(security(tls));
    await w.cluster.condition(MongoDBCommunity, name, "Degraded", "True");
    expect(await w.condition("Degraded")).toMatchObject({
      reason: "CertificateMissing",
      message: "there is no certificate in the Secret certificate: it needs tls.crt and tls.key",
    });
    await w.cluster.advance("1m");
    expect(await w.cluster.list(Pod)).toEqual([]);
    await certify(w, "late");
    await w.cluster.create(ConfigMap, { name: "authority", data: { "ca.crt": "ca" } });
    await w.settled(3);
    expect(modesOf(w)).toEqual(["requireTLS", "requireTLS", "requireTLS"]);
    await w.cluster.delete(Secret, "certificate");
    await w.cluster.condition(MongoDBCommunity, name, "Degraded", "True");
    expect(modesOf(w)).toEqual(["requireTLS", "requireTLS", "requireTLS"]);
    expect(await w.condition("Available")).toMatchObject({ status: "True" });
  });
});

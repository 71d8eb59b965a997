// TLS of a running replica set, in virtual time, with a model in place of mongod: what is shown is the order of steps, the modes that
// members are in and whose certificates they trust, not encryption, which test/mongodb/tls.test.ts has over the wire.
import { Pod, Secret } from "@kubewright/api";
import type { CertificateAuthority } from "@kubewright/api/x509";
import { describe, expect, test } from "vitest";
import { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import { certificateBlocks } from "../client/pem.js";
import { type TlsMode, tlsModes } from "../replica-set/security-modes.js";
import { Application, sampleLogin } from "./fixtures/application.js";
import {
  authority,
  type Pair,
  pairOf,
  security,
  setAuthority,
  setPair,
  tls,
} from "./fixtures/certificates.js";
import { MongoWorld, name, password, type WorldOptions } from "./fixtures/mongo-world.js";

const user = { user: "my-user", db: "admin", password };
const members = ["db-0", "db-1", "db-2"];

async function withCertificates(
  options?: WorldOptions,
): Promise<{ readonly w: MongoWorld; readonly ca: CertificateAuthority }> {
  const w = await MongoWorld.start(options);
  const ca = authority();
  await setPair(w, "certificate", pairOf(ca));
  await setAuthority(w, ca.certificate);
  return { w, ca };
}

const modesOf = (w: MongoWorld): readonly TlsMode[] =>
  w.mongo.running.map((member) => w.mongo.mongod(member).options.tlsMode);

/** The certificates that members show, and how many CAs each trusts. */
const shownBy = (w: MongoWorld): readonly string[] =>
  w.mongo.running.map((member) => {
    const { chain, files } = w.mongo.mongod(member).identity ?? {};
    return `${chain?.[0]?.serialNumber} ${certificateBlocks(files?.ca ?? "").length}`;
  });

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

const restarts = (w: MongoWorld): readonly string[] => w.taken().filter((step) => step.startsWith("restart"));

describe("TLS", { timeout: 60_000 }, () => {
  test("is taken up and given up by a running set, and members understand each other all the time", async () => {
    const { w, ca } = await withCertificates();
    await using _ = w;
    await w.create();
    await w.settled(3);
    w.taken();
    const seen = watchModes(w);
    const application = new Application(w, { ca: () => ca.certificate });
    await w.patch(security(tls));
    await application.writeUntilSettled(3);
    expect(modesOf(w)).toEqual(["requireTLS", "requireTLS", "requireTLS"]);
    // The last pod of a step may be made anew for the step that follows.
    expect(restarts(w).length).toBeGreaterThanOrEqual(7);
    expect(seen).toContain("allowTLS+disabled");
    expect(application.longestGap).toBeLessThan(15);
    application.expectNothingLost(members);
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
    const ca = authority();
    await setPair(w, "certificate", pairOf(ca));
    await setAuthority(w, ca.certificate);
    await w.settled(3);
    expect(modesOf(w)).toEqual(["requireTLS", "requireTLS", "requireTLS"]);
    w.taken();
    await w.cluster.delete(Secret, "certificate");
    await w.cluster.condition(MongoDBCommunity, name, "Degraded", "True");
    expect(modesOf(w)).toEqual(["requireTLS", "requireTLS", "requireTLS"]);
    expect(await w.condition("Available")).toMatchObject({ status: "True" });
    // What does not need it goes on.
    await w.secret("my-user-password", "another one");
    await w.cluster.advance("10s");
    expect(w.taken()).toEqual(["update-user my-user"]);
  });
});

describe("another certificate", { timeout: 60_000 }, () => {
  test("is read by members of 5.0 without a restart, when it has reached their pods", async () => {
    const { w, ca } = await withCertificates({ mountLag: 20_000 });
    await using _ = w;
    await w.create({ version: "5.0.31", ...security(tls) });
    await w.settled(3);
    const pods = (await w.cluster.list(Pod)).map(({ metadata }) => metadata?.uid).toSorted();
    const before = shownBy(w);
    w.taken();
    await setPair(w, "certificate", pairOf(ca));
    const application = new Application(w, { ca: () => ca.certificate });
    await application.writeFor(8);
    expect(shownBy(w)).toEqual(before);
    expect((await w.get()).status).toMatchObject({
      phase: "Pending",
      message: "reload-certificate db-0: its certificate has not reached the pod yet",
    });
    await application.writeUntilSettled(3);
    expect(w.taken()).toEqual([
      "exchange-certificate",
      ...members.map((each) => `reload-certificate ${each}`),
    ]);
    expect(new Set([...shownBy(w), ...before]).size).toBe(2);
    expect((await w.cluster.list(Pod)).map(({ metadata }) => metadata?.uid).toSorted()).toEqual(pods);
    expect(application.longestGap).toBe(0);
    application.expectNothingLost(members);
    expect(await w.events()).toEqual(expect.arrayContaining(["CertificateExchanged", "CertificateReloaded"]));
    expect(w.cluster.errors).toEqual([]);
  });

  test("is read by an arbiter of 5.0 when it is started again: nobody can log in there", async () => {
    const { w, ca } = await withCertificates();
    await using _ = w;
    await w.create({ version: "5.0.31", members: 2, arbiters: 1, ...security(tls) });
    await w.settled(3);
    w.taken();
    await setPair(w, "certificate", pairOf(ca));
    await w.cluster.advance("5s");
    await w.settled(3);
    expect(w.taken()).toEqual([
      "exchange-certificate",
      "reload-certificate db-0",
      "reload-certificate db-1",
      "restart db-arb-0",
    ]);
    expect(new Set(shownBy(w)).size).toBe(1);
  });

  test("rolls through members of 4.4, one at a time", async () => {
    const { w, ca } = await withCertificates();
    await using _ = w;
    await w.create({ version: "4.4.29", ...security(tls) });
    await w.settled(3);
    const before = shownBy(w);
    w.taken();
    await setPair(w, "certificate", pairOf(ca));
    const application = new Application(w, { ca: () => ca.certificate });
    await application.writeUntilSettled(3);
    expect(restarts(w)).toHaveLength(3);
    expect(new Set([...shownBy(w), ...before]).size).toBe(2);
    expect(application.longestGap).toBeLessThan(15);
    application.expectNothingLost(members);
  });

  test("that members would refuse is reported with the reason and given to nobody", async () => {
    const { w, ca } = await withCertificates();
    await using _ = w;
    await w.create({ version: "5.0.31", ...security(tls) });
    await w.settled(3);
    const before = shownBy(w);
    w.taken();
    const refused: readonly (readonly [Pair, string])[] = [
      [pairOf(ca, { notAfter: Date.UTC(2025, 11, 24) }), "expired at 2025-12-24T00:00; renew it"],
      [pairOf(authority("another")), "is not issued by a CA in ca.crt"],
      [pairOf(ca, { hosts: ["example.com"] }), "is not good for db-0"],
      [pairOf(ca, { usages: ["server auth"] }), "is not for use as a client"],
      [
        { ...pairOf(ca), key: pairOf(ca).key },
        "the key in the Secret certificate is not that of its certificate",
      ],
      [{ certificate: "nonsense", key: "nonsense" }, "cannot be read"],
    ];
    for (const [pair, reason] of refused) {
      await setPair(w, "certificate", pair);
      await w.cluster.advance("15s");
      const { status } = await w.get();
      expect(status).toMatchObject({ phase: "Failed", message: expect.stringContaining(reason) });
      expect(await w.condition("Degraded")).toMatchObject({ status: "True", reason: "CertificateInvalid" });
      expect(await w.condition("Available")).toMatchObject({ status: "True" });
      expect(w.taken()).toEqual([]);
      expect(shownBy(w)).toEqual(before);
    }
    await w.run(user, "shop", { insert: "x", documents: [{ _id: 1 }], writeConcern: { w: "majority" } });
    await setPair(w, "certificate", pairOf(ca));
    await w.cluster.advance("5s");
    await w.settled(3);
    expect(shownBy(w)).not.toEqual(before);
  });

  test.each(["5.0.31", "4.4.29"])(
    "replaces an expired one of %s, with which members refuse each other",
    async (version) => {
      const { w, ca } = await withCertificates();
      await using _ = w;
      const soon = w.cluster.clock.now() + 3 * 60_000;
      await setPair(w, "certificate", pairOf(ca, { notAfter: soon }));
      await w.create({ version, ...security(tls) });
      await w.settled(3);
      await w.cluster.advance("5m");
      expect((await w.get()).status).toMatchObject({ phase: "Failed" });
      expect(await w.condition("Available")).toMatchObject({ status: "False" });
      await setPair(w, "certificate", pairOf(ca));
      await w.cluster.advance("5s");
      await w.settled(3);
      await w.run(user, "shop", { insert: "x", documents: [{ _id: 1 }], writeConcern: { w: "majority" } });
    },
  );
});

describe("another CA", { timeout: 60_000 }, () => {
  test.each([
    ["5.0.31", 6, 3],
    ["4.4.29", 9, 0],
  ])(
    "replaces the one of %s while an application that trusts both goes on",
    async (version, starts, reloads) => {
      const { w, ca } = await withCertificates();
      await using _ = w;
      await w.create({ version, ...security(tls) });
      await w.settled(3);
      const next = authority("next");
      w.taken();
      const trusted: string[] = [];
      w.onStep = (step) => {
        const shown = shownBy(w);
        trusted.push(...shown.map((each) => each.split(" ")[1] ?? ""));
        // Two certificates are shown only while everybody trusts both CAs.
        if (step.kind !== "exchange-certificate" && new Set(shown.map((each) => each.split(" ")[0])).size > 1)
          expect(shown.map((each) => each.split(" ")[1])).toEqual(shown.map(() => "2"));
      };
      await setPair(w, "certificate", pairOf(next));
      await setAuthority(w, next.certificate);
      const application = new Application(w, {
        login: sampleLogin,
        ca: () => ca.certificate + next.certificate,
      });
      await application.writeUntilSettled(3);
      const taken = w.taken();
      expect(taken.filter((step) => step.startsWith("exchange"))).toHaveLength(3);
      expect(taken.filter((step) => step.startsWith("restart"))).toHaveLength(starts);
      expect(taken.filter((step) => step.startsWith("reload"))).toHaveLength(reloads);
      expect(trusted).toContain("2");
      expect(new Set(shownBy(w)).size).toBe(1);
      expect(shownBy(w)[0]).toMatch(/ 1$/);
      expect(w.mongo.mongod("db-0").identity?.files.ca.trim()).toBe(next.certificate.trim());
      expect(application.longestGap).toBeLessThan(15);
      application.expectNothingLost(members);
      expect(w.cluster.errors).toEqual([]);
    },
  );
});

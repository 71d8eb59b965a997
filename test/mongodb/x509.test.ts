// Certificates over the wire, with MongoDB's driver: users that show one, members that know each other by theirs, and certificates that
// are read anew. One suite against the model of mongod, and against real mongod where there is one.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect } from "vitest";
import { errorCodes, type MongoMember } from "../../operators/mongodb/src/client/mongo-member.js";
import { servedCertificate } from "../../operators/mongodb/src/client/served-certificate.js";
import {
  authority,
  loginOf,
  type Pair,
  pairOf,
  userPair,
} from "../../operators/mongodb/src/controllers/fixtures/certificates.js";
import { admin, contractWith, initiate, isPrimary, majority, statesOf } from "./contract.js";
import { implementations, skipWithoutMongod } from "./implementations.js";
import { eventually, type Members, type StartOptions, setName, type TlsStart } from "./members.js";

skipWithoutMongod();

// Handshakes of TLS take time on a machine that does much else.
const settings = { electionTimeoutMillis: 4_000, heartbeatIntervalMillis: 1_000 };
const yesterday = Date.now() - 86_400_000;
const hosts = ["localhost", "127.0.0.1"];

describe.each(implementations)("certificates, kept by %s", { timeout: 240_000 }, (_name, make) => {
  const folder = mkdtempSync(join(tmpdir(), "kubewright-mongodb-x509-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const ca = authority("test", yesterday);
  const client = { ca: ca.certificate, certificate: undefined, key: undefined };
  const memberPair = (organizations = ["members"]): Pair =>
    pairOf(ca, { commonName: "member", organizations, hosts, notBefore: yesterday });

  function files(name: string, { certificate, key }: Pair): TlsStart {
    const start = { certificateKeyFile: join(folder, `${name}.pem`), caFile: join(folder, `${name}.ca`) };
    writeFileSync(start.certificateKeyFile, `${certificate}${key}`);
    writeFileSync(start.caFile, ca.certificate);
    return { mode: "requireTLS", ...start };
  }

  const contract = contractWith(make);

  /** A set of these members, with an administrator; the first is primary. */
  async function begun(
    members: Members,
    names: readonly string[],
    options: StartOptions,
  ): Promise<MongoMember> {
    for (const name of names) await members.start(name, options);
    const [first = ""] = names;
    const inside = await members.as(first, undefined, client);
    const all = await Promise.all(
      names.map(async (name, _id) => ({
        _id,
        host: await members.host(name),
        priority: name === first ? 2 : 1,
      })),
    );
    await initiate(inside, { _id: setName, members: all, settings });
    return members.as(first, admin, client);
  }

  contract("a user is whom its certificate names, and a wrong one opens nothing", async (members) => {
    const primary = await begun(members, ["a"], { tls: files("a", memberPair()) });
    const pair = userPair(ca, "me", yesterday);
    const login = loginOf(pair);
    expect(login.user).toBe("CN=me,O=people");
    const run = (command: Record<string, unknown>) =>
      primary.command("$external", { ...command, writeConcern: majority });
    await run({ createUser: login.user, roles: [{ role: "readWrite", db: "shop" }] });
    const me = await members.as("a", login, client);
    await me.command("shop", { insert: "x", documents: [{ _id: 1 }], writeConcern: majority });
    await expect(me.command("admin", { replSetGetStatus: 1 })).rejects.toMatchObject({
      code: errorCodes.unauthorized,
    });
    const ping = async (other: Pair) =>
      (await members.as("a", loginOf(other), client)).command("shop", { find: "x" });
    await expect(ping(userPair(ca, "nobody", yesterday))).rejects.toMatchObject({ kind: "login" });
    await expect(ping(userPair(authority("forged", yesterday), "me", yesterday))).rejects.toMatchObject({
      kind: "unavailable",
    });
    // A member's certificate is no user's, and no user can be made of it.
    await expect(ping(memberPair())).rejects.toMatchObject({ kind: "login" });
    await expect(run({ createUser: "CN=spy,O=members", roles: [] })).rejects.toMatchObject({
      code: errorCodes.badValue,
    });
    await run({ dropUser: login.user });
    await expect(ping(pair)).rejects.toMatchObject({ kind: "login" });
  });

  contract("the first user may be one that shows a certificate", async (members) => {
    await members.start("a", { tls: files("first", memberPair()) });
    const inside = await members.as("a", undefined, client);
    const member = { _id: 0, host: await members.host("a") };
    await inside.command("admin", { replSetInitiate: { _id: setName, members: [member], settings } });
    await eventually(() => isPrimary(inside));
    const login = loginOf(userPair(ca, "operator", yesterday));
    const roles = [{ role: "root", db: "admin" }];
    await eventually(() =>
      inside.command("$external", { createUser: login.user, roles, writeConcern: majority }),
    );
    expect(await statesOf(await members.as("a", login, client))).toEqual(["PRIMARY"]);
    const refused = { code: errorCodes.unauthorized };
    await expect(inside.command("$external", { createUser: "CN=b", roles })).rejects.toMatchObject(refused);
  });

  contract(
    "members know each other by certificates of the same organization, and no other",
    async (members) => {
      const options = { tls: files("b", memberPair()), clusterAuthMode: "x509" } as const;
      const whole = ["PRIMARY", "SECONDARY", "SECONDARY"];
      const primary = await begun(members, ["a", "b", "c"], options);
      const isWhole = () =>
        eventually(async () => expect((await statesOf(primary)).toSorted()).toEqual(whole));
      await isWhole();
      await primary.command("shop", { insert: "x", documents: [{ _id: 1 }], writeConcern: majority });
      const system = await members.as("a", { ...loginOf(memberPair()), user: "" }, client);
      expect(await statesOf(system)).toHaveLength(3);
      await members.stop("b");
      await members.start("b", { ...options, tls: files("strange", memberPair(["strangers"])) });
      await eventually(async () =>
        expect((await statesOf(primary))[1]).toMatch(/not reachable|UNKNOWN|DOWN/),
      );
      await members.stop("b");
      await members.start("b", options);
      await isWhole();
    },
  );

  contract("a set goes from a key file to certificates, one member after the other", async (members) => {
    const tls = files("c", memberPair());
    const names = ["a", "b", "c"];
    await begun(members, names, { tls });
    const clients = await Promise.all(names.map((name) => members.as(name, admin, client)));
    let _id = 0;
    const write = () =>
      eventually(async () => {
        _id += 1;
        const insert = { insert: "x", documents: [{ _id }], writeConcern: majority };
        await Promise.any(clients.map((each) => each.command("shop", insert)));
      });
    // The primary last, so that there is one election for each mode.
    for (const clusterAuthMode of ["sendKeyFile", "sendX509", "x509"] as const)
      for (const name of names.toReversed()) {
        await members.stop(name);
        await write();
        await members.start(name, { tls, clusterAuthMode });
        await eventually(async () => {
          const [first = ""] = names;
          const states = await statesOf(await members.as(first, admin, client));
          expect(states.toSorted()).toEqual(["PRIMARY", "SECONDARY", "SECONDARY"]);
        });
      }
    await write();
  });

  contract(
    "from 5.0 on another certificate is read when it is asked for, and connections go on",
    async (members) => {
      const pair = memberPair();
      const tls = files("d", pair);
      const primary = await begun(members, ["a"], { tls, version: "7.0.14" });
      const { version } = await primary.command("admin", { buildInfo: 1 });
      if (Number(String(version).split(".")[0]) < 5) return;
      const address = await members.host("a");
      const before = await servedCertificate(address, "localhost", 2_000);
      expect(before).toBeDefined();
      files("d", memberPair());
      expect(await servedCertificate(address, "localhost", 2_000)).toBe(before);
      await primary.command("admin", { rotateCertificates: 1 });
      await eventually(async () =>
        expect(await servedCertificate(address, "localhost", 2_000)).not.toBe(before),
      );
      await primary.command("shop", { insert: "x", documents: [{ _id: 1 }], writeConcern: majority });
    },
  );
});

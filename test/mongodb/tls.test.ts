// TLS over the wire: the model of mongod in each of its modes, with certificates that are made here, and MongoDB's driver.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ClientTls } from "../../operators/mongodb/src/client/mongo-member.js";
import { authority, pairOf } from "../../operators/mongodb/src/controllers/fixtures/certificates.js";
import { eventually, ModelMembers, setName } from "./members.js";

const yesterday = Date.now() - 86_400_000;

describe("TLS of the model of mongod", { timeout: 30_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "kubewright-mongodb-tls-"));
  const files = { certificateKeyFile: join(folder, "server.pem"), caFile: join(folder, "ca.crt") };
  let client: ClientTls;
  beforeAll(() => {
    const issuer = authority("test", yesterday);
    const { certificate, key } = pairOf(issuer, { hosts: ["localhost", "127.0.0.1"], notBefore: yesterday });
    writeFileSync(files.certificateKeyFile, `${certificate}${key}`);
    writeFileSync(files.caFile, issuer.certificate);
    client = { ca: issuer.certificate, certificate: undefined, key: undefined };
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each([
    ["allowTLS", true, true],
    ["preferTLS", true, true],
    ["requireTLS", true, false],
  ])("%s: with TLS %s, without %s", async (mode, secure, plain) => {
    const members = new ModelMembers();
    try {
      await members.start("a", { tls: { mode, ...files } });
      const ask = async (tls: ClientTls | undefined) =>
        (await members.as("a", undefined, tls)).command("admin", { ping: 1 }).then(
          () => true,
          () => false,
        );
      expect(await ask(client)).toBe(secure);
      expect(await ask(undefined)).toBe(plain);
      const stranger = authority("another", yesterday);
      expect(await ask({ ...client, ca: stranger.certificate })).toBe(false);
    } finally {
      await members.close();
    }
  });

  test("members that take nothing but TLS make a set of it", async () => {
    const members = new ModelMembers();
    const tls = { mode: "requireTLS", ...files };
    try {
      await members.start("a", { tls });
      await members.start("b", { tls });
      const inside = await members.as("a", undefined, client);
      const hosts = [await members.host("a"), await members.host("b")];
      const config = { _id: setName, members: hosts.map((host, _id) => ({ _id, host })) };
      await inside.command("admin", { replSetInitiate: config });
      await eventually(async () => {
        const { members: states } = await inside.command("admin", { replSetGetStatus: 1 });
        expect((states as { stateStr: string }[]).map(({ stateStr }) => stateStr).toSorted()).toEqual([
          "PRIMARY",
          "SECONDARY",
        ]);
      });
    } finally {
      await members.close();
    }
  });
});

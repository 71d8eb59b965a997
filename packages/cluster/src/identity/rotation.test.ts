import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { Namespace, ServiceAccount, VirtualClock } from "@kubewright/api";
import { afterEach, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../cluster.js";
import { freshKeys, keptKeys } from "./cluster-keys.js";

const year = 365 * 24 * 60 * 60 * 1000;
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** The certificate a port shows, checked against an authority if one is given. */
function shown(port: number, ca?: string): Promise<X509Certificate> {
  return new Promise((resolve, reject) => {
    const socket = connect(
      { port, host: "127.0.0.1", ...(ca ? { ca } : { rejectUnauthorized: false }) },
      () => {
        const { raw } = socket.getPeerCertificate();
        socket.destroy();
        resolve(new X509Certificate(raw));
      },
    );
    socket.on("error", reject);
  });
}

const authorityIn = (kubeconfig: string): string =>
  Buffer.from(/certificate-authority-data: (\S+)/.exec(kubeconfig)?.[1] ?? "", "base64").toString();

async function tokenOf(cluster: Cluster): Promise<string> {
  const path = "/api/v1/namespaces/default/serviceaccounts/default/token";
  const response = await cluster.server.transport()({
    method: "POST",
    path,
    headers: { "content-type": "application/json" },
    body: { kind: "object", value: { spec: { expirationSeconds: 4 * 365 * 24 * 3600 } } },
  });
  return (response.body as { value: { status: { token: string } } }).value.status.token;
}

const statusFor = async (cluster: Cluster, token: string): Promise<number> => {
  const headers = { authorization: `Bearer ${token}` };
  return (await cluster.server.handle({ method: "GET", path: "/version", headers }, {})).status;
};

describe("a cluster that runs for years", () => {
  test("shows a certificate that is good, whoever came when", { timeout: 60_000 }, async () => {
    const clock = new VirtualClock({ start: Date.now() });
    await using cluster = await startCluster({ clock, nodes: 0, controllers: "none" });
    const { port, kubeconfig } = await cluster.listen();
    const authority = authorityIn(kubeconfig);
    const first = await shown(port, authority);
    await clock.advance(year);
    const second = await shown(port, authority);
    expect(second.serialNumber).not.toBe(first.serialNumber);
    expect(Date.parse(second.validTo)).toBeGreaterThan(clock.now());
    // Clients' clocks did not jump: it must be good for them too.
    expect(Date.parse(second.validFrom)).toBeLessThan(Date.now());
    await cluster.client.list(Namespace);
    clock.jump(year);
    await clock.advance(24 * 60 * 60 * 1000);
    const third = await shown(port, authority);
    expect(Date.parse(third.validTo)).toBeGreaterThan(clock.now());
  });

  test("works on after its clock jumped", { timeout: 120_000 }, async () => {
    const clock = new VirtualClock({ start: Date.now() });
    await using cluster = await startCluster({ clock, nodes: 1 });
    await clock.advance(60_000);
    clock.jump(year);
    await clock.advance(60_000);
    const token = await tokenOf(cluster);
    expect(await statusFor(cluster, token)).toBe(200);
    clock.jump(year);
    expect(await statusFor(cluster, token)).toBe(200);
    await cluster.client.create(Namespace, { metadata: { name: "later" } });
    await clock.advance(60_000);
    const accounts = await cluster.client.list(ServiceAccount, { namespace: "later" });
    expect(accounts.items.map(({ metadata }) => metadata?.name)).toEqual(["default"]);
  });

  test("has an authority that is renewed with the same key, so that those who trusted it still do", () => {
    const now = Date.parse("2026-01-01T00:00:00Z");
    const keys = freshKeys();
    const first = keys.authority(now);
    expect(keys.authority(now + 7 * year)).toBe(first);
    const second = keys.authority(now + 8.5 * year);
    expect(second.certificate).not.toBe(first.certificate);
    expect(second.key).toBe(first.key);
    const leaf = new X509Certificate(
      second.issue({ commonName: "x", usage: "server", notBefore: now, notAfter: now + 9 * year })
        .certificate,
    );
    for (const { certificate } of [first, second]) {
      const authority = new X509Certificate(certificate);
      expect(leaf.checkIssued(authority) && leaf.verify(authority.publicKey)).toBe(true);
    }
    expect(Date.parse(new X509Certificate(second.certificate).validTo)).toBeGreaterThan(now + 18 * year);
  });
});

describe("keys that are changed", () => {
  test("are believed for a while", async () => {
    const clock = new VirtualClock();
    await using cluster = await startCluster({ clock, nodes: 0, controllers: ["serviceaccount"] });
    await clock.advance(1000);
    const { port } = await cluster.listen();
    const [old, before] = [await tokenOf(cluster), await shown(port)];
    cluster.rotateKeys({ acceptFor: 60_000 });
    const young = await tokenOf(cluster);
    expect((await shown(port)).serialNumber).not.toBe(before.serialNumber);
    expect([await statusFor(cluster, old), await statusFor(cluster, young)]).toEqual([200, 200]);
    await clock.advance(60_000);
    expect([await statusFor(cluster, old), await statusFor(cluster, young)]).toEqual([401, 200]);
  });

  test("are kept in the data directory, with those before them", () => {
    const folder = mkdtempSync(join(tmpdir(), "kubewright-"));
    folders.push(folder);
    const now = Date.parse("2026-01-01T00:00:00Z");
    const first = keptKeys(folder, now);
    const key = first.rotateServiceAccountKey(now, year);
    first.authority(now + 9 * year);
    const second = keptKeys(folder, now);
    expect(second.serviceAccountKey).toBe(key);
    expect(second.formerServiceAccountKeys).toEqual([{ key: first.serviceAccountKey, until: now + year }]);
    expect(second.token).toBe(first.token);
    expect(second.authority(now).certificate).toBe(first.authority(now).certificate);
  });
});

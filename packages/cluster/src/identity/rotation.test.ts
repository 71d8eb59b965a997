import { X509Certificate } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { ConfigMap, Namespace, Secret, ServiceAccount, VirtualClock } from "@kubewright/api";
import type { KeyPair } from "@kubewright/api/x509";
import { afterEach, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../cluster.js";
import { openState } from "../snapshot/cluster-state.js";
import { freshKeys, keptKeys } from "./cluster-keys.js";

const year = 365 * 24 * 60 * 60 * 1000;
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** The certificate a port shows, verified with a CA if one is given. */
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

const caIn = (kubeconfig: string): string =>
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
  test("serves a valid certificate to old and new clients at any time", { timeout: 60_000 }, async () => {
    const clock = new VirtualClock({ start: Date.now() });
    await using cluster = await startCluster({ clock, nodes: 0, controllers: "none" });
    const { port, kubeconfig } = await cluster.listen();
    const authority = caIn(kubeconfig);
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

  test("renews its CA with the same key, so that clients which trusted it still do", () => {
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

describe("a renewed CA", () => {
  test("is published in kubeconfigs and namespaces, and clients that know only the former one still trust the server", {
    timeout: 60_000,
  }, async () => {
    const clock = new VirtualClock({ start: Date.now() });
    await using cluster = await startCluster({
      clock,
      nodes: 0,
      controllers: ["root-ca-certificate-publisher"],
    });
    const kubeconfigs: string[] = [];
    const endpoint = await cluster.listen({ onKubeconfig: (kubeconfig) => kubeconfigs.push(kubeconfig) });
    const before = caIn(endpoint.kubeconfig);
    const published = async () =>
      (await cluster.client.get(ConfigMap, "kube-root-ca.crt", { namespace: "default" })).data?.["ca.crt"];
    await clock.advance(1000);
    expect(await published()).toBe(before);
    clock.jump(8.5 * year);
    await clock.advance(24 * 60 * 60 * 1000);
    const after = caIn(endpoint.kubeconfig);
    expect(after).not.toBe(before);
    expect(kubeconfigs.map(caIn)).toEqual([after]);
    expect(await published()).toBe(after);
    const authentication = "extension-apiserver-authentication";
    expect(
      (await cluster.client.get(ConfigMap, authentication, { namespace: "kube-system" })).data?.[
        "client-ca-file"
      ],
    ).toContain(after.trim());
    for (const authority of [before, after]) await shown(endpoint.port, authority);
  });
});

describe("the CA of the front proxy", () => {
  test("signs no CertificateSigningRequest, and what the client CA signs is no front proxy", {
    timeout: 60_000,
  }, async () => {
    const clock = new VirtualClock({ start: Date.now() });
    await using cluster = await startCluster({ clock, nodes: 0, controllers: "none" });
    await cluster.listen();
    const { data = {} } = await cluster.client.get(ConfigMap, "extension-apiserver-authentication", {
      namespace: "kube-system",
    });
    const client = new X509Certificate(data["client-ca-file"] ?? "");
    const requestHeader = new X509Certificate(data["requestheader-client-ca-file"] ?? "");
    expect(requestHeader.subject).not.toBe(client.subject);
    expect(requestHeader.verify(client.publicKey)).toBe(false);
    expect(client.verify(requestHeader.publicKey)).toBe(false);
  });
});

describe("a rotated CA", () => {
  const certificates = (bundle: string) => bundle.match(/-----BEGIN[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  const nameOfCaller = async (port: number, ca: string, { certificate, key }: KeyPair): Promise<string> => {
    const agent = new Agent({ ca, cert: certificate, key });
    const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    const headers = { "content-type": "application/json" };
    const answer = await new Promise<string>((resolve, reject) => {
      const sent = request({ port, host: "127.0.0.1", path, method: "POST", headers, agent }, (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => {
          text += chunk.toString();
        });
        response.on("end", () => resolve(text));
      });
      sent.on("error", reject);
      sent.end("{}");
    });
    agent.destroy();
    const review: { status?: { userInfo?: { username?: string } } } = JSON.parse(answer);
    return review.status?.userInfo?.username ?? "nobody";
  };

  test("is trusted beside the former one, and alone once that one's time is over", {
    timeout: 60_000,
  }, async () => {
    const clock = new VirtualClock({ start: Date.now() });
    await using cluster = await startCluster({
      clock,
      nodes: 0,
      controllers: ["root-ca-certificate-publisher", "serviceaccount", "serviceaccount-token"],
    });
    const kubeconfigs: string[] = [];
    const endpoint = await cluster.listen({ onKubeconfig: (kubeconfig) => kubeconfigs.push(kubeconfig) });
    await clock.advance(1000);
    await cluster.client.create(Secret, {
      metadata: {
        name: "robot",
        namespace: "default",
        annotations: { "kubernetes.io/service-account.name": "default" },
      },
      type: "kubernetes.io/service-account-token",
    });
    const before = caIn(endpoint.kubeconfig);
    cluster.rotateCA({ acceptFor: 60_000 });
    await clock.advance(1000);
    const both = caIn(endpoint.kubeconfig);
    const published = async () => ({
      configMap: (await cluster.client.get(ConfigMap, "kube-root-ca.crt", { namespace: "default" })).data?.[
        "ca.crt"
      ],
      secret: Buffer.from(
        (await cluster.client.get(Secret, "robot", { namespace: "default" })).data?.["ca.crt"] ?? "",
        "base64",
      ).toString(),
      extensions: (
        await cluster.client.get(ConfigMap, "extension-apiserver-authentication", {
          namespace: "kube-system",
        })
      ).data?.["client-ca-file"],
    });
    const [after = ""] = certificates(both);
    expect(certificates(both)).toEqual([after, before.trim()]);
    expect(await published()).toEqual({ configMap: both, secret: both, extensions: both });
    for (const authority of [before, both, after]) await shown(endpoint.port, authority);

    await clock.advance(60_000);
    expect(caIn(endpoint.kubeconfig).trim()).toBe(after);
    expect((await published()).configMap?.trim()).toBe(after);
    expect(kubeconfigs.map(caIn)).toEqual([both, caIn(endpoint.kubeconfig)]);
    await shown(endpoint.port, after);
    await expect(shown(endpoint.port, before)).rejects.toThrow();
  });

  test("accepts client certificates that the former one signed, for as long as that one is trusted", {
    timeout: 60_000,
  }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "kubewright-"));
    folders.push(folder);
    const clock = new VirtualClock({ start: Date.now() });
    const before = openState({ dataDir: folder, clock, onError: () => undefined });
    await before.close();
    const jane = before.keys.authority(clock.now()).issue({
      commonName: "jane",
      usage: "client",
      notBefore: clock.now() - 1000,
      notAfter: clock.now() + year,
    });
    await using cluster = await startCluster({ clock, dataDir: folder, nodes: 0, controllers: "none" });
    const { port, kubeconfig } = await cluster.listen();
    const ca = caIn(kubeconfig);
    expect(await nameOfCaller(port, ca, jane)).toBe("jane");
    cluster.rotateCA({ acceptFor: 60_000 });
    expect(await nameOfCaller(port, ca, jane)).toBe("jane");
    await clock.advance(60_000);
    const left = keptKeys(folder, clock.now()).trust(clock.now()).bundle;
    expect(await nameOfCaller(port, left, jane)).not.toBe("jane");
  });

  test("is trusted from every former one over the bridges in between", { timeout: 60_000 }, async () => {
    const clock = new VirtualClock({ start: Date.now() });
    await using cluster = await startCluster({ clock, nodes: 0, controllers: "none" });
    const endpoint = await cluster.listen();
    const first = caIn(endpoint.kubeconfig);
    cluster.rotateCA();
    const [second = ""] = certificates(caIn(endpoint.kubeconfig));
    cluster.rotateCA();
    const [third = ""] = certificates(caIn(endpoint.kubeconfig));
    for (const authority of [first, second, third]) await shown(endpoint.port, authority);
    cluster.rotateCA({ acceptFor: 0 });
    expect(certificates(caIn(endpoint.kubeconfig))).toHaveLength(1);
    for (const authority of [first, second, third])
      await expect(shown(endpoint.port, authority)).rejects.toThrow();
  });

  test("is kept in the data directory with former ones, whose keys are not", () => {
    const folder = mkdtempSync(join(tmpdir(), "kubewright-"));
    folders.push(folder);
    const now = Date.now();
    const keys = keptKeys(folder, now);
    const { key } = keys.authority(now);
    keys.rotateCA(now, year);
    const again = keptKeys(folder, now);
    expect(again.authority(now).key).toBe(keys.authority(now).key);
    expect(again.trust(now)).toEqual(keys.trust(now));
    expect(again.trust(now + year).bundle).toBe(again.authority(now).certificate);
    expect(readFileSync(join(folder, "keys.json"), "utf8")).not.toContain(JSON.stringify(key).slice(1, -1));
    again.authority(now + 9 * year);
    expect(keptKeys(folder, now).authority(now).certificate).toBe(again.authority(now).certificate);
  });
});

describe("the administrator's token", () => {
  const tokenIn = (kubeconfig: string) => /token: "(.*)"/.exec(kubeconfig)?.[1] ?? "";

  test("is rotated, and the former one accepted for a while", async () => {
    const clock = new VirtualClock();
    await using cluster = await startCluster({ clock, nodes: 0, controllers: "none" });
    const kubeconfigs: string[] = [];
    const endpoint = await cluster.listen({ onKubeconfig: (kubeconfig) => kubeconfigs.push(kubeconfig) });
    const before = tokenIn(endpoint.kubeconfig);
    cluster.rotateToken({ acceptFor: 60_000 });
    const after = tokenIn(endpoint.kubeconfig);
    expect(kubeconfigs.map(tokenIn)).toEqual([after]);
    expect([await statusFor(cluster, before), await statusFor(cluster, after)]).toEqual([200, 200]);
    await clock.advance(60_000);
    expect([await statusFor(cluster, before), await statusFor(cluster, after)]).toEqual([401, 200]);
    cluster.rotateToken({ acceptFor: 0 });
    expect(await statusFor(cluster, after)).toBe(401);
  });

  test("is kept in the data directory with those before it", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "kubewright-"));
    folders.push(dataDir);
    const now = Date.now();
    const keys = keptKeys(dataDir, now);
    const first = keys.token;
    keys.rotateToken(now, 60_000);
    keys.rotateToken(now + 1000, 60_000);
    const again = keptKeys(dataDir, now);
    expect(again.token).toBe(keys.token);
    expect(again.formerTokens.map(({ until }) => until - now)).toEqual([60_000, 61_000]);
    expect(again.formerTokens[0]?.token).toBe(first);
    again.rotateToken(now + year, 1000);
    expect(again.formerTokens).toHaveLength(1);
  });
});

describe("rotated signing keys for service account tokens", () => {
  test("are accepted for a while", async () => {
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

describe("keys in a data directory", () => {
  const newFolder = (): string => {
    const folder = mkdtempSync(join(tmpdir(), "kubewright-"));
    folders.push(folder);
    return folder;
  };
  const now = Date.parse("2026-01-01T00:00:00Z");

  test("include the CA of the front proxy, which stays until the client CA is rotated", () => {
    const folder = newFolder();
    const first = keptKeys(folder, now).frontProxyAuthority(now);
    const second = keptKeys(folder, now);
    expect(second.frontProxyAuthority(now).key).toBe(first.key);
    expect(second.frontProxyAuthority(now).certificate).toBe(first.certificate);
    const renewed = second.frontProxyAuthority(now + 9 * year);
    expect(renewed.key).toBe(first.key);
    expect(keptKeys(folder, now).frontProxyAuthority(now).certificate).toBe(renewed.certificate);
    second.rotateCA(now, year);
    const third = second.frontProxyAuthority(now);
    expect(third.key).not.toBe(first.key);
    expect(keptKeys(folder, now).frontProxyAuthority(now).key).toBe(third.key);
  });

  test("of a version without that CA get one", () => {
    const folder = newFolder();
    keptKeys(folder, now);
    const file = join(folder, "keys.json");
    const { frontProxy: _frontProxy, ...older } = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify(older));
    const { key } = keptKeys(folder, now).frontProxyAuthority(now);
    expect(keptKeys(folder, now).frontProxyAuthority(now).key).toBe(key);
  });

  test("are the same CA for extension API servers after a restart", async () => {
    const dataDir = newFolder();
    const published = async (): Promise<string | undefined> => {
      await using cluster = await startCluster({ dataDir, nodes: 0, controllers: "none" });
      await cluster.listen();
      const info = { namespace: "kube-system" };
      const { data } = await cluster.client.get(ConfigMap, "extension-apiserver-authentication", info);
      return data?.["requestheader-client-ca-file"];
    };
    const first = await published();
    expect(first).toContain("BEGIN CERTIFICATE");
    expect(await published()).toBe(first);
  });

  test("are not changed by a process that another has taken the directory from", () => {
    const folder = newFolder();
    const lock = { isHeld: true };
    const keys = keptKeys(folder, now, lock);
    const file = join(folder, "keys.json");
    const before = readFileSync(file, "utf8");
    lock.isHeld = false;
    const attempts = [
      () => keys.rotateToken(now, 1000),
      () => keys.rotateServiceAccountKey(now, 1000),
      () => keys.rotateCA(now, 1000),
    ];
    for (const attempt of attempts) expect(attempt).toThrow("belongs to another process by now");
    keys.authority(now + 9 * year);
    keys.frontProxyAuthority(now + 9 * year);
    expect(readFileSync(file, "utf8")).toBe(before);
    expect(readdirSync(folder)).toEqual(["keys.json"]);
    expect(keptKeys(folder, now).token).toBe(keys.token);
  });

  test("are not changed by a cluster whose directory was taken over", async () => {
    const dataDir = newFolder();
    const { keys, close } = openState({ dataDir, clock: new VirtualClock(), onError: () => undefined });
    // What a starter does that has waited in vain for a touch of the lock.
    rmSync(join(dataDir, "lock"));
    writeFileSync(join(dataDir, "lock"), "1 - - another\n");
    expect(() => keys.rotateToken(now, 1000)).toThrow("belongs to another process by now");
    await close().catch(() => undefined);
    expect(readFileSync(join(dataDir, "lock"), "utf8")).toContain("another");
  });
});

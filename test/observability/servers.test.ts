// What kubelet, Prometheus and strangers get from a manager's ports.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ClusterRole,
  ClusterRoleBinding,
  CustomResourceDefinition,
  ServiceAccount,
  TokenReview,
} from "@kubewright/api";
import { createCertificateAuthority } from "@kubewright/api/x509";
import { defineController } from "@kubewright/runtime";
import { describe, expect, test } from "vitest";
import { Box, boxNamed, Harness, namespace } from "../runtime-controllers/harness.js";

const local = { port: 0 };

async function get(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers });
  return { status: response.status, type: response.headers.get("content-type"), body: await response.text() };
}

/** Trusts whatever certificate is shown, and tells whose it is. */
function getSecure(url: string, token?: string): Promise<{ status: number; body: string; subject: string }> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers, rejectUnauthorized: false, agent: false }, (response) => {
      const socket = response.socket as unknown as { getPeerCertificate(): { subject: { CN: string } } };
      const subject = socket.getPeerCertificate().subject.CN;
      let body = "";
      response.on("data", (chunk) => {
        body += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body, subject }));
    });
    asked.on("error", reject).end();
  });
}

describe("probes", () => {
  test("say ready when the caches are filled, and live all the time", async () => {
    await using harness = await Harness.start();
    await harness.client.delete(CustomResourceDefinition, Box.crd().metadata?.name ?? "");
    await harness.settle();
    const controller = defineController(Box, { cacheSyncTimeout: 1_000, reconcile: () => undefined });
    const manager = await harness.manage([controller], { health: local });
    const url = manager.addresses.health ?? "";
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await get(`${url}/livez`)).toMatchObject({ status: 200, body: "ok" });
    expect((await get(`${url}/readyz`)).status).toBe(500);
    expect((await get(`${url}/readyz/caches`)).body).toBe("internal server error: not filled yet: Box\n");
    await harness.client.create(CustomResourceDefinition, Box.crd());
    await harness.clock.advance(60_000);
    expect(await get(`${url}/readyz`)).toMatchObject({ status: 200, body: "ok" });
    await harness.clock.runUntilSettled(manager.close());
    await expect(fetch(`${url}/livez`)).rejects.toThrow();
    expect(manager.addresses.health).toBeUndefined();
  });

  test("say that a reconcile hangs beyond its time, and ask the author's checks", async () => {
    await using harness = await Harness.start();
    await harness.client.create(Box, boxNamed("a"));
    let isStuck = true;
    const controller = defineController(Box, {
      timeout: Number.POSITIVE_INFINITY,
      reconcile: (_, ctx) => ctx.sleep(3_600_000),
    });
    const manager = await harness.manage([controller], {
      health: {
        ...local,
        checks: {
          live: {
            belt: () => {
              if (isStuck) throw new Error("stuck");
            },
          },
        },
      },
      manager: { checks: { ready: { paint: () => undefined } } },
    });
    const url = manager.addresses.health ?? "";
    expect((await get(`${url}/livez/belt`)).body).toContain("stuck");
    isStuck = false;
    expect((await get(`${url}/livez?verbose`)).body).toBe(
      "[+]ping ok\n[+]workers ok\n[+]leader-election ok\n[+]belt ok\nlivez check passed\n",
    );
    expect((await get(`${url}/readyz?verbose`)).body).toContain("[+]paint ok\n");
  });

  test("refuse what is no question", async () => {
    await using harness = await Harness.start();
    const manager = await harness.manage([], { health: local });
    const response = await fetch(`${manager.addresses.health}/livez`, { method: "POST", body: "x" });
    expect(response.status).toBe(405);
  });
});

describe("metrics", () => {
  test("are served in the open on loopback, in the format asked for", async () => {
    await using harness = await Harness.start();
    const manager = await harness.manage([], { metrics: local });
    const url = `${manager.addresses.metrics}/metrics`;
    expect(await get(url)).toMatchObject({ status: 200, type: "text/plain; version=0.0.4; charset=utf-8" });
    const open = await get(url, { accept: "application/openmetrics-text" });
    expect(open.type).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
    expect(open.body.endsWith("# EOF\n")).toBe(true);
    expect((await get(`${manager.addresses.metrics}/other`)).status).toBe(404);
  });

  test("a port that is taken stops the manager from starting, and nothing is left", async () => {
    await using harness = await Harness.start();
    const first = await harness.manage([], { metrics: local });
    const port = Number(new URL(first.addresses.metrics ?? "").port);
    await expect(harness.manage([], { metrics: { port }, health: local })).rejects.toThrow("EADDRINUSE");
  });

  /** A service account with a token; scrapers may read metrics. */
  async function account({ client }: Harness, name: string, paths: readonly string[]): Promise<string> {
    await client.create(ServiceAccount, { metadata: { name, namespace } });
    const rules = [{ nonResourceURLs: [...paths], verbs: ["get"] }];
    await client.create(ClusterRole, { metadata: { name }, rules });
    await client.create(ClusterRoleBinding, {
      metadata: { name },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
      subjects: [{ kind: "ServiceAccount", name, namespace }],
    });
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { audiences: [] } };
    const answer = (await client.raw(path, { method: "POST", body })) as { status?: { token?: string } };
    return answer.status?.token ?? "";
  }

  test("that are secured are given to users who may read them, and the server is asked once", async () => {
    await using harness = await Harness.start();
    const scraper = await account(harness, "scraper", ["/metrics"]);
    const stranger = await account(harness, "stranger", ["/other"]);
    const manager = await harness.manage([], { metrics: { ...local, secure: true } });
    const url = `${manager.addresses.metrics}/metrics`;
    expect(url).toMatch(/^https:/);
    expect((await getSecure(url)).status).toBe(401);
    expect((await getSecure(url, "made-up")).status).toBe(401);
    expect(await getSecure(url, stranger)).toMatchObject({
      status: 403,
      body: "Authorization denied for user system:serviceaccount:default:stranger\n",
    });
    harness.requests.length = 0;
    for (let time = 0; time < 3; time++)
      expect(await getSecure(url, scraper)).toMatchObject({ status: 200, subject: "kubewright-metrics" });
    const reviews = () => harness.requests.filter(({ path }) => path.endsWith("reviews")).length;
    expect(reviews()).toBe(2);
    await harness.clock.advance(61_000);
    expect((await getSecure(url, scraper)).status).toBe(200);
    expect(reviews()).toBe(3);
    harness.interfere = ({ path }) => (path.endsWith(TokenReview.plural) ? "fail" : undefined);
    expect((await getSecure(url, `${scraper}x`)).status).toBe(500);
  });

  test("show the certificate of files, and the next one when it is renewed", async () => {
    await using harness = await Harness.start();
    const directory = await mkdtemp(join(tmpdir(), "kubewright-"));
    const files = { certificate: join(directory, "tls.crt"), key: join(directory, "tls.key") };
    const write = async (commonName: string): Promise<void> => {
      const valid = { notBefore: Date.now() - 60_000, notAfter: Date.now() + 3_600_000 };
      const authority = createCertificateAuthority({ commonName: "ca", ...valid });
      const pair = authority.issue({ commonName, hosts: ["localhost"], usage: "server", ...valid });
      await writeFile(files.certificate, pair.certificate);
      await writeFile(files.key, pair.key);
    };
    await write("first");
    const manager = await harness.manage([], { metrics: { ...local, secure: { files } } });
    const url = `${manager.addresses.metrics}/metrics`;
    expect((await getSecure(url)).subject).toBe("first");
    await write("second");
    await harness.clock.advance(60_000);
    await expect.poll(async () => (await getSecure(url)).subject, { timeout: 10_000 }).toBe("second");
    await rm(directory, { recursive: true });
    await harness.clock.advance(60_000);
    await expect.poll(() => harness.errors.length, { timeout: 10_000 }).toBeGreaterThan(0);
    expect(manager.metrics.format()).toContain("certwatcher_read_certificate_errors_total 1");
  });
});

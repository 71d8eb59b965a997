import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { ConfigMap } from "@kubewright/api";
import { createCertificateAuthority } from "@kubewright/api/x509";
import { ConfigError } from "@kubewright/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AuditWebhookFile } from "./audit-files.js";
import { startCluster } from "./cluster.js";

const now = Date.now();
const validity = { notBefore: now - 60_000, notAfter: now + 3_600_000 };
const authority = createCertificateAuthority({ commonName: "ca", ...validity });
const serving = authority.issue({ commonName: "audit", hosts: ["127.0.0.1"], usage: "server", ...validity });
const client = authority.issue({ commonName: "api-server", usage: "client", ...validity });

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly token: string | undefined;
  readonly client: string | undefined;
  readonly type: string | undefined;
  readonly list: { readonly kind: string; readonly items: readonly Record<string, unknown>[] };
}

let folder: string;
let server: Server;
let received: Received[];
let status: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "audit-webhook-"));
  received = [];
  status = 200;
  const { certificate: cert, key } = serving;
  server = createServer(
    { cert, key, ca: authority.certificate, requestCert: true },
    async (incoming, outgoing) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk);
      const { method, url, headers } = incoming;
      received.push({
        method,
        url,
        token: headers.authorization,
        client: String((incoming.socket as TLSSocket).getPeerCertificate().subject.CN),
        type: headers["content-type"],
        list: JSON.parse(Buffer.concat(chunks).toString()),
      });
      outgoing.writeHead(status).end("whatever");
    },
  );
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

const encoded = (text: string): string => Buffer.from(text).toString("base64");

function configFile(ca = authority.certificate): string {
  const file = join(folder, "webhook.yaml");
  const { port } = server.address() as AddressInfo;
  writeFileSync(
    file,
    `apiVersion: v1
kind: Config
clusters:
- name: audit
  cluster: {server: "https://127.0.0.1:${port}/events", certificate-authority-data: ${encoded(ca)}}
users:
- name: api-server
  user: {token: very-secret, client-certificate-data: ${encoded(client.certificate)}, client-key-data: ${encoded(client.key)}}
contexts:
- name: audit
  context: {cluster: audit, user: api-server}
current-context: audit
`,
  );
  return file;
}

const cluster = (
  webhook: Partial<AuditWebhookFile> = {},
  onError?: (where: string, error: unknown) => void,
) =>
  startCluster({
    controllers: "none",
    nodes: 0,
    onError,
    auditWebhook: { config: configFile(), initialBackoff: 1, ...webhook },
  });

const map = { metadata: { name: "audited", namespace: "default" } };

test("audit webhook: gets all events before the cluster closes, with the credentials of its kubeconfig", async () => {
  const running = await cluster();
  await running.client.create(ConfigMap, map);
  await running.close();
  expect(received[0]).toMatchObject({
    method: "POST",
    url: "/events?timeout=30s",
    token: "Bearer very-secret",
    client: "api-server",
    type: "application/json",
    list: { kind: "EventList", apiVersion: "audit.k8s.io/v1" },
  });
  const stages = received
    .flatMap(({ list }) => list.items)
    .filter(({ objectRef }) => (objectRef as { name?: string } | undefined)?.name === "audited")
    .map(({ stage }) => stage);
  expect(stages).toContain("ResponseComplete");
});

test("audit webhook: requests wait for it in mode blocking", async () => {
  const running = await cluster({ mode: "blocking" });
  const before = received.length;
  await running.client.create(ConfigMap, map);
  expect(received.length).toBeGreaterThan(before);
  await running.close();
});

test("audit webhook: events that it refuses are reported as an error, without secrets", async () => {
  status = 503;
  const errors: string[] = [];
  const running = await cluster({}, (where, error) => void errors.push(`${where}: ${String(error)}`));
  await running.close();
  expect(errors).toContain("audit webhook: Error: the audit webhook answered with status 503");
  expect(received.length % 5).toBe(0);
  expect(errors.join()).not.toContain("secret");
});

test("audit webhook: a server whose certificate no trusted CA signed gets nothing", async () => {
  const other = createCertificateAuthority({ commonName: "other", ...validity });
  const errors: string[] = [];
  const running = await startCluster({
    controllers: "none",
    nodes: 0,
    onError: (where, error) => void errors.push(`${where}: ${String(error)}`),
    auditWebhook: { config: configFile(other.certificate), initialBackoff: 1 },
  });
  await running.close();
  expect(received).toEqual([]);
  expect(errors.join()).toMatch(/^audit webhook: .*certificate/);
  expect(errors.join()).not.toContain("secret");
});

test.each([
  ["that is not there", undefined, /ENOENT/],
  [
    "without a context",
    "apiVersion: v1\nusers: [{name: a, user: {token: very-secret}}]\n",
    /no current-context/,
  ],
  ["that is no YAML", "a: [very-secret", /is not valid YAML/],
])("audit webhook: a kubeconfig %s is refused", async (_, text, message) => {
  const config = join(folder, "bad.yaml");
  if (text !== undefined) writeFileSync(config, text);
  const failure = await startCluster({ controllers: "none", auditWebhook: { config } }).catch(
    (error) => error,
  );
  expect(failure).toBeInstanceOf(ConfigError);
  expect(String(failure)).toMatch(message);
  expect(String(failure)).not.toContain("secret");
});

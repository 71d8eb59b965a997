// The client suite against the embedded server: with no socket, and over TLS as another process would.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCertificateAuthority } from "@kubewright/api/x509";
import { admin, createApiServer, listen } from "@kubewright/apiserver";
import { Client, clientFromKubeConfig, loadKubeConfig } from "@kubewright/client";
import { describe } from "vitest";
import { clientSuite, type SuiteTarget } from "./client-suite.js";

describe("in process", () => {
  clientSuite(async () => {
    const server = createApiServer();
    const warnings: string[] = [];
    const client = new Client({ transport: server.transport(), onWarning: (text) => warnings.push(text) });
    return { client, warnings, close: async () => server.close() };
  });
});

const hour = 3_600_000;

/** A server on a port, and a client for it from a kubeconfig file with that user. */
async function overTls(
  user: (issued: { cert: string; key: string; token: string }) => object,
): Promise<SuiteTarget> {
  const token = "a-token-for-tests";
  const validity = { notBefore: Date.now() - hour, notAfter: Date.now() + hour };
  const authority = createCertificateAuthority({ commonName: "suite", ...validity });
  const serving = authority.issue({ commonName: "api", hosts: ["127.0.0.1"], usage: "server", ...validity });
  const issued = authority.issue({
    commonName: "admin",
    organizations: ["system:masters"],
    usage: "client",
    ...validity,
  });
  const server = createApiServer({ tokens: new Map([[token, admin]]) });
  const listener = await listen((request, peer) => server.handle(request, peer), {
    host: "127.0.0.1",
    port: 0,
    serving,
    clientAuthority: authority.certificate,
  });
  const encode = (text: string): string => Buffer.from(text).toString("base64");
  const directory = await mkdtemp(join(tmpdir(), "client-suite-"));
  const path = join(directory, "config");
  const cluster = { server: listener.url, "certificate-authority-data": encode(authority.certificate) };
  const content = {
    "current-context": "suite",
    contexts: [{ name: "suite", context: { cluster: "suite", user: "suite" } }],
    clusters: [{ name: "suite", cluster }],
    users: [
      { name: "suite", user: user({ cert: encode(issued.certificate), key: encode(issued.key), token }) },
    ],
  };
  await writeFile(path, JSON.stringify(content));
  const warnings: string[] = [];
  const config = await loadKubeConfig({ path });
  const client = clientFromKubeConfig(config, { onWarning: (text) => warnings.push(text) });
  const close = async (): Promise<void> => {
    await client.close();
    await listener.close();
    server.close();
    await rm(directory, { recursive: true });
  };
  return { client, warnings, close };
}

describe("over TLS with a token", () => {
  clientSuite(() => overTls(({ token }) => ({ token })));
});

describe("over TLS with a client certificate", () => {
  clientSuite(() =>
    overTls(({ cert, key }) => ({ "client-certificate-data": cert, "client-key-data": key })),
  );
});

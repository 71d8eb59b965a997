import { X509Certificate } from "node:crypto";
import { connect, createServer } from "node:tls";
import { expect, test } from "vitest";
import { createCertificateAuthority } from "./index.js";

const validity = { notBefore: Date.UTC(2026, 0, 1), notAfter: Date.UTC(2060, 0, 1) };
const authority = createCertificateAuthority({ commonName: "test-ca", ...validity });

test("x509: a CA certificate is self-signed and marked as CA", () => {
  const certificate = new X509Certificate(authority.certificate);
  expect(certificate.ca).toBe(true);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(certificate.subject).toBe("CN=test-ca");
  expect(new Date(certificate.validTo).getUTCFullYear()).toBe(2060);
});

test("x509: a server certificate names its hosts and is signed by the CA", () => {
  const hosts = ["localhost", "kubernetes.default.svc", "127.0.0.1", "::1", "fd00::a:1"];
  const { certificate } = authority.issue({ commonName: "server", hosts, usage: "server", ...validity });
  const parsed = new X509Certificate(certificate);
  expect(parsed.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
  expect(parsed.checkHost("localhost")).toBe("localhost");
  for (const address of ["127.0.0.1", "::1", "fd00::a:1"]) expect(parsed.checkIP(address)).toBe(address);
  expect(parsed.checkIP("127.0.0.2")).toBeUndefined();
});

test("x509: a CA that cross-signs another makes the certificates of that one trusted", async () => {
  const other = createCertificateAuthority({ commonName: "other-ca", ...validity });
  const bridge = authority.crossSign(other, { commonName: "other-ca", ...validity });
  const parsed = new X509Certificate(bridge);
  expect(parsed.ca).toBe(true);
  expect(parsed.checkIssued(new X509Certificate(authority.certificate))).toBe(true);
  const { certificate, key } = other.issue({
    commonName: "server",
    hosts: ["localhost"],
    usage: "server",
    ...validity,
  });
  const isTrusted = async (cert: string): Promise<boolean> => {
    const listener = createServer({ cert, key }, (socket) => socket.end());
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    const address = listener.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const trusted = await new Promise<boolean>((resolve) => {
      const at = { port, host: "127.0.0.1", servername: "localhost", ca: authority.certificate };
      const socket = connect(at, () => resolve(true));
      socket.on("error", () => resolve(false));
      socket.on("close", () => socket.destroy());
    });
    listener.close();
    return trusted;
  };
  expect([await isTrusted(certificate + bridge), await isTrusted(certificate)]).toEqual([true, false]);
});

test("x509: a TLS client and server accept each other, and the organizations arrive", async () => {
  const server = authority.issue({
    commonName: "server",
    hosts: ["localhost"],
    usage: "server",
    ...validity,
  });
  const client = authority.issue({
    commonName: "jane",
    organizations: ["dev", "ops"],
    usage: "client",
    ...validity,
  });
  const listener = createServer({
    cert: server.certificate,
    key: server.key,
    ca: authority.certificate,
    requestCert: true,
    rejectUnauthorized: true,
  });
  const subject = new Promise((resolve) => {
    listener.once("secureConnection", (socket) => {
      resolve(socket.getPeerCertificate().subject);
      socket.end();
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const address = listener.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const socket = connect({
    port,
    host: "127.0.0.1",
    servername: "localhost",
    ca: authority.certificate,
    cert: client.certificate,
    key: client.key,
  });
  socket.resume();
  expect(await subject).toMatchObject({ CN: "jane", O: ["dev", "ops"] });
  socket.destroy();
  listener.close();
});

import { generateKeyPairSync } from "node:crypto";
import { createCertificateAuthority } from "@kubewright/api/x509";
import { tlsKeyPairProblem } from "@kubewright/kinds";
import { expect, it } from "vitest";
import { kindServer } from "../fixtures/kind-server.js";

const pem = (type: string, body = "Zm9v"): string =>
  `-----BEGIN ${type}-----\n${body}\n-----END ${type}-----\n`;
const newKey = (): string =>
  generateKeyPairSync("ec", { namedCurve: "P-256" })
    .privateKey.export({ type: "pkcs8", format: "pem" })
    .toString();

it.each([
  ["x", "y", "tls: failed to find any PEM data in certificate input"],
  [
    pem("PRIVATE KEY"),
    "y",
    "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched",
  ],
  [
    pem("A") + pem("B"),
    "y",
    'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [A B]',
  ],
  [pem("CERTIFICATE"), "", "tls: failed to find any PEM data in key input"],
  [
    pem("CERTIFICATE"),
    pem("CERTIFICATE"),
    "tls: found a certificate rather than a key in the PEM for the private key",
  ],
  [
    pem("CERTIFICATE"),
    pem("EC PARAMETERS"),
    'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [EC PARAMETERS]',
  ],
  [pem("CERTIFICATE"), pem("EC PRIVATE KEY"), "x509: malformed certificate"],
])("TLS key pair: certificate %j with key %j is invalid", (certificate, key, text) => {
  expect(tlsKeyPairProblem(certificate, key)).toBe(text);
});

it("TLS key pair: a key that does not match the certificate is reported", () => {
  const { certificate, key } = createCertificateAuthority({ commonName: "ca", notBefore: 0, notAfter: 1e12 });
  expect(tlsKeyPairProblem(certificate, key)).toBeUndefined();
  expect(tlsKeyPairProblem(certificate, newKey())).toBe("tls: private key does not match public key");
  expect(tlsKeyPairProblem(certificate, pem("PRIVATE KEY"))).toBe("tls: failed to parse private key");
});

it("TLS key pair: an invalid pair is a warning, not a refusal", async () => {
  const { call } = await kindServer();
  const { status, warnings } = await call("POST", "/api/v1/namespaces/test/secrets", {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "s" },
    type: "kubernetes.io/tls",
    stringData: { "tls.crt": "x", "tls.key": "y" },
  });
  expect(status).toBe(201);
  expect(warnings).toEqual(['299 - "tls: failed to find any PEM data in certificate input"']);
});

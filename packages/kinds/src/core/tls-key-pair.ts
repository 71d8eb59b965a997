// Checks that a certificate and a key belong together, with Go's error texts.
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { type PemBlock, pemBlocks } from "./pem-blocks.js";

/** The problem of the pair; undefined when it is valid. */
export function tlsKeyPairProblem(certificatePem: string, keyPem: string): string | undefined {
  const inCertificate = pemBlocks(certificatePem);
  const certificate = inCertificate.find(({ type }) => type === "CERTIFICATE");
  if (!certificate) return noCertificateText(inCertificate);
  const inKey = pemBlocks(keyPem);
  const key = inKey.find(({ type }) => type === "PRIVATE KEY" || type.endsWith(" PRIVATE KEY"));
  if (!key) return noKeyText(inKey);
  const parsed = parsedOr(() => new X509Certificate(certificate.pem));
  if (!parsed) return "x509: malformed certificate";
  const secret = parsedOr(() => createPrivateKey(key.pem));
  return secret ? mismatchText(parsed, secret) : "tls: failed to parse private key";
}

const typesOf = (blocks: readonly PemBlock[]): string => `[${blocks.map(({ type }) => type).join(" ")}]`;

function noCertificateText(blocks: readonly PemBlock[]): string {
  if (blocks.length === 0) return "tls: failed to find any PEM data in certificate input";
  if (blocks.length === 1 && blocks[0]?.type.endsWith("PRIVATE KEY"))
    return "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched";
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: ${typesOf(blocks)}`;
}

function noKeyText(blocks: readonly PemBlock[]): string {
  if (blocks.length === 0) return "tls: failed to find any PEM data in key input";
  if (blocks.length === 1 && blocks[0]?.type === "CERTIFICATE")
    return "tls: found a certificate rather than a key in the PEM for the private key";
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: ${typesOf(blocks)}`;
}

function mismatchText(certificate: X509Certificate, key: KeyObject): string | undefined {
  if (certificate.publicKey.asymmetricKeyType !== key.asymmetricKeyType)
    return "tls: private key type does not match public key type";
  return certificate.checkPrivateKey(key) ? undefined : "tls: private key does not match public key";
}

function parsedOr<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

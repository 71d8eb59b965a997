// Whether a certificate and a key belong together, with the words Go has for it where they do not.
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";

interface Block {
  readonly type: string;
  readonly pem: string;
}

const marker = /-----(BEGIN|END) ([^\n-]{1,64})-----/g;

/** What is wrong with the pair; undefined when nothing is. */
export function tlsKeyPairProblem(certificatePem: string, keyPem: string): string | undefined {
  const inCertificate = blocksOf(certificatePem);
  const certificate = inCertificate.find(({ type }) => type === "CERTIFICATE");
  if (!certificate) return noCertificateText(inCertificate);
  const inKey = blocksOf(keyPem);
  const key = inKey.find(({ type }) => type === "PRIVATE KEY" || type.endsWith(" PRIVATE KEY"));
  if (!key) return noKeyText(inKey);
  const parsed = parsedOr(() => new X509Certificate(certificate.pem));
  if (!parsed) return "x509: malformed certificate";
  const secret = parsedOr(() => createPrivateKey(key.pem));
  return secret ? mismatchText(parsed, secret) : "tls: failed to parse private key";
}

function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let open: { readonly type: string; readonly at: number } | undefined;
  for (const { 0: line, 1: edge, 2: type = "", index } of text.matchAll(marker)) {
    if (edge === "BEGIN") open = { type, at: index };
    else if (open?.type === type) {
      blocks.push({ type, pem: text.slice(open.at, index + line.length) });
      open = undefined;
    }
  }
  return blocks;
}

const typesOf = (blocks: readonly Block[]): string => `[${blocks.map(({ type }) => type).join(" ")}]`;

function noCertificateText(blocks: readonly Block[]): string {
  if (blocks.length === 0) return "tls: failed to find any PEM data in certificate input";
  if (blocks.length === 1 && blocks[0]?.type.endsWith("PRIVATE KEY"))
    return "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched";
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: ${typesOf(blocks)}`;
}

function noKeyText(blocks: readonly Block[]): string {
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

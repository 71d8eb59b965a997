// A serving certificate with the state of its rotation: its successor, and the CAs that clients must trust meanwhile.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { createCertificateAuthority, type KeyPair } from "@kubewright/api/x509";

/** A certificate that is to be served once its CA is trusted everywhere. */
export interface StagedPair extends KeyPair {
  /** When it was made, in milliseconds since 1970. */
  readonly since: number;
}

export interface CertificateSet {
  readonly current: KeyPair;
  readonly next: StagedPair | undefined;
  /** PEM, newest first. The keys of the CAs are dropped once they have signed. */
  readonly caBundle: string;
}

/** The settings of new certificates. */
export interface CertificatePolicy {
  /** The DNS names and addresses of the server. */
  readonly hosts: readonly string[];
  /** Milliseconds. */
  readonly lifetime: number;
}

const day = 24 * 60 * 60 * 1000;
/** Clocks of other machines may be behind. */
const backdated = day;
const keptCAs = 3;

/** A new certificate, signed by a CA of its own, which is put before those that are trusted already. */
export function issueUnder(
  policy: CertificatePolicy,
  now: number,
  trusted: string,
): { readonly pair: KeyPair; readonly caBundle: string } {
  const validity = { notBefore: now - backdated, notAfter: now + policy.lifetime };
  // Successive CAs have names of their own: not all clients distinguish them by their keys.
  const commonName = `kubewright-webhooks-ca ${new Date(now).toISOString()}`;
  const ca = createCertificateAuthority({ commonName, ...validity });
  const { certificate, key } = ca.issue({
    commonName: "kubewright-webhooks",
    hosts: policy.hosts,
    usage: "server",
    ...validity,
  });
  const others = certificatesIn(trusted).filter((pem) => expiryOf(pem) > now);
  const caBundle = [ca.certificate, ...others].slice(0, keptCAs).join("");
  return { pair: { certificate, key }, caBundle };
}

/** The reason why a certificate is not valid; undefined when it is. */
export function flawOf(
  { certificate, key }: KeyPair,
  caBundle: string,
  { hosts }: CertificatePolicy,
  now: number,
): string | undefined {
  try {
    const parsed = new X509Certificate(certificate);
    if (!parsed.checkPrivateKey(createPrivateKey(key))) return "its key is another's";
    if (Date.parse(parsed.validTo) <= now) return "it has expired";
    const unknown = hosts.find((host) => !(isIP(host) ? parsed.checkIP(host) : parsed.checkHost(host)));
    if (unknown !== undefined) return `it is not good for ${unknown}`;
    const isTrusted = certificatesIn(caBundle).some((pem) =>
      parsed.verify(new X509Certificate(pem).publicKey),
    );
    return isTrusted ? undefined : "none of its CAs has signed it";
  } catch {
    return "it cannot be read";
  }
}

/** Milliseconds since 1970; 0 for a certificate that cannot be parsed. */
export function expiryOf(pem: string): number {
  try {
    return Date.parse(new X509Certificate(pem).validTo);
  } catch {
    return 0;
  }
}

/** The certificates of a PEM text, each with its end of line. */
export function certificatesIn(pem: string): readonly string[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => `${block}\n`);
}

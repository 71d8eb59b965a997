// A serving certificate with everything its rotation needs to know: what replaces it next, and whom its clients must trust
// meanwhile.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { createCertificateAuthority, type KeyPair } from "@kubewright/api/x509";

/** A certificate that is to be served once everybody trusts its authority. */
export interface StagedPair extends KeyPair {
  /** When it was made, in milliseconds since 1970. */
  readonly since: number;
}

export interface CertificateSet {
  readonly current: KeyPair;
  readonly next: StagedPair | undefined;
  /** PEM, newest first. The authorities' keys are forgotten when they have signed. */
  readonly authorities: string;
}

/** What certificates are made for. */
export interface CertificatePolicy {
  /** Names and addresses the server is known by. */
  readonly hosts: readonly string[];
  /** Milliseconds. */
  readonly lifetime: number;
}

const day = 24 * 60 * 60 * 1000;
/** Clocks of other machines may be behind. */
const backdated = day;
const keptAuthorities = 3;

/** A new certificate, signed by an authority of its own, which is put before those that are trusted already. */
export function issueUnder(
  policy: CertificatePolicy,
  now: number,
  trusted: string,
): { readonly pair: KeyPair; readonly authorities: string } {
  const validity = { notBefore: now - backdated, notAfter: now + policy.lifetime };
  // Authorities that follow each other have names of their own: not all clients tell them apart by their keys.
  const commonName = `kubewright-webhooks-ca ${new Date(now).toISOString()}`;
  const authority = createCertificateAuthority({ commonName, ...validity });
  const { certificate, key } = authority.issue({
    commonName: "kubewright-webhooks",
    hosts: policy.hosts,
    usage: "server",
    ...validity,
  });
  const others = certificatesIn(trusted).filter((pem) => expiryOf(pem) > now);
  const authorities = [authority.certificate, ...others].slice(0, keptAuthorities).join("");
  return { pair: { certificate, key }, authorities };
}

/** What makes a certificate useless; undefined when nothing does. */
export function flawOf(
  { certificate, key }: KeyPair,
  authorities: string,
  { hosts }: CertificatePolicy,
  now: number,
): string | undefined {
  try {
    const parsed = new X509Certificate(certificate);
    if (!parsed.checkPrivateKey(createPrivateKey(key))) return "its key is another's";
    if (Date.parse(parsed.validTo) <= now) return "it has expired";
    const unknown = hosts.find((host) => !(isIP(host) ? parsed.checkIP(host) : parsed.checkHost(host)));
    if (unknown !== undefined) return `it is not good for ${unknown}`;
    const isTrusted = certificatesIn(authorities).some((pem) =>
      parsed.verify(new X509Certificate(pem).publicKey),
    );
    return isTrusted ? undefined : "none of its authorities has signed it";
  } catch {
    return "it cannot be read";
  }
}

/** Milliseconds since 1970; 0 for what cannot be read. */
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

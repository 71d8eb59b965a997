// The CA of a cluster over time. It is renewed with the same key, which clients do not notice, and rotated with a new key on
// demand. After a rotation servers also present a certificate of the new CA that the former one signed, so that clients which
// trust only the former CA can verify them.
import { X509Certificate } from "node:crypto";
import {
  type CertificateAuthority,
  createCertificateAuthority,
  type KeyPair,
  renewCertificateAuthority,
  restoreCertificateAuthority,
} from "@kubewright/api/x509";

/** The CA and the former ones, as they are stored. */
export interface Authorities extends KeyPair {
  readonly formerAuthorities?: readonly FormerAuthority[] | undefined;
}

/** A CA that is trusted for some time more, in milliseconds since 1970. Its key is gone. */
export interface FormerAuthority {
  readonly certificate: string;
  /** Its successor's certificate, signed by it. */
  readonly bridge: string;
  readonly until: number;
}

/** The CA certificates that are trusted at a time, in PEM. */
export interface Trust {
  /** The current CA first, and former ones that are still trusted. */
  readonly bundle: string;
  /** Certificates of the current CA signed by former ones, for clients that trust only those. */
  readonly bridges: string;
  /** When there will be less to trust. */
  readonly changesAt: number | undefined;
}

const hour = 60 * 60 * 1000;
const year = 365 * 24 * hour;
/** The validity of a CA, and how long before its end it is renewed. */
const life = 10 * year;
const reserve = 2 * year;
const firstName = "kubewright-ca";

/** A CA with a fresh key. */
export const newAuthority = (now: number, commonName = firstName): CertificateAuthority =>
  createCertificateAuthority({ commonName, notBefore: now - hour, notAfter: now + life });

/** The CA that was stored. */
export const restored = (pair: KeyPair): CertificateAuthority =>
  restoreCertificateAuthority(pair, nameOf(pair));

/** The same CA where it is valid for long enough, and otherwise one of the same name and key. */
export function renewed(authority: CertificateAuthority, now: number): CertificateAuthority {
  const { validFrom, validTo } = new X509Certificate(authority.certificate);
  if (Date.parse(validTo) - reserve > now) return authority;
  return renewCertificateAuthority(authority, {
    commonName: nameOf(authority),
    notBefore: Date.parse(validFrom),
    notAfter: now + life,
  });
}

/**
 * Replaces this CA by another; this one is trusted for that many milliseconds more; those before it no longer than it, because
 * the way from them leads over it.
 */
export function succeeded(
  current: CertificateAuthority,
  former: readonly FormerAuthority[],
  at: { readonly now: number; readonly acceptFor: number; readonly newName: string },
): { readonly authority: CertificateAuthority; readonly formerAuthorities: readonly FormerAuthority[] } {
  const commonName = `${firstName}-${at.newName}`;
  const authority = newAuthority(at.now, commonName);
  const until = at.now + at.acceptFor;
  const { validFrom, validTo } = new X509Certificate(current.certificate);
  const bridge = current.crossSign(authority, {
    commonName,
    notBefore: Date.parse(validFrom),
    notAfter: Date.parse(validTo),
  });
  const all = [{ certificate: current.certificate, bridge, until }, ...former];
  const formerAuthorities = all
    .map((each) => ({ ...each, until: Math.min(each.until, until) }))
    .filter((each) => each.until > at.now);
  return { authority, formerAuthorities };
}

/** The CA certificates that are trusted now. */
export function trustOf(
  { certificate }: Pick<KeyPair, "certificate">,
  former: readonly FormerAuthority[],
  now: number,
): Trust {
  const trusted = former.filter(({ until }) => until > now);
  return {
    bundle: [certificate, ...trusted.map((each) => each.certificate)].join(""),
    bridges: trusted.map(({ bridge }) => bridge).join(""),
    changesAt: trusted.length > 0 ? Math.min(...trusted.map(({ until }) => until)) : undefined,
  };
}

const nameOf = ({ certificate }: Pick<KeyPair, "certificate">): string =>
  /^CN=(.*)$/m.exec(new X509Certificate(certificate).subject)?.[1] ?? firstName;

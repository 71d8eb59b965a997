// Whether a certificate is trusted: issued, through those sent with it, by a CA that is known, and valid at a time.
import type { X509Certificate } from "node:crypto";

/** It is valid at a time, in milliseconds since 1970. */
export const isValidAt = ({ validFrom, validTo }: X509Certificate, now: number): boolean =>
  Date.parse(validFrom) <= now && now <= Date.parse(validTo);

/** Signatures that were checked: they do not change, and take long. Dropped with the certificates. */
const checked = new WeakMap<X509Certificate, WeakMap<X509Certificate, boolean>>();

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  const known = checked.get(certificate) ?? new WeakMap<X509Certificate, boolean>();
  checked.set(certificate, known);
  const before = known.get(issuer);
  if (before !== undefined) return before;
  const isIt = certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  known.set(issuer, isIt);
  return isIt;
}

/** The longest chain that is followed. */
const deepest = 8;

/** Whether the first of these certificates is trusted by way of the others. */
export function isTrusted(
  [certificate, ...others]: readonly X509Certificate[],
  authorities: readonly X509Certificate[],
  now: number,
  depth = 0,
): boolean {
  if (!certificate || !isValidAt(certificate, now) || depth > deepest) return false;
  if (authorities.some((authority) => isIssuedBy(certificate, authority) && isValidAt(authority, now)))
    return true;
  const issuer = others.find((each) => isIssuedBy(certificate, each));
  return (
    issuer !== undefined &&
    isTrusted([issuer, ...others.filter((each) => each !== issuer)], authorities, now, depth + 1)
  );
}

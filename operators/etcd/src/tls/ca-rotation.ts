// How one CA takes the place of another without a member that stands alone. Members read the CAs they trust when they start, and their own
// certificate for every connection. So first all of them are started again to trust both CAs, then certificates of the new one are put
// in place, and only when every member has started with its new one is the old CA dropped. Each state is recorded before members see
// it, so that an operator that was killed goes on from it.

/** A CA, and the pair that came with it: its own, for the operator's CA, or a certificate that somebody else issued. */
export interface CertificateSource {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

/** What is in use at the moment. */
export interface CertificatesInUse {
  /** The CAs that members trust, in PEM, one after the other. */
  readonly trusted: string;
  /** The CA that the pair came with. */
  readonly issuer: string;
  readonly certificate: string;
  readonly key: string;
}

/** The state after this one. `isTakenUp`: every member has started with the present one, and clients had time to read it. */
export function rotated(
  inUse: CertificatesInUse | undefined,
  { ca, certificate, key }: CertificateSource,
  isTakenUp: boolean,
): CertificatesInUse {
  if (!inUse) return { trusted: ca, issuer: ca, certificate, key };
  const trusted = blocksOf(inUse.trusted);
  const missing = blocksOf(ca).filter((block) => !trusted.includes(block));
  if (missing.length > 0) return { ...inUse, trusted: pemOf([...trusted, ...missing]) };
  if (inUse.issuer !== ca) return isTakenUp ? { ...inUse, issuer: ca, certificate, key } : inUse;
  const renewed = { ...inUse, certificate, key };
  return trusted.length > blocksOf(ca).length && isTakenUp ? { ...renewed, trusted: ca } : renewed;
}

/** What a change between two states means, for an event; undefined for a renewed certificate. */
export function rotationNote(from: CertificatesInUse | undefined, to: CertificatesInUse): string | undefined {
  if (!from) return undefined;
  if (from.issuer !== to.issuer) return "certificates of the new CA are put in place";
  if (from.trusted === to.trusted) return undefined;
  return to.trusted.length > from.trusted.length
    ? "a new CA is trusted beside the old one"
    : "the old CA is no longer trusted";
}

const blocksOf = (pem: string): readonly string[] =>
  pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];

const pemOf = (blocks: readonly string[]): string => `${blocks.join("\n")}\n`;

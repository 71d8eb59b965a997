// For how long a certificate is good.

const minute = 60_000;
/** Clocks differ. */
const backdate = 5 * minute;
const short = 8 * 60 * minute;
const least = 10 * minute;
const most = 365 * 24 * 60 * minute;

/** From when to when; the end of those that last for long is not put off by what the beginning is put back. */
export function validityOf(
  expirationSeconds: number | undefined,
  now: number,
  authorityEnds: number,
): { readonly notBefore: number; readonly notAfter: number } {
  const asked = expirationSeconds === undefined ? most : expirationSeconds * 1000;
  const duration = Math.min(most, Math.max(least, asked));
  const end = now + (duration < short ? duration : duration - backdate);
  return { notBefore: now - backdate, notAfter: Math.min(end, authorityEnds) };
}

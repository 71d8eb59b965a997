// Another certificate, or another CA, for members that run. What they mount is exchanged in steps between which each trusts all others:
// first both CAs are known, then the certificate is another, then the CA that nobody needs any more goes.
import { certificateBlocks, together } from "../client/pem.js";
import type { TlsMaterial } from "./tls.js";

export interface Exchange {
  readonly material: TlsMaterial;
  /** For people. */
  readonly what: string;
}

/** What to mount after what is mounted, on the way to what is asked for; undefined at the end of it. */
export function nextExchange(mounted: TlsMaterial, wanted: TlsMaterial): Exchange | undefined {
  const known = new Set(certificateBlocks(mounted.ca));
  const asked = certificateBlocks(wanted.ca);
  if (asked.some((block) => !known.has(block)))
    return {
      material: { ca: together(mounted.ca, wanted.ca), certificateKey: mounted.certificateKey },
      what: "another CA is trusted, beside the one before",
    };
  if (mounted.certificateKey !== wanted.certificateKey)
    return {
      material: { ca: mounted.ca, certificateKey: wanted.certificateKey },
      what: "members get another certificate",
    };
  return asked.length === known.size
    ? undefined
    : { material: wanted, what: "a CA that nothing needs any more is trusted no longer" };
}

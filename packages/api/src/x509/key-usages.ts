// Key usages: the names of the certificates API, and their encoding in a certificate.
import * as asn1 from "./der.js";
import { oid } from "./object-identifiers.js";

const bits: ReadonlyMap<string, number> = new Map([
  ["signing", 0],
  ["digital signature", 0],
  ["content commitment", 1],
  ["key encipherment", 2],
  ["data encipherment", 3],
  ["key agreement", 4],
  ["cert sign", 5],
  ["crl sign", 6],
  ["encipher only", 7],
  ["decipher only", 8],
]);

const purposes: ReadonlyMap<string, string> = new Map([
  ["any", "2.5.29.37.0"],
  ["server auth", oid.serverAuth],
  ["client auth", oid.clientAuth],
  ["code signing", "1.3.6.1.5.5.7.3.3"],
  ["email protection", "1.3.6.1.5.5.7.3.4"],
  ["s/mime", "1.3.6.1.5.5.7.3.4"],
  ["ipsec end system", "1.3.6.1.5.5.7.3.5"],
  ["ipsec tunnel", "1.3.6.1.5.5.7.3.6"],
  ["ipsec user", "1.3.6.1.5.5.7.3.7"],
  ["timestamping", "1.3.6.1.5.5.7.3.8"],
  ["ocsp signing", "1.3.6.1.5.5.7.3.9"],
  ["microsoft sgc", "1.3.6.1.4.1.311.10.3.3"],
  ["netscape sgc", "2.16.840.1.113730.4.1"],
]);

/** The bits of a key usage extension; undefined when no usage is one of them. */
export function keyUsageBits(usages: readonly string[]): Buffer | undefined {
  const set = usages.flatMap((usage) => bits.get(usage) ?? []);
  if (set.length === 0) return undefined;
  const highest = Math.max(...set);
  const bytes = Buffer.alloc(highest > 7 ? 2 : 1);
  for (const bit of set) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  return asn1.bitString(bytes, 7 - (highest & 7));
}

/** The purposes of an extended key usage extension, each once; undefined when there are none. */
export function extendedKeyUsages(usages: readonly string[]): Buffer | undefined {
  const found = new Set(usages.flatMap((usage) => purposes.get(usage) ?? []));
  return found.size === 0 ? undefined : asn1.sequence(...[...found].map(asn1.objectIdentifier));
}

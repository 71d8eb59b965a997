// The parts that certificates and certificate signing requests have in common.
import { isIPv4 } from "node:net";
import * as asn1 from "./der.js";
import { oid } from "./object-identifiers.js";

/** A name as certificates write it. */
export function distinguishedName(commonName: string, organizations: readonly string[]): Buffer {
  const attribute = (type: string, value: string): Buffer =>
    asn1.set(asn1.sequence(asn1.objectIdentifier(type), asn1.utf8String(value)));
  return asn1.sequence(
    ...organizations.map((organization) => attribute(oid.organization, organization)),
    attribute(oid.commonName, commonName),
  );
}

/** One extension. */
export function extension(type: string, value: Buffer, critical = false): Buffer {
  const flag = critical ? [asn1.boolean(true)] : [];
  return asn1.sequence(asn1.objectIdentifier(type), ...flag, asn1.octetString(value));
}

/** A host as one of the other names of a subject. */
export function generalName(host: string): Buffer {
  // Names hold no colons; and Node takes milliseconds to get ready to judge what an IPv6 address is.
  if (host.includes(":")) return asn1.context(7, ipv6Bytes(host), false);
  if (isIPv4(host)) return asn1.context(7, ipv4Bytes(host), false);
  return asn1.context(2, Buffer.from(host, "ascii"), false);
}

const ipv4Bytes = (address: string): Buffer => Buffer.from(address.split(".").map(Number));

function ipv6Bytes(address: string): Buffer {
  const [head = "", tail] = address.split("::");
  const groups = (part: string): number[] =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  const front = groups(head);
  const back = tail === undefined ? [] : groups(tail);
  const all = [...front, ...Array<number>(8 - front.length - back.length).fill(0), ...back];
  return Buffer.from(all.flatMap((group) => [group >>> 8, group & 0xff]));
}

/** The text such things travel as. */
export function pemOf(label: string, der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

// IP addresses and networks, parsed and printed as Go's `netip` does.

/** An address as a number of 32 or 128 bits. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly bits: bigint;
}

/** A network: an address and how many of its bits name the network. */
export interface IpNetwork {
  readonly address: IpAddress;
  readonly prefix: number;
}

const octet = /^(?:0|[1-9]\d{0,2})$/;
const maxLength = 45;

function parseV4(text: string): bigint | undefined {
  const parts = text.split(".");
  if (parts.length !== 4) return undefined;
  let bits = 0n;
  for (const part of parts) {
    if (!octet.test(part) || Number(part) > 255) return undefined;
    bits = (bits << 8n) | BigInt(part);
  }
  return bits;
}

/** Groups of 16 bits; a dotted address at the end counts as two. */
function parseGroups(text: string): readonly bigint[] | undefined {
  if (text === "") return [];
  const groups: bigint[] = [];
  const parts = text.split(":");
  for (const [index, part] of parts.entries()) {
    if (part.includes(".")) {
      const v4 = index === parts.length - 1 ? parseV4(part) : undefined;
      if (v4 === undefined) return undefined;
      groups.push(v4 >> 16n, v4 & 0xffffn);
    } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) groups.push(BigInt(`0x${part}`));
    else return undefined;
  }
  return groups;
}

function parseV6(text: string): bigint | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const head = parseGroups(halves[0] ?? "");
  const tail = parseGroups(halves[1] ?? "");
  if (head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  // A double colon stands for at least one group.
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...head, ...new Array<bigint>(Math.max(0, missing)).fill(0n), ...tail];
  return groups.reduce((bits, group) => (bits << 16n) | group, 0n);
}

const isMapped = (bits: bigint): boolean => bits >> 32n === 0xffffn;

/** The address, or why it is none: `zone` and `mapped` are addresses that rules do not take. */
export function parseIp(text: string): IpAddress | "zone" | "mapped" | undefined {
  const [address = "", zone] = text.split("%", 2);
  if (address.length > maxLength) return undefined;
  if (!address.includes(":")) {
    const bits = zone === undefined ? parseV4(address) : undefined;
    return bits === undefined ? undefined : { family: 4, bits };
  }
  const bits = parseV6(address);
  if (bits === undefined || zone === "") return undefined;
  if (zone !== undefined) return "zone";
  return isMapped(bits) ? "mapped" : { family: 6, bits };
}

/** The network, or undefined. */
export function parseCidr(text: string): IpNetwork | undefined {
  const slash = text.lastIndexOf("/");
  if (slash < 0 || text.includes("%")) return undefined;
  const address = parseIp(text.slice(0, slash));
  const digits = text.slice(slash + 1);
  if (address === undefined || typeof address === "string" || !octet.test(digits)) return undefined;
  const prefix = Number(digits);
  return prefix > width(address) ? undefined : { address, prefix };
}

const width = ({ family }: IpAddress): number => (family === 4 ? 32 : 128);

function network(bits: bigint, address: IpAddress, prefix: number): bigint {
  const rest = BigInt(width(address) - prefix);
  return (bits >> rest) << rest;
}

/** The network with the bits of the host cleared. */
export function masked({ address, prefix }: IpNetwork): IpNetwork {
  return { address: { ...address, bits: network(address.bits, address, prefix) }, prefix };
}

/** Whether an address lies in a network. */
export function contains(net: IpNetwork, address: IpAddress): boolean {
  if (net.address.family !== address.family) return false;
  return network(address.bits, address, net.prefix) === network(net.address.bits, address, net.prefix);
}

/** As RFC 5952 writes it: the first longest run of two or more zero groups is left out. */
export function formatIp({ family, bits }: IpAddress): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => String((bits >> shift) & 0xffn)).join(".");
  const groups = Array.from({ length: 8 }, (_, index) =>
    ((bits >> BigInt(112 - 16 * index)) & 0xffffn).toString(16),
  );
  const { start, length } = longestZeros(groups);
  if (length < 2) return groups.join(":");
  return `${groups.slice(0, start).join(":")}::${groups.slice(start + length).join(":")}`;
}

function longestZeros(groups: readonly string[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 };
  let run = 0;
  for (const [index, group] of groups.entries()) {
    run = group === "0" ? run + 1 : 0;
    if (run > best.length) best = { start: index - run + 1, length: run };
  }
  return best;
}

/** Whether the address lies in the network written that way. */
function within(address: IpAddress, v4: bigint, v4Prefix: number, v6: bigint, v6Prefix: number): boolean {
  const [bits, prefix] = address.family === 4 ? [v4, v4Prefix] : [v6, v6Prefix];
  return network(address.bits, address, prefix) === bits;
}

/** `0.0.0.0` or `::`. */
export const isUnspecified = (ip: IpAddress): boolean => ip.bits === 0n;
/** `127.0.0.0/8` or `::1`. */
export const isLoopback = (ip: IpAddress): boolean => within(ip, 0x7f000000n, 8, 1n, 128);
/** `169.254.0.0/16` or `fe80::/10`. */
export const isLinkLocalUnicast = (ip: IpAddress): boolean =>
  within(ip, 0xa9fe0000n, 16, 0xfe80n << 112n, 10);
const isMulticast = (ip: IpAddress): boolean => within(ip, 0xe0000000n, 4, 0xff00n << 112n, 8);

/** `224.0.0.0/24` or `ff02::/16`. */
export function isLinkLocalMulticast({ family, bits }: IpAddress): boolean {
  // The scope is in the lower half of the second byte.
  return family === 4 ? bits >> 8n === 0xe00000n : ((bits >> 112n) & 0xff0fn) === 0xff02n;
}

/** Whether an address is none of the special ones, as Go classifies them. */
export function isGlobalUnicast(ip: IpAddress): boolean {
  if (ip.family === 4 && ip.bits === 0xffffffffn) return false;
  return !(isUnspecified(ip) || isLoopback(ip) || isMulticast(ip) || isLinkLocalUnicast(ip));
}

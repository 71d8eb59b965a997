// IP addresses and ranges as numbers. Read as leniently as Go's older parser did (leading zeros in IPv4), with what a
// stricter one would refuse noted beside.
import { isIP } from "node:net";

export interface Address {
  readonly family: 4 | 6;
  readonly value: bigint;
  /** Written as an IPv6 address that only wraps an IPv4 one; its family is 4. */
  readonly mapped: boolean;
  /** Written with zeros in front that some would take for octal. */
  readonly leadingZeros: boolean;
}

/** An IP range in CIDR notation. */
export interface Range {
  /** As written, bits beyond the prefix included. */
  readonly address: Address;
  /** Counted in the family of the address. */
  readonly bits: number;
  /** The length of the prefix was written with zeros in front. */
  readonly leadingZeros: boolean;
}

const width = { 4: 32, 6: 128 } as const;
const mappedPrefix = 0xffffn << 32n;

/** Undefined when it is no address; zones are none of ours. */
export function parseAddress(text: string): Address | undefined {
  if (text.length > 64 || text.includes("%")) return undefined;
  const plain = text.replace(/(^|[.:])0+(?=[0-9]+(\.|$))/g, (zeros, before: string) =>
    text.includes(".") ? before : zeros,
  );
  const leadingZeros = plain !== text;
  switch (isIP(plain)) {
    case 4:
      return { family: 4, value: fromIpv4(plain), mapped: false, leadingZeros };
    case 6: {
      const value = fromIpv6(plain);
      const mapped = value >> 32n === mappedPrefix >> 32n;
      return { family: mapped ? 4 : 6, value: mapped ? value & 0xffff_ffffn : value, mapped, leadingZeros };
    }
    default:
      return undefined;
  }
}

function fromIpv4(text: string): bigint {
  return text.split(".").reduce((value, part) => value * 256n + BigInt(part), 0n);
}

function fromIpv6(text: string): bigint {
  const dotted = text.lastIndexOf(".") === -1 ? "" : text.slice(text.lastIndexOf(":") + 1);
  const tail = dotted === "" ? 0n : fromIpv4(dotted);
  const hex =
    dotted === ""
      ? text
      : `${text.slice(0, -dotted.length)}${(tail >> 16n).toString(16)}:${(tail & 0xffffn).toString(16)}`;
  const [left = "", right] = hex.split("::");
  const words = (part: string): string[] => (part === "" ? [] : part.split(":"));
  const before = words(left);
  const after = right === undefined ? [] : words(right);
  const gap = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...gap, ...after].reduce((value, word) => (value << 16n) + BigInt(`0x${word}`), 0n);
}

/** The form RFC 5952 asks for. */
export function formatAddress({ family, value }: Pick<Address, "family" | "value">): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join(".");
  const words = Array.from({ length: 8 }, (_, index) =>
    ((value >> BigInt(112 - index * 16)) & 0xffffn).toString(16),
  );
  const longest = longestZeros(words);
  if (!longest) return words.join(":");
  return `${words.slice(0, longest.start).join(":")}::${words.slice(longest.start + longest.length).join(":")}`;
}

/** The first of the longest runs of at least two zeros. */
function longestZeros(words: readonly string[]): { start: number; length: number } | undefined {
  let best: { start: number; length: number } | undefined;
  for (let start = 0; start < words.length; ) {
    let end = start;
    while (words[end] === "0") end++;
    const length = end - start;
    if (length > 1 && length > (best?.length ?? 0)) best = { start, length };
    start = end + 1;
  }
  return best;
}

/** Undefined when it is no range: `10.96.0.0/16`. */
export function parseRange(text: string): Range | undefined {
  const slash = text.indexOf("/");
  const length = text.slice(slash + 1);
  if (slash === -1 || !/^[0-9]{1,4}$/.test(length)) return undefined;
  const address = parseAddress(text.slice(0, slash));
  if (!address || Number(length) > (address.mapped ? width[6] : width[address.family])) return undefined;
  const bits = address.mapped ? Math.max(0, Number(length) - 96) : Number(length);
  return { address, bits, leadingZeros: length.length > 1 && length.startsWith("0") };
}

/** The first and the last address of a range. */
export function boundsOf({ address, bits }: Range): { first: bigint; last: bigint } {
  const host = (1n << BigInt(width[address.family] - bits)) - 1n;
  const first = address.value & ~host;
  return { first, last: first | host };
}

/** Whether an address, or the start of another range, lies in a range. */
export function rangeContains(range: Range, address: Address): boolean {
  if (range.address.family !== address.family) return false;
  const { first, last } = boundsOf(range);
  return address.value >= first && address.value <= last;
}

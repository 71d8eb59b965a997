// IP addresses and ranges in fields. Values an object already had are let through, whatever they look like.
import { type FieldError, fieldError } from "@kubewright/api";
import { type Address, boundsOf, parseAddress, parseRange } from "./network/ip.js";

const none: readonly string[] = [];

/** 4 or 6, or 0 when it is no address. */
export const ipFamily = (text: string): 0 | 4 | 6 => parseAddress(text)?.family ?? 0;

/** The errors for what is no address, or one that programs read differently. */
export function validateIp(text: string, field: string, known: readonly string[] = none): FieldError[] {
  if (known.includes(text)) return [];
  const address = parseAddress(text);
  if (!address) {
    return [fieldError.invalid(field, text, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")];
  }
  const texts = [
    ...(address.leadingZeros ? ["must not have leading 0s"] : []),
    ...(address.mapped ? ["must not be an IPv4-mapped IPv6 address"] : []),
  ];
  return texts.map((problem) => fieldError.invalid(field, text, problem));
}

/** The same for ranges, which must not say more than their prefix. */
export function validateCidr(text: string, field: string, known: readonly string[] = none): FieldError[] {
  if (known.includes(text)) return [];
  const problem = cidrProblem(text);
  return problem === undefined ? [] : [fieldError.invalid(field, text, problem)];
}

function cidrProblem(text: string): string | undefined {
  const range = parseRange(text);
  if (!range) return "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
  const { address, leadingZeros } = range;
  if (leadingZeros || address.leadingZeros) return "must not have leading 0s in IP or prefix length";
  if (address.mapped) return "must not have an IPv4-mapped IPv6 address";
  if (boundsOf(range).first !== address.value) return "must not have bits set beyond the prefix length";
  return undefined;
}

/** Addresses no other machine can be reached at. */
export function validateReachable(text: string, field: string): FieldError[] {
  const address = parseAddress(text);
  if (!address) return [fieldError.invalid(field, text, "must be a valid IP address")];
  return specialTexts(address, text).map((problem) => fieldError.invalid(field, text, problem));
}

function specialTexts({ family, value }: Address, text: string): string[] {
  const within = (ipv4: bigint, ipv4Bits: number, ipv6: bigint, ipv6Bits: number): boolean =>
    family === 4 ? value >> BigInt(32 - ipv4Bits) === ipv4 : value >> BigInt(128 - ipv6Bits) === ipv6;
  const texts: string[] = [];
  if (value === 0n) texts.push(`may not be unspecified (${text})`);
  if (within(127n, 8, 1n, 128)) texts.push("may not be in the loopback range (127.0.0.0/8, ::1/128)");
  if (within(0xa9fen, 16, 0x3fan, 10))
    texts.push("may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  if (family === 4 ? value >> 8n === 0xe00000n : value >> 120n === 0xffn && ((value >> 112n) & 0xfn) === 2n)
    texts.push("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
  return texts;
}

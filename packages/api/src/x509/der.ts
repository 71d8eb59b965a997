// Distinguished Encoding Rules: the few ASN.1 types an X.509 certificate is made of.

/** Tag, length, content. */
export function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), derLength(content.length), content]);
}

function derLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

/** Parts in order. */
export const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
/** Parts in no order. */
export const set = (...parts: readonly Uint8Array[]): Buffer => der(0x31, ...parts);
/** Bytes. */
export const octetString = (content: Uint8Array): Buffer => der(0x04, content);
/** A text. */
export const utf8String = (text: string): Buffer => der(0x0c, Buffer.from(text, "utf8"));
/** True or false. */
export const boolean = (value: boolean): Buffer => der(0x01, Buffer.from([value ? 0xff : 0]));

/** Bits in whole bytes; `unused` trailing bits are padding. Default: none. */
export const bitString = (content: Uint8Array, unused = 0): Buffer =>
  der(0x03, Buffer.from([unused]), content);

/** A context-specific tag; `constructed` when it wraps other values. */
export const context = (number: number, content: Uint8Array, constructed = true): Buffer =>
  der((constructed ? 0xa0 : 0x80) | number, content);

/** An unsigned integer, big-endian, as few bytes as DER demands. */
export function integer(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const trimmed = bytes.subarray(start);
  const negative = ((trimmed[0] ?? 0) & 0x80) !== 0;
  return der(0x02, negative ? Buffer.concat([Buffer.from([0]), trimmed]) : trimmed);
}

/** `2.5.4.3` */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const groups = [arc & 0x7f];
    for (let left = arc >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return der(0x06, Buffer.from(bytes));
}

/** GeneralizedTime in UTC, to the second; UTCTime before 2050 as RFC 5280 demands. */
export function time(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().replace(/[-:T]|\.\d+/g, "");
  return digits < "2050" ? der(0x17, Buffer.from(digits.slice(2))) : der(0x18, Buffer.from(digits));
}

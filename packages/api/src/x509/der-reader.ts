// Reads Distinguished Encoding Rules: the way back from der.ts, for untrusted input.

/** Thrown for bytes that are no DER, or not the element that was expected. */
export class DerError extends Error {
  override readonly name = "DerError";
}

/** One value: its tag, what is in it, and all of it. */
export interface DerValue {
  readonly tag: number;
  readonly content: Buffer;
  readonly raw: Buffer;
}

/** The values that stand one after the other in the bytes. Throws a DerError. */
export function readAll(bytes: Buffer): DerValue[] {
  const values: DerValue[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const value = readOne(bytes.subarray(offset));
    values.push(value);
    offset += value.raw.length;
  }
  return values;
}

/** The parts of a value that has the tag. */
export function partsOf(value: DerValue | undefined, tag: number, what: string): DerValue[] {
  return readAll(expectTag(value, tag, what).content);
}

/** The value, when it has the tag. */
function expectTag(value: DerValue | undefined, tag: number, what: string): DerValue {
  if (value?.tag !== tag) throw new DerError(`${what} is missing`);
  return value;
}

function readOne(bytes: Buffer): DerValue {
  const [tag, first] = bytes;
  if (tag === undefined || first === undefined) throw new DerError("it ends too early");
  if ((tag & 0x1f) === 0x1f) throw new DerError("long tags are not expected");
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (first === 0x80 || lengthBytes > 4) throw new DerError("a length cannot be read");
  if (bytes.length < 2 + lengthBytes) throw new DerError("it ends too early");
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(2, lengthBytes);
  const start = 2 + lengthBytes;
  if (bytes.length < start + length) throw new DerError("it ends too early");
  return { tag, content: bytes.subarray(start, start + length), raw: bytes.subarray(0, start + length) };
}

/** `2.5.4.3` */
export function objectIdentifierOf(value: DerValue | undefined, what: string): string {
  const { content } = expectTag(value, 0x06, what);
  const [first = 0, ...rest] = content;
  const root = Math.min(2, Math.floor(first / 40));
  const arcs = [root, first - root * 40];
  let arc = 0;
  for (const byte of rest) {
    arc = arc * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    arcs.push(arc);
    arc = 0;
  }
  return arcs.join(".");
}

/** The whole bytes of a bit string. */
export function bitsOf(value: DerValue | undefined, what: string): Buffer {
  const { content } = expectTag(value, 0x03, what);
  if (content[0] !== 0) throw new DerError(`${what} does not end with a whole byte`);
  return content.subarray(1);
}

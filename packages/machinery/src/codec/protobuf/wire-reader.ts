// Reads the protobuf wire format from untrusted bytes: every length is checked before it is used.
import { ProtobufError } from "./protobuf-error.js";

/** Wire types; groups (3, 4) are gone from the format and refused. */
export const wireType = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

const two32 = 4_294_967_296;

/** A cursor over one message. */
export class WireReader {
  readonly #bytes: Buffer;
  #at: number;
  readonly #end: number;
  #high = 0;
  #low = 0;

  constructor(bytes: Buffer, start = 0, end: number = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  get done(): boolean {
    return this.#at >= this.#end;
  }

  /** Bytes that were not read yet. */
  get left(): number {
    return this.#end - this.#at;
  }

  /** Field number × 8 + wire type. */
  tag(): number {
    this.#varint();
    if (this.#high !== 0 || this.#low >>> 3 === 0) throw new ProtobufError("proto: illegal tag");
    return this.#low >>> 0;
  }

  /** A signed integer; rounded beyond 2^53, see `exactInteger`. */
  integer(): number {
    this.#varint();
    return this.#high * two32 + (this.#low >>> 0);
  }

  /** The integer read last, exactly. */
  exactInteger(): bigint {
    return BigInt(this.#high) * 4_294_967_296n + BigInt(this.#low >>> 0);
  }

  /** The low 32 bits of an integer, as Go reads an int32. */
  int32(): number {
    this.#varint();
    return this.#low | 0;
  }

  boolean(): boolean {
    this.#varint();
    return this.#low !== 0 || this.#high !== 0;
  }

  double(): number {
    const start = this.#advance(8);
    return this.#bytes.readDoubleLE(start);
  }

  /** Text; what is not UTF-8 is replaced. */
  string(): string {
    const length = this.#length();
    const start = this.#advance(length);
    return this.#bytes.toString("utf8", start, start + length);
  }

  base64(): string {
    const length = this.#length();
    const start = this.#advance(length);
    return this.#bytes.toString("base64", start, start + length);
  }

  bytes(): Buffer {
    const length = this.#length();
    const start = this.#advance(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** A cursor over a message inside this one. */
  message(): WireReader {
    const length = this.#length();
    const start = this.#advance(length);
    return new WireReader(this.#bytes, start, start + length);
  }

  /** Passes over a field of unknown number. */
  skip(type: number): void {
    switch (type) {
      case wireType.varint:
        this.#varint();
        return;
      case wireType.fixed64:
        this.#advance(8);
        return;
      case wireType.bytes:
        this.#advance(this.#length());
        return;
      case wireType.fixed32:
        this.#advance(4);
        return;
      default:
        throw new ProtobufError(`proto: illegal wireType ${type}`);
    }
  }

  #length(): number {
    this.#varint();
    if (this.#high !== 0) throw new ProtobufError("unexpected EOF");
    return this.#low >>> 0;
  }

  #advance(length: number): number {
    const start = this.#at;
    if (length > this.#end - start) throw new ProtobufError("unexpected EOF");
    this.#at = start + length;
    return start;
  }

  /** Leaves a 64-bit integer in two halves; the high one is signed. */
  #varint(): void {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.#at >= this.#end) throw new ProtobufError("unexpected EOF");
      const byte = this.#bytes[this.#at++] ?? 0;
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high |= bits >>> 4;
      } else if (shift < 63) high |= bits << (shift - 32);
      else high |= bits << 31;
      if (byte < 0x80) {
        this.#low = low;
        this.#high = high;
        return;
      }
    }
    throw new ProtobufError("proto: integer overflow");
  }
}

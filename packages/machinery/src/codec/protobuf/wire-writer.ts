// Writes the protobuf wire format, into one buffer that grows.
import { wireType } from "./wire-reader.js";

/** Texts up to this long are copied here: calling Buffer for each takes longer. */
const shortText = 48;

/** Gathers the bytes of one message, and of the messages inside it. */
export class WireWriter {
  #buffer: Buffer;
  #end = 0;

  constructor(capacity = 256) {
    this.#buffer = Buffer.allocUnsafe(capacity);
  }

  /** The written bytes, valid until the next call of any method. */
  finish(): Buffer {
    return this.#buffer.subarray(0, this.#end);
  }

  integer(number: number, value: number | bigint): void {
    this.#tag(number, wireType.varint);
    this.packedInteger(value);
  }

  /** An integer without a tag, as packed lists hold them. */
  packedInteger(value: number | bigint): void {
    if (typeof value === "number" && value >= 0 && value <= 0x7fffffff) this.#smallVarint(value);
    else this.#varint(BigInt.asUintN(64, BigInt(value)));
  }

  double(number: number, value: number): void {
    this.#tag(number, wireType.fixed64);
    this.#reserve(8);
    this.#end = this.#buffer.writeDoubleLE(value, this.#end);
  }

  string(number: number, value: string): void {
    this.#tag(number, wireType.bytes);
    if (value.length <= shortText && this.#shortAscii(value)) return;
    const length = Buffer.byteLength(value);
    this.#smallVarint(length);
    this.#reserve(length);
    this.#end += this.#buffer.write(value, this.#end);
  }

  bytes(number: number, value: Uint8Array): void {
    this.#tag(number, wireType.bytes);
    this.#smallVarint(value.length);
    this.raw(value);
  }

  /** Bytes that are encoded already. */
  raw(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#buffer.set(value, this.#end);
    this.#end += value.length;
  }

  /** Begins a field of that many bytes, which follow. */
  beginBytes(number: number, length: number): void {
    this.#tag(number, wireType.bytes);
    this.#smallVarint(length);
  }

  /** Begins a message inside this one; what is written from now on belongs to it, until `end` gets what this returned. */
  begin(number: number): number {
    this.#tag(number, wireType.bytes);
    this.#reserve(1);
    return ++this.#end;
  }

  /** Puts the length before the inner message, which moves where one byte is too little for that. */
  end(start: number): void {
    const length = this.#end - start;
    let more = 0;
    for (let rest = length >>> 7; rest > 0; rest >>>= 7) more++;
    if (more > 0) {
      this.#reserve(more);
      this.#buffer.copyWithin(start + more, start, this.#end);
    }
    this.#end = start - 1;
    this.#smallVarint(length);
    this.#end += length;
  }

  #tag(number: number, type: number): void {
    this.#smallVarint(number * 8 + type);
  }

  /** Writes a text with its length; false, with nothing written, where a character needs more than one byte. */
  #shortAscii(value: string): boolean {
    this.#reserve(value.length + 1);
    const buffer = this.#buffer;
    let at = this.#end;
    buffer[at++] = value.length;
    for (let index = 0; index < value.length; index++) {
      const code = value.charCodeAt(index);
      if (code > 0x7f) return false;
      buffer[at++] = code;
    }
    this.#end = at;
    return true;
  }

  /** Tags, lengths and most values: below 2^31. */
  #smallVarint(value: number): void {
    this.#reserve(5);
    let rest = value;
    while (rest > 0x7f) {
      this.#buffer[this.#end++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#buffer[this.#end++] = rest;
  }

  #varint(value: bigint): void {
    this.#reserve(10);
    let rest = value;
    while (rest > 0x7fn) {
      this.#buffer[this.#end++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.#buffer[this.#end++] = Number(rest);
  }

  #reserve(length: number): void {
    const needed = this.#end + length;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#end);
    this.#buffer = larger;
  }
}

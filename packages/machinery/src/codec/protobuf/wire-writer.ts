// Writes the protobuf wire format.
import { wireType } from "./wire-reader.js";

/** Gathers the bytes of one message. */
export class WireWriter {
  readonly #chunks: Uint8Array[] = [];

  finish(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  integer(number: number, value: number | bigint): void {
    this.#tag(number, wireType.varint);
    this.packedInteger(value);
  }

  /** An integer without a tag, as packed lists hold them. */
  packedInteger(value: number | bigint): void {
    this.#varint(BigInt.asUintN(64, BigInt(value)));
  }

  double(number: number, value: number): void {
    this.#tag(number, wireType.fixed64);
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    this.#chunks.push(bytes);
  }

  string(number: number, value: string): void {
    this.bytes(number, Buffer.from(value, "utf8"));
  }

  bytes(number: number, value: Uint8Array): void {
    this.#tag(number, wireType.bytes);
    this.#smallVarint(value.length);
    this.#chunks.push(value);
  }

  #tag(number: number, type: number): void {
    this.#smallVarint(number * 8 + type);
  }

  /** Tags and lengths: below 2^31, and far more frequent than values. */
  #smallVarint(value: number): void {
    const bytes: number[] = [];
    let rest = value;
    while (rest > 0x7f) {
      bytes.push((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    bytes.push(rest);
    this.#chunks.push(Uint8Array.from(bytes));
  }

  #varint(value: bigint): void {
    const bytes: number[] = [];
    let rest = value;
    while (rest > 0x7fn) {
      bytes.push(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    bytes.push(Number(rest));
    this.#chunks.push(Uint8Array.from(bytes));
  }
}

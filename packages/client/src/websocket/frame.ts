// Frames of the WebSocket protocol (RFC 6455, section 5), as far as a client needs them: it masks what it sends, and must
// not be sent anything masked.

/** What a frame is. */
export const opcode = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export interface Frame {
  readonly final: boolean;
  readonly opcode: number;
  readonly payload: Buffer;
}

/** One whole message or control frame, masked. */
export function encodeFrame(code: number, payload: Uint8Array, mask: Uint8Array): Buffer {
  const { length } = payload;
  const lengthBytes = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const header = 2 + lengthBytes;
  const frame = Buffer.allocUnsafe(header + 4 + length);
  frame[0] = 0x80 | code;
  frame[1] = 0x80 | (lengthBytes === 0 ? length : lengthBytes === 2 ? 126 : 127);
  if (lengthBytes === 2) frame.writeUInt16BE(length, 2);
  if (lengthBytes === 8) frame.writeBigUInt64BE(BigInt(length), 2);
  frame.set(mask, header);
  for (let i = 0; i < length; i++) frame[header + 4 + i] = (payload[i] ?? 0) ^ (mask[i & 3] ?? 0);
  return frame;
}

/** The other side does not keep to the protocol. */
export class FrameError extends Error {
  override readonly name = "FrameError";
}

/** Finds frames in a stream of bytes. */
export class FrameDecoder {
  readonly #maxLength: number;
  #pending: Buffer[] = [];
  #length = 0;

  constructor(maxLength = 64 * 1024 * 1024) {
    this.#maxLength = maxLength;
  }

  /** The frames completed by this chunk. */
  push(chunk: Buffer): Frame[] {
    this.#pending.push(chunk);
    this.#length += chunk.length;
    const frames: Frame[] = [];
    for (let frame = this.#next(); frame !== undefined; frame = this.#next()) frames.push(frame);
    return frames;
  }

  #next(): Frame | undefined {
    if (this.#length < 2) return undefined;
    const header = this.#peek(Math.min(10, this.#length));
    const [first = 0, second = 0] = header;
    if ((first & 0x70) !== 0) throw new FrameError("a frame uses an extension that was not agreed on");
    if ((second & 0x80) !== 0) throw new FrameError("a frame from the server is masked");
    const short = second & 0x7f;
    const start = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (header.length < start) return undefined;
    const length =
      short < 126 ? short : short === 126 ? header.readUInt16BE(2) : Number(header.readBigUInt64BE(2));
    if (length > this.#maxLength) throw new FrameError(`a frame of ${length} bytes is too long`);
    if (this.#length < start + length) return undefined;
    const bytes = this.#take(start + length);
    return { final: (first & 0x80) !== 0, opcode: first & 0x0f, payload: bytes.subarray(start) };
  }

  #peek(length: number): Buffer {
    const [head] = this.#pending;
    return head && head.length >= length ? head.subarray(0, length) : this.#joined().subarray(0, length);
  }

  #take(length: number): Buffer {
    const [head] = this.#pending;
    const whole = head && head.length >= length ? head : this.#joined();
    const rest = whole.subarray(length);
    if (whole === head) this.#pending.shift();
    else this.#pending = [];
    if (rest.length > 0) this.#pending.unshift(rest);
    this.#length -= length;
    return whole.subarray(0, length);
  }

  /** Joins what is pending, once, when a frame spans chunks. */
  #joined(): Buffer {
    const whole = Buffer.concat(this.#pending, this.#length);
    this.#pending = [whole];
    return whole;
  }
}

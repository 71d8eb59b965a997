// Frames of the WebSocket protocol (RFC 6455, section 5), as far as a server needs them: clients must mask what they send,
// and it must not.

/** What a frame is. */
export const opcode = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export interface Frame {
  readonly isFinal: boolean;
  readonly opcode: number;
  readonly payload: Buffer;
}

/** The client does not keep to the protocol; the code says how. */
export class FrameError extends Error {
  override readonly name = "FrameError";
  readonly code: number;

  constructor(message: string, code = 1002) {
    super(message);
    this.code = code;
  }
}

/** One whole message or control frame. */
export function encodeFrame(code: number, payload: Uint8Array): Buffer {
  const { length } = payload;
  const lengthBytes = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const header = Buffer.alloc(2 + lengthBytes);
  header[0] = 0x80 | code;
  header[1] = lengthBytes === 0 ? length : lengthBytes === 2 ? 126 : 127;
  if (lengthBytes === 2) header.writeUInt16BE(length, 2);
  if (lengthBytes === 8) header.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([header, payload]);
}

/** Finds frames in a stream of bytes. */
export class FrameReader {
  readonly #longest: number;
  #pending: Buffer = Buffer.alloc(0);

  /** Frames that are longer, in bytes, are refused. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** The frames completed by this chunk. */
  *read(chunk: Buffer): Generator<Frame> {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    for (let frame = this.#next(); frame; frame = this.#next()) yield frame;
  }

  #next(): Frame | undefined {
    const bytes = this.#pending;
    if (bytes.length < 2) return undefined;
    const [first = 0, second = 0] = bytes;
    if ((first & 0x70) !== 0) throw new FrameError("a frame uses an extension that was not agreed on");
    if ((second & 0x80) === 0) throw new FrameError("a frame from a client is not masked");
    const short = second & 0x7f;
    const start = (short < 126 ? 2 : short === 126 ? 4 : 10) + 4;
    if (bytes.length < start) return undefined;
    const length =
      short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
    if (length > this.#longest) throw new FrameError(`a frame of ${length} bytes is too long`, 1009);
    if (bytes.length < start + length) return undefined;
    this.#pending = bytes.subarray(start + length);
    const payload = unmasked(bytes.subarray(start, start + length), bytes.subarray(start - 4, start));
    return { isFinal: (first & 0x80) !== 0, opcode: first & 0x0f, payload };
  }
}

function unmasked(masked: Buffer, mask: Buffer): Buffer {
  const payload = Buffer.allocUnsafe(masked.length);
  for (let at = 0; at < masked.length; at++) payload[at] = (masked[at] ?? 0) ^ (mask[at & 3] ?? 0);
  return payload;
}

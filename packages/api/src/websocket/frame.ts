// Frames of the WebSocket protocol (RFC 6455, section 5). Clients mask what they send, servers must not.

/** The opcodes of WebSocket frames (RFC 6455). */
export const opcode = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** A WebSocket frame. */
export interface Frame {
  readonly isFinal: boolean;
  readonly opcode: number;
  readonly payload: Buffer;
}

/** The peer violates the protocol; `code` is the status code of the close frame. */
export class FrameError extends Error {
  override readonly name = "FrameError";
  readonly code: number;

  constructor(message: string, code = 1002) {
    super(message);
    this.code = code;
  }
}

/** Encodes one whole message or control frame. A client passes four random bytes as `mask`. */
export function encodeFrame(code: number, payload: Uint8Array, mask?: Uint8Array): Buffer {
  const { length } = payload;
  const lengthBytes = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const start = 2 + lengthBytes + (mask ? 4 : 0);
  const frame = Buffer.allocUnsafe(start + length);
  frame[0] = 0x80 | code;
  frame[1] = (mask ? 0x80 : 0) | (lengthBytes === 0 ? length : lengthBytes === 2 ? 126 : 127);
  if (lengthBytes === 2) frame.writeUInt16BE(length, 2);
  if (lengthBytes === 8) frame.writeBigUInt64BE(BigInt(length), 2);
  frame.set(payload, start);
  if (!mask) return frame;
  frame.set(mask, start - 4);
  applyMask(frame.subarray(start), mask);
  return frame;
}

function applyMask(payload: Uint8Array, mask: Uint8Array): void {
  for (let index = 0; index < payload.length; index++)
    payload[index] = (payload[index] ?? 0) ^ (mask[index & 3] ?? 0);
}

export interface FrameDecoderOptions {
  /** The side that sends the frames: those of a client must be masked, those of a server must not. */
  readonly sender: "client" | "server";
  /** The most bytes a frame may have. */
  readonly maxLength: number;
}

/** Finds frames in a stream of bytes. */
export class FrameDecoder {
  readonly #options: FrameDecoderOptions;
  #pending: Buffer[] = [];
  #length = 0;

  constructor(options: FrameDecoderOptions) {
    this.#options = options;
  }

  /** Returns the frames completed by this chunk. Throws FrameError. */
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
    this.#check(first, second);
    const short = second & 0x7f;
    const head = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (header.length < head) return undefined;
    const length =
      short < 126 ? short : short === 126 ? header.readUInt16BE(2) : Number(header.readBigUInt64BE(2));
    if (length > this.#options.maxLength)
      throw new FrameError(`a frame of ${length} bytes is too long`, 1009);
    const isMasked = (second & 0x80) !== 0;
    const start = isMasked ? head + 4 : head;
    if (this.#length < start + length) return undefined;
    const bytes = this.#take(start + length);
    const payload = bytes.subarray(start);
    if (isMasked) applyMask(payload, bytes.subarray(head, start));
    return { isFinal: (first & 0x80) !== 0, opcode: first & 0x0f, payload };
  }

  #check(first: number, second: number): void {
    if ((first & 0x70) !== 0) throw new FrameError("a frame uses an extension that was not agreed on");
    const isMasked = (second & 0x80) !== 0;
    if (this.#options.sender === "client" && !isMasked)
      throw new FrameError("a frame from a client is not masked");
    if (this.#options.sender === "server" && isMasked)
      throw new FrameError("a frame from the server is masked");
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

// The server's side of SPDY/3.1, as far as programs and ports need it: clients open streams, both sides send on them. kubectl
// speaks it on a connection of its own, or inside of a WebSocket.
import type { MessageSocket } from "@kubewright/api";
import { ByteInbox } from "../byte-inbox.js";
import { emptyHeaderBlock, HeaderReader } from "./header-block.js";

const control = { synStream: 1, synReply: 2, reset: 3, ping: 6 } as const;
const finFlag = 1;
const longestFrame = 1024 * 1024;
const maxData = 32 * 1024;

/** A stream that the client opened. */
export interface SpdyStream {
  readonly headers: ReadonlyMap<string, string>;
  readonly received: AsyncIterable<Uint8Array>;
  send(bytes: Uint8Array): Promise<void>;
  /** Nothing more will be sent. */
  end(): Promise<void>;
}

export class SpdySession {
  readonly #socket: MessageSocket;
  readonly #onStream: (stream: SpdyStream) => void;
  readonly #headers = new HeaderReader();
  readonly #inboxes = new Map<number, ByteInbox>();
  readonly #gone = new AbortController();
  #pending: Buffer = Buffer.alloc(0);
  #hasReplied = false;
  /** Frames are handled one after another: reading headers takes a moment. */
  #work: Promise<void> = Promise.resolve();

  constructor(socket: MessageSocket, onStream: (stream: SpdyStream) => void) {
    this.#socket = socket;
    this.#onStream = onStream;
    socket.listen({ onMessage: (message) => this.#receive(message), onEnd: () => this.#end() });
  }

  /** Aborted when the client is gone. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  /** Ends the connection, once what was sent has arrived. */
  close(): void {
    this.#socket.close();
  }

  #receive(message: Uint8Array): void {
    this.#pending = Buffer.concat([this.#pending, message]);
    while (this.#pending.length >= 8) {
      const length = this.#pending.readUIntBE(5, 3);
      if (length > longestFrame) {
        this.#fail();
        return;
      }
      if (this.#pending.length < 8 + length) return;
      const frame = this.#pending.subarray(0, 8 + length);
      this.#pending = this.#pending.subarray(8 + length);
      this.#work = this.#work.then(() => this.#handle(frame)).catch(() => this.#fail());
    }
  }

  async #handle(frame: Buffer): Promise<void> {
    const first = frame.readUInt32BE(0);
    const hasEnded = ((frame[4] ?? 0) & finFlag) !== 0;
    if (first < 0x8000_0000) return this.#onData(first, frame.subarray(8), hasEnded);
    const type = first & 0xffff;
    if (type === control.synStream) await this.#open(frame, hasEnded);
    else if (type === control.reset) this.#inboxes.get(frame.readUInt32BE(8) & 0x7fff_ffff)?.end();
    else if (type === control.ping) await this.#socket.send(frame);
  }

  #onData(id: number, bytes: Buffer, hasEnded: boolean): void {
    const inbox = this.#inboxes.get(id);
    if (bytes.length > 0) inbox?.push(bytes);
    if (hasEnded) inbox?.end();
  }

  async #open(frame: Buffer, hasEnded: boolean): Promise<void> {
    const id = frame.readUInt32BE(8) & 0x7fff_ffff;
    const headers = await this.#headers.read(frame.subarray(18));
    const received = new ByteInbox(this.#socket);
    if (hasEnded) received.end();
    this.#inboxes.set(id, received);
    await this.#reply(id);
    this.#onStream({
      headers,
      received,
      send: (bytes) => this.#send(id, bytes),
      end: () => {
        this.#inboxes.delete(id);
        return this.#socket.send(dataFrame(id, new Uint8Array(0), finFlag));
      },
    });
  }

  #reply(id: number): Promise<void> {
    const block = emptyHeaderBlock(!this.#hasReplied);
    this.#hasReplied = true;
    const frame = Buffer.alloc(12);
    frame.writeUInt16BE(0x8003, 0);
    frame.writeUInt16BE(control.synReply, 2);
    frame.writeUIntBE(4 + block.length, 5, 3);
    frame.writeUInt32BE(id, 8);
    return this.#socket.send(Buffer.concat([frame, block]));
  }

  async #send(id: number, bytes: Uint8Array): Promise<void> {
    for (let start = 0; start < bytes.length; start += maxData)
      await this.#socket.send(dataFrame(id, bytes.subarray(start, start + maxData), 0));
  }

  #fail(): void {
    this.#socket.close();
    this.#end();
  }

  #end(): void {
    if (this.#gone.signal.aborted) return;
    this.#gone.abort();
    this.#headers.close();
    for (const inbox of this.#inboxes.values()) inbox.end();
  }
}

function dataFrame(id: number, bytes: Uint8Array, flags: number): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(id, 0);
  header[4] = flags;
  header.writeUIntBE(bytes.length, 5, 3);
  return Buffer.concat([header, bytes]);
}

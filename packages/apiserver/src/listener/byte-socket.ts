// A message socket over an upgraded connection without framing: bytes are passed on in pieces of any size.
import type { Duplex } from "node:stream";
import type { MessageSocket } from "@kubewright/api";
import { drained } from "./sink.js";

type Listener = Parameters<MessageSocket["listen"]>[0];

/** Milliseconds without progress after which a connection that does not read is closed. */
const stallTimeout = 60_000;

export class ByteSocket implements MessageSocket {
  readonly #socket: Duplex;
  readonly #early: Uint8Array[] = [];
  #listener: Listener | undefined;
  #isEnding = false;
  #isOver = false;

  /** Takes over a connection whose upgrade has been agreed; `head` is what came with it already. */
  constructor(socket: Duplex, head: Buffer) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    for (const event of ["error", "close", "end"]) socket.on(event, () => this.#end());
    if (head.length > 0) this.#receive(head);
  }

  send(message: Uint8Array): Promise<void> {
    if (this.#isOver || this.#isEnding || this.#socket.write(message)) return Promise.resolve();
    return drained(this.#socket, stallTimeout);
  }

  listen(listener: Listener): void {
    this.#listener = listener;
    for (const chunk of this.#early.splice(0)) listener.onMessage(chunk);
    if (this.#isOver) listener.onEnd();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Data already sent still arrives; the other side ends when it has read it. */
  close(): void {
    if (this.#isOver || this.#isEnding) return;
    this.#isEnding = true;
    this.#socket.resume();
    this.#socket.end();
  }

  #receive(chunk: Buffer): void {
    if (this.#isOver || this.#isEnding) return;
    if (this.#listener) this.#listener.onMessage(chunk);
    else this.#early.push(chunk);
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#socket.end(() => this.#socket.destroy());
    this.#listener?.onEnd();
  }
}

// The server's end of a WebSocket: whole messages in and out, pings answered.
import type { Duplex } from "node:stream";
import type { MessageSocket } from "../transport.js";
import { encodeFrame, type Frame, FrameDecoder, FrameError, opcode } from "./frame.js";
import { MessageAssembler } from "./message-assembler.js";

type Listener = Parameters<MessageSocket["listen"]>[0];

/** Messages of clients are far shorter. */
const longestMessage = 1024 * 1024;
/** How long the other side has to agree to an end, in milliseconds. */
const closingTime = 1000;

/** The server's end of a WebSocket connection. */
export class ServerWebSocket implements MessageSocket {
  readonly #socket: Duplex;
  readonly #frames = new FrameDecoder({ sender: "client", maxLength: longestMessage });
  readonly #messages = new MessageAssembler(longestMessage);
  readonly #early: Buffer[] = [];
  #listener: Listener | undefined;
  #isEnding = false;
  #isOver = false;

  /** Takes over a connection whose upgrade has been agreed; `head` is what came with it already. */
  constructor(socket: Duplex, head: Buffer) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("error", () => this.#end());
    socket.on("close", () => this.#end());
    socket.on("end", () => this.#end());
    if (head.length > 0) this.#receive(head);
  }

  send(message: Uint8Array): Promise<void> {
    return this.#write(encodeFrame(opcode.binary, message));
  }

  /** The same with a message that is a text, in UTF-8. */
  sendText(text: Uint8Array): Promise<void> {
    return this.#write(encodeFrame(opcode.text, text));
  }

  #write(frame: Buffer): Promise<void> {
    if (this.#isOver || this.#isEnding) return Promise.resolve();
    if (this.#socket.write(frame)) return Promise.resolve();
    return new Promise((resolve) => {
      const go = (): void => {
        this.#socket.off("drain", go);
        this.#socket.off("close", go);
        resolve();
      };
      this.#socket.on("drain", go);
      this.#socket.on("close", go);
    });
  }

  listen(listener: Listener): void {
    this.#listener = listener;
    for (const message of this.#early.splice(0)) listener.onMessage(message);
    if (this.#isOver) listener.onEnd();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  close(code = 1000): void {
    if (this.#isOver || this.#isEnding) return;
    this.#isEnding = true;
    this.#socket.write(encodeFrame(opcode.close, Buffer.from([code >> 8, code & 255])));
    this.#socket.resume();
    setTimeout(() => this.#end(), closingTime).unref();
  }

  #receive(chunk: Buffer): void {
    if (this.#isOver) return;
    try {
      for (const frame of this.#frames.push(chunk)) this.#handle(frame);
    } catch (error) {
      this.close(error instanceof FrameError ? error.code : 1011);
      this.#end();
    }
  }

  #handle(frame: Frame): void {
    switch (frame.opcode) {
      case opcode.ping:
        this.#socket.write(encodeFrame(opcode.pong, frame.payload));
        return;
      case opcode.pong:
        return;
      case opcode.close:
        if (!this.#isEnding) this.#socket.write(encodeFrame(opcode.close, frame.payload.subarray(0, 2)));
        this.#end();
        return;
      default:
        this.#assemble(frame);
    }
  }

  #assemble(frame: Frame): void {
    const message = this.#messages.add(frame);
    if (!message) return;
    if (this.#listener) this.#listener.onMessage(message);
    else this.#early.push(message);
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#socket.end(() => this.#socket.destroy());
    this.#listener?.onEnd();
  }
}

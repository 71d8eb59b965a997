// A WebSocket on a socket whose upgrade has been agreed: whole messages out and in, pings answered, silence noticed.
import { randomFillSync } from "node:crypto";
import type { Duplex } from "node:stream";
import type { Clock, Timer } from "@kubewright/api";
import {
  encodeFrame,
  type Frame,
  FrameDecoder,
  FrameError,
  MessageAssembler,
  opcode,
} from "@kubewright/api/websocket";

export interface WebSocketHandlers {
  onMessage(message: Buffer): void;
  /** Called once, at the end. The code is the other side's; the error says why there was no orderly end. */
  onClose(code: number, error?: Error): void;
}

/** Pings keep the way open through proxies; two without a pong mean that the peer is dead. */
const pingInterval = 20_000;

/** The most bytes of a message. */
const maxLength = 64 * 1024 * 1024;

/** Sends and receives messages until either side closes. */
export class WebSocketConnection {
  readonly #socket: Duplex;
  readonly #clock: Clock;
  readonly #handlers: WebSocketHandlers;
  readonly #decoder = new FrameDecoder({ sender: "server", maxLength });
  readonly #messages = new MessageAssembler(maxLength);
  #unanswered = 0;
  #timer: Timer | undefined;
  #closed = false;
  #closeSent = false;

  constructor(socket: Duplex, clock: Clock, handlers: WebSocketHandlers) {
    this.#socket = socket;
    this.#clock = clock;
    this.#handlers = handlers;
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("error", (error: Error) => this.#end(1006, error));
    socket.on("close", () => this.#end(1006, new Error("the connection was closed")));
    this.#armPing();
  }

  /** Sends a binary message; resolves when the socket takes more. */
  send(message: Uint8Array): Promise<void> {
    if (this.#closed || this.#closeSent) return Promise.reject(new Error("the connection is closed"));
    if (this.#write(opcode.binary, message)) return Promise.resolve();
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

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Ends the connection; the other side has a moment to agree. */
  close(code = 1000): void {
    if (this.#closed || this.#closeSent) return;
    this.#closeSent = true;
    this.#write(opcode.close, Buffer.from([code >> 8, code & 255]));
    this.#timer?.cancel();
    this.#timer = this.#clock.setTimer(2_000, () => this.#end(code));
    this.#socket.resume();
  }

  #receive(chunk: Buffer): void {
    this.#unanswered = 0;
    try {
      for (const frame of this.#decoder.push(chunk)) this.#handle(frame);
    } catch (error) {
      this.#end(1002, error instanceof Error ? error : new FrameError(String(error)));
    }
  }

  #handle(frame: Frame): void {
    if (this.#closed) return;
    switch (frame.opcode) {
      case opcode.ping:
        this.#write(opcode.pong, frame.payload);
        break;
      case opcode.pong:
        break;
      case opcode.close:
        this.#answerClose(frame.payload);
        break;
      default: {
        const message = this.#messages.add(frame);
        if (message) this.#handlers.onMessage(message);
      }
    }
  }

  #answerClose(payload: Buffer): void {
    const code = payload.length >= 2 ? payload.readUInt16BE(0) : 1005;
    if (!this.#closeSent) {
      this.#closeSent = true;
      this.#write(opcode.close, payload.subarray(0, 2));
    }
    this.#end(code);
  }

  #write(code: number, payload: Uint8Array): boolean {
    return this.#socket.write(encodeFrame(code, payload, randomFillSync(new Uint8Array(4))));
  }

  #armPing(): void {
    this.#timer = this.#clock.setTimer(pingInterval, () => {
      if (this.#unanswered >= 2) return this.#end(1006, new Error("the other side has gone silent"));
      // A paused socket reads no answers.
      if (!this.#socket.isPaused()) this.#unanswered++;
      this.#write(opcode.ping, new Uint8Array(0));
      this.#armPing();
    });
  }

  #end(code: number, error?: Error): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#timer?.cancel();
    if (error) this.#socket.destroy();
    else this.#socket.end();
    this.#handlers.onClose(code, error);
  }
}

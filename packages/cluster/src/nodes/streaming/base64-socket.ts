// Channels for clients that can only send text: the number of the channel is a digit, and the rest of the frame is base64.
import type { MessageSocket } from "@kubewright/api";

type Listener = Parameters<MessageSocket["listen"]>[0];

const zero = 48;
/** The base64 that Go decodes; line breaks are ignored. */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Messages as they are without base64, on both sides. */
export class Base64Socket implements MessageSocket {
  readonly #socket: MessageSocket;

  constructor(socket: MessageSocket) {
    this.#socket = socket;
  }

  send(message: Uint8Array): Promise<void> {
    const [channel = 0] = message;
    const data = Buffer.from(message.buffer, message.byteOffset + 1, message.length - 1).toString("base64");
    const text = Buffer.from(`${String.fromCharCode(zero + channel)}${data}`);
    return this.#socket.sendText?.(text) ?? this.#socket.send(text);
  }

  listen({ onMessage, onEnd }: Listener): void {
    this.#socket.listen({
      onMessage: (text) => {
        const message = decoded(text);
        if (message) onMessage(message);
      },
      onEnd,
    });
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  close(): void {
    this.#socket.close();
  }
}

/** Decodes a message; undefined when it is no base64. */
function decoded(message: Uint8Array): Uint8Array | undefined {
  const [digit] = message;
  if (digit === undefined) return undefined;
  const text = Buffer.from(message.buffer, message.byteOffset + 1, message.length - 1)
    .toString("latin1")
    .replace(/[\r\n]+/g, "");
  if (!base64.test(text)) return undefined;
  return Buffer.concat([Uint8Array.of((digit - zero) & 255), Buffer.from(text, "base64")]);
}

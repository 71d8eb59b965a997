// The node's side of the channel protocol: every message begins with the number of the channel it belongs to. Version 5
// adds a message that ends one channel.
import type { MessageSocket } from "@kubewright/api";
import { ByteInbox } from "./byte-inbox.js";

const endOfChannel = 255;
const maxMessage = 32 * 1024;

/** Those we speak, the preferred one first. */
export const channelProtocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"] as const;

export class Channels {
  readonly #socket: MessageSocket;
  readonly #inboxes = new Map<number, ByteInbox>();
  readonly #gone = new AbortController();

  constructor(socket: MessageSocket) {
    this.#socket = socket;
    socket.listen({ onMessage: (message) => this.#receive(message), onEnd: () => this.#end() });
  }

  /** Aborted when the client is gone. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  /** What the client sends on a channel; has to be asked for at the beginning. */
  read(channel: number): ByteInbox {
    const inbox = new ByteInbox(this.#socket);
    this.#inboxes.set(channel, inbox);
    if (this.#gone.signal.aborted) inbox.end();
    return inbox;
  }

  async write(channel: number, data: Uint8Array): Promise<void> {
    for (let start = 0; start < data.length; start += maxMessage) {
      const part = data.subarray(start, start + maxMessage);
      const message = new Uint8Array(part.length + 1);
      message[0] = channel;
      message.set(part, 1);
      await this.#socket.send(message);
    }
  }

  close(): void {
    this.#socket.close();
  }

  #receive(message: Uint8Array): void {
    const [channel = 0, other = 0] = message;
    if (channel === endOfChannel) this.#inboxes.get(other)?.end();
    else if (message.length > 1) this.#inboxes.get(channel)?.push(message.subarray(1));
  }

  #end(): void {
    this.#gone.abort();
    for (const inbox of this.#inboxes.values()) inbox.end();
  }
}

// The node's side of the channel protocol: every message begins with the number of the channel it belongs to. Version 5
// adds a message that ends one channel.
import type { MessageSocket } from "@kubewright/api";
import { Base64Socket } from "./base64-socket.js";
import { ByteInbox } from "./byte-inbox.js";

const endOfChannel = 255;
const maxMessage = 32 * 1024;

/** A version of the protocol. */
export interface ChannelProtocol {
  readonly name: string;
  /** Clients can end their input alone; in others only the connection. */
  readonly endsChannels: boolean;
  /** The outcome is a Status in JSON; in others it is a text, and none after success. */
  readonly hasStatus: boolean;
  /** Messages are text: a digit for the channel, then base64. */
  readonly isBase64: boolean;
}

/** Version 4, which ports are forwarded over, too. */
export const version4: ChannelProtocol = {
  name: "v4.channel.k8s.io",
  endsChannels: false,
  hasStatus: true,
  isBase64: false,
};

/** The same for clients that send text. */
export const version4Base64: ChannelProtocol = {
  ...version4,
  name: "v4.base64.channel.k8s.io",
  isBase64: true,
};

const first: ChannelProtocol = {
  name: "channel.k8s.io",
  endsChannels: false,
  hasStatus: false,
  isBase64: false,
};

/** The supported protocols, the preferred one first. Clients that name none get the oldest. */
export const channelProtocols: readonly ChannelProtocol[] = [
  { name: "v5.channel.k8s.io", endsChannels: true, hasStatus: true, isBase64: false },
  version4,
  version4Base64,
  first,
  { ...first, name: "base64.channel.k8s.io", isBase64: true },
  { ...first, name: "" },
];

export class Channels {
  readonly #socket: MessageSocket;
  readonly #inboxes = new Map<number, ByteInbox>();
  readonly #gone = new AbortController();
  readonly #endsChannels: boolean;

  constructor(
    socket: MessageSocket,
    { endsChannels, isBase64 }: Pick<ChannelProtocol, "endsChannels" | "isBase64">,
  ) {
    this.#socket = isBase64 ? new Base64Socket(socket) : socket;
    this.#endsChannels = endsChannels;
    this.#socket.listen({ onMessage: (message) => this.#receive(message), onEnd: () => this.#end() });
  }

  /** Aborted when the client is gone. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  /** The client's data on a channel; must be opened at the beginning. */
  read(channel: number): ByteInbox {
    const inbox = new ByteInbox(this.#socket);
    this.#inboxes.set(channel, inbox);
    if (this.#gone.signal.aborted) inbox.end();
    return inbox;
  }

  /** Says with a message of nothing that the connection stands. */
  greet(channel: number): Promise<void> {
    return this.#socket.send(Uint8Array.of(channel));
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
    if (channel === endOfChannel && this.#endsChannels) this.#inboxes.get(other)?.end();
    else if (message.length > 1) this.#inboxes.get(channel)?.push(message.subarray(1));
  }

  #end(): void {
    this.#gone.abort();
    for (const inbox of this.#inboxes.values()) inbox.end();
  }
}

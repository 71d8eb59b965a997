// The channel protocol: every message begins with the number of the channel it belongs to. Version 5 adds a message that
// closes one channel, so that a program can see the end of its input while its output goes on.
import type { Clock } from "@kubewright/api";
import { ByteQueue } from "../transport/byte-queue.js";
import { WebSocketConnection } from "../websocket/connection.js";
import type { OpenedSocket } from "../websocket/open-websocket.js";

export const channelProtocols = { v5: "v5.channel.k8s.io", v4: "v4.channel.k8s.io" } as const;

const closeChannel = 255;
const maxMessage = 32 * 1024;

/** Several streams of bytes over one WebSocket. */
export class Channels {
  readonly #connection: WebSocketConnection;
  readonly #protocol: string;
  readonly #queues = new Map<number, ByteQueue>();
  readonly #paused = new Set<number>();
  /** Settles when the connection has ended, rejecting when it broke. */
  readonly ended: Promise<void>;

  constructor({ socket, protocol }: OpenedSocket, clock: Clock) {
    this.#protocol = protocol;
    let settle: (error?: Error) => void = () => undefined;
    this.ended = new Promise((resolve, reject) => {
      settle = (error) => (error ? reject(error) : resolve());
    });
    this.ended.catch(() => undefined);
    this.#connection = new WebSocketConnection(socket, clock, {
      onMessage: (message) => this.#receive(message),
      onClose: (_code, error) => {
        for (const queue of this.#queues.values()) error ? queue.fail(error) : queue.end();
        settle(error);
      },
    });
  }

  /** The data of a channel. Must be called before any arrives; data of channels without a reader is dropped. */
  read(channel: number): ByteQueue {
    const queue = new ByteQueue({
      pause: () => this.#pause(channel),
      resume: () => this.#resume(channel),
      cancel: () => this.#forget(channel),
    });
    this.#queues.set(channel, queue);
    return queue;
  }

  /** Sends on a channel, in messages of a size that every server takes. */
  async write(channel: number, data: Uint8Array): Promise<void> {
    for (let start = 0; start < data.length; start += maxMessage) {
      const part = data.subarray(start, start + maxMessage);
      const message = new Uint8Array(part.length + 1);
      message[0] = channel;
      message.set(part, 1);
      await this.#connection.send(message);
    }
  }

  /** Closes a channel for writing. False when the protocol version cannot signal that. */
  async end(channel: number): Promise<boolean> {
    if (this.#protocol !== channelProtocols.v5) return false;
    await this.#connection.send(Uint8Array.of(closeChannel, channel));
    return true;
  }

  close(): void {
    this.#connection.close();
  }

  #receive(message: Buffer): void {
    const [channel = 0] = message;
    if (channel === closeChannel) this.#queues.get(message[1] ?? 0)?.end();
    else if (message.length > 1) this.#queues.get(channel)?.push(message.subarray(1));
  }

  /** One socket carries all channels, so it waits while any reader is behind. */
  #pause(channel: number): void {
    this.#paused.add(channel);
    this.#connection.pause();
  }

  #resume(channel: number): void {
    this.#paused.delete(channel);
    if (this.#paused.size === 0) this.#connection.resume();
  }

  #forget(channel: number): void {
    this.#queues.delete(channel);
    this.#resume(channel);
  }
}

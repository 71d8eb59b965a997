// The stream of a page, without a browser.
import { type Dispatcher, WebSocket } from "undici";
import { expect, vi } from "vitest";

export type Message = Readonly<Record<string, unknown>>;

export interface StreamOptions {
  /** Default: the origin of the page itself. */
  readonly headers?: Record<string, string> | undefined;
  readonly dispatcher?: Dispatcher | undefined;
}

export class Stream {
  readonly messages: Message[] = [];
  readonly #socket: WebSocket;
  isClosed = false;

  constructor(url: string, { headers, dispatcher }: StreamOptions = {}) {
    const { origin } = new URL(url);
    this.#socket = new WebSocket(`${origin.replace("http", "ws")}/stream`, {
      headers: headers ?? { origin },
      ...(dispatcher && { dispatcher }),
    });
    this.#socket.onmessage = ({ data }) => this.messages.push(JSON.parse(String(data)));
    this.#socket.onerror = () => undefined;
    this.#socket.onclose = () => {
      this.isClosed = true;
    };
  }

  async opened(): Promise<this> {
    await vi.waitFor(() => expect(this.#socket.readyState).not.toBe(WebSocket.CONNECTING));
    return this;
  }

  send(message: unknown): void {
    this.#socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  /** The first message that has all of these fields. */
  async find(fields: Message): Promise<Message> {
    return vi.waitFor(
      () => {
        const found = this.messages.find((message) =>
          Object.entries(fields).every(([key, value]) => message[key] === value),
        );
        if (!found) throw new Error(`no ${JSON.stringify(fields)} among ${this.messages.length} messages`);
        return found;
      },
      { timeout: 10_000 },
    );
  }

  close(): void {
    this.#socket.close();
  }
}

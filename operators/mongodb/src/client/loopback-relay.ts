// The driver opens its connections itself, to an address. Where a member is reached through the API server, this is that address: a port
// of the loopback device of this machine, whose connections go on through the API server.
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";

export class LoopbackRelay {
  readonly #open: () => Promise<Duplex>;
  readonly #server: Server;
  readonly #streams = new Set<Duplex>();
  #address: Promise<string> | undefined;

  constructor(open: () => Promise<Duplex>) {
    this.#open = open;
    this.#server = createServer((socket) => void this.#relay(socket));
    this.#server.unref();
  }

  /** The address to connect to; listening begins with the first call. */
  address(): Promise<string> {
    this.#address ??= new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(0, "127.0.0.1", () => {
        resolve(`127.0.0.1:${(this.#server.address() as AddressInfo).port}`);
      });
    });
    return this.#address;
  }

  close(): void {
    for (const stream of this.#streams) stream.destroy();
    this.#server.close();
  }

  async #relay(socket: Socket): Promise<void> {
    this.#keep(socket);
    try {
      const stream = await this.#open();
      this.#keep(stream);
      for (const [from, to] of [
        [socket, stream],
        [stream, socket],
      ] as const) {
        from.once("close", () => to.destroy());
        from.pipe(to);
      }
    } catch {
      // The driver sees a closed connection, and reports the member as one that does not answer.
      socket.destroy();
    }
  }

  #keep(stream: Duplex): void {
    this.#streams.add(stream);
    stream.on("error", () => stream.destroy());
    stream.once("close", () => this.#streams.delete(stream));
  }
}

// A TCP proxy that fails as networks do: connections are refused, cut, held up for seconds, or slow.
import { connect, createServer, type Server, type Socket } from "node:net";

export interface ProxyFaults {
  refused: number;
  cut: number;
  stalled: number;
}

export class FaultyProxy {
  readonly faults: ProxyFaults = { refused: 0, cut: 0, stalled: 0 };
  /** Whether it fails at all. */
  isFaulty = true;
  readonly #random: () => number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #timer: NodeJS.Timeout;

  constructor(target: number, random: () => number) {
    this.#random = random;
    this.#server = createServer((socket) => this.#forward(socket, target));
    // About one fault in a second.
    this.#timer = setInterval(() => this.#fail(), 1_000);
  }

  listen(): Promise<number> {
    return new Promise((resolve) => {
      this.#server.listen(0, "127.0.0.1", () => {
        const address = this.#server.address();
        resolve(typeof address === "object" && address ? address.port : 0);
      });
    });
  }

  close(): void {
    clearInterval(this.#timer);
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #forward(client: Socket, target: number): void {
    if (this.isFaulty && this.#random() < 0.05) {
      this.faults.refused += 1;
      client.resetAndDestroy();
      return;
    }
    const server = connect(target, "127.0.0.1");
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from.on("error", () => undefined);
      from.on("close", () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }

  /** Cuts or holds up one connection. */
  #fail(): void {
    if (!this.isFaulty || this.#sockets.size === 0) return;
    const socket = [...this.#sockets][Math.floor(this.#random() * this.#sockets.size)];
    if (!socket) return;
    if (this.#random() < 0.7) {
      this.faults.cut += 1;
      socket.resetAndDestroy();
      return;
    }
    this.faults.stalled += 1;
    socket.pause();
    setTimeout(() => socket.resume(), 1_000 + this.#random() * 9_000);
  }
}

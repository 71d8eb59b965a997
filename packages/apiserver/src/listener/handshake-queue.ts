// A queue of TLS handshakes. Hundreds of clients may connect at once, after a restart for instance, and Node would do the first and costly
// half of all their handshakes before it serves anything else. Here a handshake begins when the client has sent its first bytes, and a few
// begin in each round of the event loop. Clients that send nothing delay nobody.
import type { Server, Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Handshakes begun in one round: some ten milliseconds of work. */
const maxPerRound = 12;

/** Makes the server queue its handshakes. Clients have `timeout` milliseconds to send their first bytes; until then they are in `silent`. */
export function queueHandshakes(server: Server, timeout: number, silent: Set<Duplex>): void {
  const begin = server.listeners("connection");
  const queue = new HandshakeQueue((socket) => {
    for (const each of begin) each.call(server, socket);
  });
  server.removeAllListeners("connection");
  server.on("connection", (socket) => {
    const timer = setTimeout(() => socket.destroy(), timeout);
    const settle = (): void => {
      clearTimeout(timer);
      silent.delete(socket);
    };
    silent.add(socket);
    socket.on("error", ignore);
    socket.once("close", settle);
    // It stays in the socket's buffer, where the handshake finds it.
    socket.once("readable", () => {
      settle();
      queue.add(socket);
    });
  });
}

/** A socket that failed closes by itself. */
const ignore = (): void => undefined;

export class HandshakeQueue {
  readonly #begin: (socket: Socket) => void;
  #waiting: Socket[] = [];
  /** In this round. */
  #begun = 0;

  constructor(begin: (socket: Socket) => void) {
    this.#begin = begin;
  }

  /** Begins the handshake at once, or in a later round after those queued before. */
  add(socket: Socket): void {
    if (this.#begun === maxPerRound) {
      this.#waiting.push(socket);
      return;
    }
    if (this.#begun++ === 0) setImmediate(this.#round);
    this.#begin(socket);
  }

  readonly #round = (): void => {
    const next = this.#waiting.slice(0, maxPerRound);
    this.#waiting = this.#waiting.slice(next.length);
    this.#begun = next.length;
    if (next.length > 0) setImmediate(this.#round);
    for (const socket of next) if (!socket.destroyed) this.#begin(socket);
  };
}

// Hundreds of clients may connect in the same moment, after a restart for instance, and Node would do the first and costly half of all
// their handshakes before it looks after anyone else. Here a handshake begins when the client has said something, and a few are begun in
// each round of the event loop; the others wait for theirs. Those who say nothing keep nobody waiting.
import type { Server, Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Handshakes begun in one round: some ten milliseconds of work. */
const mostAtOnce = 12;

/** Has the server begin handshakes in turn. Clients have `patience` milliseconds to say something; until they do they are among the `silent`. */
export function beginInTurn(server: Server, patience: number, silent: Set<Duplex>): void {
  const begin = server.listeners("connection");
  const queue = new HandshakeQueue((socket) => {
    for (const each of begin) each.call(server, socket);
  });
  server.removeAllListeners("connection");
  server.on("connection", (socket) => {
    const timer = setTimeout(() => socket.destroy(), patience);
    const speak = (): void => {
      clearTimeout(timer);
      silent.delete(socket);
    };
    silent.add(socket);
    socket.on("error", ignore);
    socket.once("close", speak);
    // It stays in the socket's buffer, where the handshake finds it.
    socket.once("readable", () => {
      speak();
      queue.add(socket);
    });
  });
}

/** Whoever broke is gone. */
const ignore = (): void => undefined;

export class HandshakeQueue {
  readonly #begin: (socket: Socket) => void;
  #waiting: Socket[] = [];
  /** In this round. */
  #begun = 0;

  constructor(begin: (socket: Socket) => void) {
    this.#begin = begin;
  }

  /** Begins with it at once, or in a later round after those that came before. */
  add(socket: Socket): void {
    if (this.#begun === mostAtOnce) {
      this.#waiting.push(socket);
      return;
    }
    if (this.#begun++ === 0) setImmediate(this.#round);
    this.#begin(socket);
  }

  readonly #round = (): void => {
    const next = this.#waiting.slice(0, mostAtOnce);
    this.#waiting = this.#waiting.slice(next.length);
    this.#begun = next.length;
    if (next.length > 0) setImmediate(this.#round);
    for (const socket of next) if (!socket.destroyed) this.#begin(socket);
  };
}

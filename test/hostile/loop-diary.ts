// What a server over TLS did between two rounds of the event loop, in numbers: what one request did not do may be the sum of many things.
import { Server as TlsServer } from "node:tls";
import type { ApiServer } from "@kubewright/apiserver";
import type { WatchedStorage } from "./housekeeping.js";
import { indexHeader } from "./tls-clients.js";

/** One round. */
export interface Happenings {
  /** Handshakes that were begun, finished or failed. */
  readonly handshakes: number;
  readonly requests: number;
  readonly answers: number;
  readonly changes: number;
  readonly watches: number;
  /** The numbers of requests that were worked on. */
  readonly indexes: readonly number[];
}

/** Events of a server of TLS that are about handshakes. */
const aboutHandshakes = new Set<string | symbol>(["connection", "secureConnection", "tlsClientError"]);

export class LoopDiary {
  readonly #storage: WatchedStorage;
  readonly #open = new Set<number>();
  readonly #over: number[] = [];
  readonly #emit = TlsServer.prototype.emit;
  #watches = 0;
  #handshakes = 0;
  #requests = 0;
  #answers = 0;
  #revision: number;

  constructor(server: ApiServer, storage: WatchedStorage) {
    this.#storage = storage;
    this.#revision = storage.revision;
    this.#follow(server);
    const { emit } = TlsServer.prototype;
    const count = (event: string | symbol): void => {
      if (aboutHandshakes.has(event)) this.#handshakes++;
    };
    TlsServer.prototype.emit = function (this: TlsServer, event: string | symbol, ...rest: unknown[]) {
      count(event);
      return Reflect.apply(emit, this, [event, ...rest]);
    };
  }

  /** What happened since this was last asked. */
  take(): Happenings {
    const { revision } = this.#storage;
    const taken = {
      handshakes: this.#handshakes,
      requests: this.#requests,
      answers: this.#answers,
      changes: revision - this.#revision,
      watches: this.#watches,
      indexes: this.#over.length + this.#open.size === 0 ? [] : [...this.#over, ...this.#open],
    };
    this.#handshakes = 0;
    this.#requests = 0;
    this.#answers = 0;
    this.#revision = revision;
    // What was answered last is still being sent.
    this.#over.splice(0, this.#over.length - 2);
    return taken;
  }

  close(): void {
    TlsServer.prototype.emit = this.#emit;
  }

  #follow(server: ApiServer): void {
    const handle = server.handle.bind(server);
    server.handle = async (request, peer) => {
      const index = Number(request.headers?.[indexHeader] ?? Number.NaN);
      const isNumbered = !Number.isNaN(index);
      this.#requests++;
      if (request.query?.has("watch")) this.#watches++;
      if (isNumbered) this.#open.add(index);
      try {
        return await handle(request, peer);
      } finally {
        this.#answers++;
        if (isNumbered) {
          this.#open.delete(index);
          this.#over.push(index);
        }
      }
    };
  }
}

/** In words. */
export function wordsFor({ handshakes, requests, answers, changes, watches, indexes }: Happenings): string {
  const which = indexes.slice(0, 6).join(", ");
  return `${requests} requests came and ${answers} were answered${which === "" ? "" : ` (numbers ${which})`}, ${changes} changes were told to watches (${watches} were opened so far), ${handshakes} steps of handshakes`;
}

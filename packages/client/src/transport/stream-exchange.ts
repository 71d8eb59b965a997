// One request whose answer is read as it comes, on a connection of its own that ends with it. Neither undici, whose parser is
// WebAssembly, nor Node's own HTTP is used: a process that has just started would spend more on translating the one, or on the
// streams of the other, than on receiving ten thousand objects. For calls, of which there are many on one connection, undici
// is the quicker one.
import type { Socket } from "node:net";
import type { TransportResponse } from "@kubewright/api";
import { ConfigError } from "../config-error.js";
import { ByteQueue } from "./byte-queue.js";
import type { WireRequest } from "./exchange.js";
import { requestHead } from "./request-head.js";
import { ResponseReader } from "./response-reader.js";

/** The source of the connection, and its clean-up. */
export interface StreamLease {
  readonly server: URL;
  /** Connects; what comes is handed over in a buffer that is used again. */
  readonly connect: (onBytes: (bytes: Uint8Array) => void) => Promise<Socket>;
  /** Called once with what ends the stream, should the client be closed. */
  readonly onClose: (end: (reason: Error) => void) => void;
  release(): void;
}

/**
 * Sends a request and resolves when its answer begins. Rejects, as the stream of the answer does, with what `explain` makes
 * of the failure.
 */
export function streamExchange(lease: StreamLease, request: WireRequest): Promise<TransportResponse> {
  return new Promise((resolve, reject) => new StreamExchange(lease, request, resolve, reject).send());
}

class StreamExchange {
  readonly #lease: StreamLease;
  readonly #request: WireRequest;
  readonly #resolve: (response: TransportResponse) => void;
  readonly #reject: (error: unknown) => void;
  readonly #onAbort = (): void => this.#fail(this.#request.signal?.reason);
  readonly #queue = new ByteQueue({
    pause: () => this.#socket?.pause(),
    resume: () => this.#socket?.resume(),
    cancel: () => this.#finish(),
  });
  readonly #reader = new ResponseReader({
    onHead: (status, headers) => this.#answered(status, headers),
    onBody: (bytes) => this.#queue.push(bytes),
    onEnd: () => this.#ended(),
  });
  #socket: Socket | undefined;
  #isAnswered = false;
  #isOver = false;

  constructor(
    lease: StreamLease,
    request: WireRequest,
    resolve: (response: TransportResponse) => void,
    reject: (error: unknown) => void,
  ) {
    this.#lease = lease;
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  send(): void {
    const { signal, explain } = this.#request;
    this.#lease.onClose((reason) => this.#fail(explain(reason)));
    signal?.addEventListener("abort", this.#onAbort, { once: true });
    try {
      signal?.throwIfAborted();
      const head = this.#head();
      this.#lease
        .connect((bytes) => this.#take(bytes))
        .then((socket) => this.#begin(socket, head))
        .catch((error: unknown) => this.#fail(error));
    } catch (error) {
      this.#fail(error);
    }
  }

  #head(): string {
    const { method, target, headers, body } = this.#request;
    const bodyLength = body === undefined ? undefined : Buffer.byteLength(body);
    return requestHead({ method, target, host: this.#lease.server.host, headers, bodyLength });
  }

  #begin(socket: Socket, head: string): void {
    // Whatever a socket says once it is no longer needed has been answered already.
    socket.on("error", (error) => this.#broken(error));
    this.#socket = socket;
    if (this.#isOver) {
      socket.destroy();
      return;
    }
    // A connection through a proxy delivers its bytes as events, and may still be paused since the CONNECT response.
    socket.on("data", (bytes: Buffer) => this.#take(bytes)).resume();
    socket.on("end", () => this.#closed());
    socket.on("close", () => this.#closed());
    socket.write(head, "latin1");
    if (this.#request.body !== undefined) socket.write(this.#request.body);
  }

  #take(bytes: Uint8Array): void {
    if (this.#isOver) return;
    try {
      this.#reader.push(bytes);
    } catch (error) {
      this.#broken(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #answered(status: number, headers: TransportResponse["headers"]): void {
    this.#isAnswered = true;
    this.#resolve({ status, headers, body: { kind: "stream", chunks: this.#queue } });
  }

  #ended(): void {
    this.#queue.end();
    this.#finish();
  }

  #closed(): void {
    if (!this.#isOver && !this.#reader.end()) this.#broken(new Error("the connection was closed"));
  }

  #broken(error: Error): void {
    this.#fail(error instanceof ConfigError ? error : this.#request.explain(error));
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    if (this.#isAnswered) this.#queue.fail(error);
    else this.#reject(error);
    this.#finish();
  }

  /** Leaves no connection and no listener behind. */
  #finish(): void {
    this.#isOver = true;
    this.#request.signal?.removeEventListener("abort", this.#onAbort);
    this.#socket?.destroy();
    this.#lease.release();
  }
}

// One request whose answer is read as it comes, on a connection of its own that ends with it. It is spoken with Node's own
// HTTP: undici's parser is WebAssembly, and translating that costs a process that has just started more than receiving ten
// thousand objects does. For calls, of which there are many on one connection, undici is the quicker one.
import { type ClientRequest, type IncomingMessage, request as send } from "node:http";
import type { TransportResponse } from "@kubewright/api";
import type { buildConnector } from "undici";
import { ByteQueue } from "./byte-queue.js";
import type { WireRequest } from "./exchange.js";

/** Where the connection comes from, and what is to be done when it is no longer needed. */
export interface StreamLease {
  readonly server: URL;
  readonly connect: buildConnector.connector;
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
  #sent: ClientRequest | undefined;
  #queue: ByteQueue | undefined;

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
    const { signal, body, explain } = this.#request;
    this.#lease.onClose((reason) => this.#fail(explain(reason)));
    signal?.addEventListener("abort", this.#onAbort, { once: true });
    try {
      signal?.throwIfAborted();
      const sent = this.#open();
      this.#sent = sent;
      sent.on("response", (answer) => this.#answered(answer));
      sent.on("error", (error) => this.#fail(explain(error)));
      sent.end(body);
    } catch (error) {
      // Aborted, or a header or a path that cannot be sent.
      const isOurs = signal?.aborted || !(error instanceof Error);
      this.#fail(isOurs ? error : explain(error));
    }
  }

  #open(): ClientRequest {
    const { server, connect } = this.#lease;
    const { method, target: path, headers } = this.#request;
    return send({
      method,
      path,
      headers: { host: server.host, ...headers },
      createConnection: (_options, onSocket) => {
        connect(server, (error, socket) => {
          if (error) this.#fail(error);
          else onSocket(null, socket);
        });
        return undefined;
      },
    });
  }

  #answered(answer: IncomingMessage): void {
    const queue = new ByteQueue({
      pause: () => answer.pause(),
      resume: () => answer.resume(),
      cancel: () => this.#finish(),
    });
    this.#queue = queue;
    answer.on("data", (chunk: Buffer) => queue.push(chunk));
    answer.on("error", (error) => this.#fail(this.#request.explain(error)));
    answer.on("end", () => {
      queue.end();
      this.#finish();
    });
    this.#resolve({
      status: answer.statusCode ?? 0,
      headers: headersOf(answer),
      body: { kind: "stream", chunks: queue },
    });
  }

  #fail(error: unknown): void {
    if (this.#queue) this.#queue.fail(error);
    else this.#reject(error);
    this.#finish();
  }

  /** Leaves no connection and no listener behind; whatever it still says has been answered already. */
  #finish(): void {
    this.#request.signal?.removeEventListener("abort", this.#onAbort);
    this.#sent?.on("error", () => undefined).destroy();
    this.#lease.release();
  }
}

/** One text for a header, or a list where it came more than once. */
function headersOf({ rawHeaders }: IncomingMessage): TransportResponse["headers"] {
  const headers: Record<string, string | string[]> = {};
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = String(rawHeaders[at]).toLowerCase();
    const value = String(rawHeaders[at + 1]);
    const known = Object.hasOwn(headers, name) ? headers[name] : undefined;
    headers[name] = known === undefined ? value : [known, value].flat();
  }
  return headers;
}

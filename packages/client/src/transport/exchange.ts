// One request and its answer on a pool of connections, at the level of undici's dispatch: no stream object is made for
// an answer that is read whole.
import type { Duplex } from "node:stream";
import type { ResponseBody, TransportResponse } from "@kubewright/api";
import type { Dispatcher } from "undici";

/** A request as it goes on the wire. */
export interface WireRequest {
  readonly method: Dispatcher.HttpMethod;
  /** Path and query. */
  readonly target: string;
  readonly headers: Record<string, string | string[]>;
  readonly body?: string | Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called right before the request is written; throws to keep it back. */
  readonly beforeSend?: (() => void) | undefined;
  /** Ask for another protocol on this connection. */
  readonly upgrade?: string | undefined;
  /** The timeout for the response to begin, and then for each pause in it; 0 for none. */
  readonly headersTimeout: number;
  readonly bodyTimeout: number;
  /** Turns what undici reports into what callers see. */
  readonly explain: (error: Error) => Error;
}

/** An answer, or the connection itself when the protocol was changed. */
export type WireResponse = TransportResponse & { readonly socket?: Duplex };

/**
 * Sends a request. Resolves for every answer; rejects, as the stream of an answer does, with what `explain` makes of the
 * failure. `release` is called when the answer has been read, or will not be.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: WireRequest,
  release: () => void,
): Promise<WireResponse> {
  const { signal } = request;
  return new Promise((resolve, reject) => {
    const handler = new ExchangeHandler(request, resolve, reject, release);
    if (signal?.aborted) return handler.abort();
    dispatcher.dispatch(
      {
        method: request.method,
        path: request.target,
        headers: request.headers,
        body: request.body ?? null,
        upgrade: request.upgrade ?? null,
        headersTimeout: request.headersTimeout,
        bodyTimeout: request.bodyTimeout,
      },
      handler,
    );
  });
}

type Headers = TransportResponse["headers"];

class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #request: WireRequest;
  readonly #resolve: (response: WireResponse) => void;
  readonly #reject: (error: unknown) => void;
  readonly #release: () => void;
  readonly #onAbort: () => void;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: Headers = {};
  #chunks: Buffer[] = [];

  constructor(
    request: WireRequest,
    resolve: (response: WireResponse) => void,
    reject: (error: unknown) => void,
    release: () => void,
  ) {
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#release = release;
    this.#onAbort = () => this.abort();
    request.signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    try {
      this.#request.signal?.throwIfAborted();
      this.#request.beforeSend?.();
    } catch (error) {
      this.#end(error);
    }
  }

  onRequestUpgrade(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
    socket: Duplex,
  ): void {
    this.#finish();
    this.#resolve({ status, headers: present(headers), body: { kind: "empty" }, socket });
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = present(headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#finish();
    this.#resolve({ status: this.#status, headers: this.#headers, body: this.#collected() });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#finish();
    this.#reject(this.#request.explain(error));
  }

  #collected(): ResponseBody {
    const [first] = this.#chunks;
    if (first === undefined) return { kind: "empty" };
    return { kind: "bytes", bytes: this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks) };
  }

  /** Ends the exchange for the signal's reason. */
  abort(): void {
    this.#end(this.#request.signal?.reason);
  }

  #end(reason: unknown): void {
    this.#reject(reason);
    this.#controller?.abort(reason instanceof Error ? reason : new Error("aborted", { cause: reason }));
    this.#finish();
  }

  #finish(): void {
    this.#request.signal?.removeEventListener("abort", this.#onAbort);
    this.#release();
  }
}

function present(headers: Record<string, string | string[] | undefined>): Headers {
  const result: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) result[name] = value;
  return result;
}

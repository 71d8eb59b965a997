// Puts requests on the wire: address, credentials, encoding. One answer of 401 is taken as a hint that the credential
// has expired; the request is sent again if there is a newer one.
import type { TransportRequest, TransportResponse } from "@kubewright/api";
import type { Credential, Credentials } from "../credentials/credentials.js";
import { exchangeProblem, type Peer } from "./connection-problem.js";
import type { Connections } from "./connections.js";
import { exchange, type WireRequest, type WireResponse } from "./exchange.js";
import { gunzipBody } from "./gzip.js";
import { streamExchange } from "./stream-exchange.js";
import type { TlsMaterial } from "./tls-material.js";

export interface WireOptions {
  readonly connections: Connections;
  readonly credentials: Credentials;
  readonly peer: Peer;
  /** Before the path of every request; no slash at its end. */
  readonly pathPrefix: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly compression: boolean;
  /** The current CAs and server names; the client certificate is the credential's. */
  readonly trust: () => TlsMaterial | Promise<TlsMaterial>;
}

/** A request that wants the connection itself. */
export interface UpgradeRequest extends TransportRequest {
  readonly upgrade?: string | undefined;
}

/** Sends one request to one server. */
export class Wire {
  readonly #options: WireOptions;

  constructor(options: WireOptions) {
    this.#options = options;
  }

  async send(request: UpgradeRequest): Promise<WireResponse> {
    const { credentials } = this.#options;
    const credential = await credentials.current();
    const response = await this.#attempt(request, credential);
    if (response.status !== 401 || !(await credentials.renew?.(credential))) return response;
    await discard(response);
    return this.#attempt(request, await credentials.current());
  }

  async #attempt(request: UpgradeRequest, credential: Credential): Promise<WireResponse> {
    const { trust, peer } = this.#options;
    const { cert, key } = credential.certificate ?? {};
    const response = await this.#exchange(request, credential, { ...(await trust()), cert, key });
    if (response.headers["content-encoding"] !== "gzip") return response;
    try {
      return { ...response, body: await gunzipBody(response.body) };
    } catch (error) {
      throw exchangeProblem(peer, error instanceof Error ? error : new Error(String(error)));
    }
  }

  async #exchange(
    request: UpgradeRequest,
    credential: Credential,
    material: TlsMaterial,
  ): Promise<WireResponse> {
    const { connections } = this.#options;
    const sent = this.#wireRequest(request, credential);
    if (request.stream) return streamExchange(connections.stream(material), sent);
    const isUpgrade = request.upgrade !== undefined;
    const { dispatcher, release } = await (isUpgrade
      ? connections.upgrade(material)
      : connections.call(material));
    return exchange(dispatcher, sent, release);
  }

  #wireRequest(request: UpgradeRequest, credential: Credential): WireRequest {
    const { peer, pathPrefix, headers, compression } = this.#options;
    const query = request.query?.toString() ?? "";
    return {
      method: request.method,
      target: `${pathPrefix}${request.path}${query === "" ? "" : `?${query}`}`,
      headers: {
        ...request.headers,
        ...(compression && request.upgrade === undefined && { "accept-encoding": "gzip" }),
        ...headers,
        ...credential.headers,
      },
      body: encodedBody(request),
      signal: request.signal,
      beforeSend: request.beforeSend,
      upgrade: request.upgrade,
      // Not for streams: how long one may be silent, and a followed log is before its first line, is for its reader to say.
      headersTimeout: peer.headersTimeout,
      bodyTimeout: peer.bodyTimeout,
      explain: (error) => exchangeProblem(peer, error),
    };
  }
}

function encodedBody({ body }: TransportRequest): string | Uint8Array | undefined {
  if (body === undefined) return undefined;
  return body.kind === "bytes" ? body.bytes : JSON.stringify(body.value);
}

/** Lets the connection be used again. */
async function discard({ body }: TransportResponse): Promise<void> {
  if (body.kind === "stream") await body.chunks[Symbol.asyncIterator]().return?.();
}

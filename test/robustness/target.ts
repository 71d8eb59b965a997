// A server to be ill-treated: in this process or over TLS, and with an eye on what nobody caught.
import type { ClientRequest, IncomingMessage } from "node:http";
import { Agent, request as httpsRequest, type RequestOptions } from "node:https";
import { connect as connectPlain, type Socket } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import type { TransportRequest, TransportResponse } from "@kubewright/api";
import { createCertificateAuthority } from "@kubewright/api/x509";
import {
  type ApiServer,
  type ApiServerOptions,
  admin,
  createApiServer,
  type Listener,
  type ListenOptions,
  listen,
} from "@kubewright/apiserver";

/** What one test sends. */
export interface Sent {
  readonly method: TransportRequest["method"];
  readonly path: string;
  readonly query?: string | URLSearchParams;
  readonly type?: string;
  readonly headers?: Record<string, string>;
  readonly object?: unknown;
  readonly bytes?: Uint8Array | string;
}

/** A server in this process. */
export class Target {
  readonly server: ApiServer;
  readonly #uncaught: unknown[] = [];
  readonly #collect = (error: unknown): void => {
    this.#uncaught.push(error);
  };

  constructor(options: ApiServerOptions = {}) {
    const tokens = new Map([[token, admin]]);
    this.server = createApiServer({ disableAdmission: ["ServiceAccount"], tokens, ...options });
    process.on("unhandledRejection", this.#collect);
    process.on("uncaughtException", this.#collect);
  }

  send(sent: Sent, signal?: AbortSignal): Promise<TransportResponse> {
    const headers = { "content-type": sent.type ?? "application/json", ...sent.headers };
    const request = { method: sent.method, path: sent.path, query: new URLSearchParams(sent.query), headers };
    return this.server.handle({ ...request, body: bodyOf(sent), signal }, { user: admin });
  }

  /** Sends, and returns the decoded answer; throws unless it is a success. */
  async must(sent: Sent): Promise<Readonly<Record<string, unknown>>> {
    const { status, body } = await this.send(sent);
    const value = body.kind === "object" ? body.value : undefined;
    if (status >= 300) throw new Error(`${sent.method} ${sent.path}: ${status} ${JSON.stringify(value)}`);
    return value as Readonly<Record<string, unknown>>;
  }

  /** What was thrown or rejected and never caught, since the target was made. */
  async uncaught(): Promise<readonly unknown[]> {
    await new Promise((resolve) => setTimeout(resolve, 10));
    return this.#uncaught;
  }

  close(): void {
    this.server.close();
    process.off("unhandledRejection", this.#collect);
    process.off("uncaughtException", this.#collect);
  }
}

function bodyOf({ object, bytes }: Sent): TransportRequest["body"] {
  if (bytes !== undefined) return { kind: "bytes", bytes: Buffer.from(bytes) };
  return object === undefined ? undefined : { kind: "object", value: object };
}

const now = Date.now();
const validity = { notBefore: now - 60_000, notAfter: now + 3_600_000 };
const token = "robust";

/** The same server, on a port. */
export class Wire {
  readonly target: Target;
  readonly #listener: Listener;
  readonly #authority: string;
  readonly #agent: Agent;
  readonly #sockets = new Set<Socket>();

  private constructor(target: Target, listener: Listener, authority: string) {
    this.target = target;
    this.#listener = listener;
    this.#authority = authority;
    this.#agent = new Agent({ ca: authority, keepAlive: true });
  }

  static async start(timeouts?: ListenOptions["timeouts"], options?: ApiServerOptions): Promise<Wire> {
    const authority = createCertificateAuthority({ commonName: "ca", ...validity });
    const serving = authority.issue({
      commonName: "api",
      hosts: ["127.0.0.1"],
      usage: "server",
      ...validity,
    });
    const target = new Target(options);
    const listener = await listen((request, peer) => target.server.handle(request, peer), {
      host: "127.0.0.1",
      port: 0,
      serving,
      clientAuthority: authority.certificate,
      timeouts,
    });
    return new Wire(target, listener, authority.certificate);
  }

  /** What a client elsewhere needs to reach it. */
  get access(): {
    readonly port: number;
    readonly authority: string;
    readonly headers: Record<string, string>;
  } {
    const headers = { authorization: `Bearer ${token}` };
    return { port: this.#listener.port, authority: this.#authority, headers };
  }

  /** Resolves when the headers of the answer are there. */
  open(path: string, options: RequestOptions = {}, send = end): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, ...options.headers };
      const place = { host: "127.0.0.1", port: this.#listener.port, path, agent: this.#agent };
      send(httpsRequest({ ...place, ...options, headers }, resolve).on("error", reject));
    });
  }

  async call(path: string, options: RequestOptions = {}, body?: string | Buffer): Promise<Answer> {
    const answer = await this.open(path, options, (sent) => sent.end(body));
    const text = (await readAll(answer)).toString();
    return { status: answer.statusCode ?? 0, text, connection: answer.headers.connection };
  }

  /** A bare connection. */
  async connect(): Promise<TLSSocket> {
    const socket = connect({ host: "127.0.0.1", port: this.#listener.port, ca: this.#authority });
    this.#sockets.add(socket.on("error", () => undefined));
    await new Promise((resolve) => socket.once("secureConnect", resolve));
    return socket;
  }

  /** The server closes its port; clients are left as they are. */
  stop(): Promise<void> {
    return this.#listener.close();
  }

  /** How many connections the server has. */
  connections(): Promise<number> {
    return this.#listener.connections();
  }

  /** A connection that does not even speak TLS. */
  connectPlain(): Socket {
    const socket = connectPlain({ host: "127.0.0.1", port: this.#listener.port });
    this.#sockets.add(socket.on("error", () => undefined));
    return socket.resume();
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    for (const socket of this.#sockets) socket.destroy();
    await this.#listener.close();
    this.target.close();
  }
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly connection: string | undefined;
}

const end = (sent: ClientRequest): unknown => sent.end();

export async function readAll(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** `GET /` as it goes over the wire, for bare connections. */
export const requestText = (path: string, more = ""): string =>
  `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n${more}\r\n`;

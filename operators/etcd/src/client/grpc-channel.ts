// gRPC over one HTTP/2 connection, on node:http2: unary calls and streams of answers, with a deadline on each. The connection is made
// from any stream of bytes, since outside a cluster the way to a member is a port-forward.
// docs/decisions/0020-etcd-client.md says why this is not a library.
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type IncomingHttpHeaders,
} from "node:http2";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import { type ClientTls, EtcdError } from "./etcd-client.js";
import { errorOf } from "./grpc-status.js";
import type { Method } from "./messages.js";
import { type Decoded, decode, type Encodable, encode, type Message } from "./protobuf.js";

export interface ChannelOptions {
  /** Names the member in errors. */
  readonly what: string;
  /** Opens the stream of bytes. */
  readonly open: () => Promise<Duplex>;
  readonly tls?: (ClientTls & { readonly serverName: string }) | undefined;
}

const prefixLength = 5;
/** Answers are small but for parts of snapshots; nothing longer is read. */
const longestMessage = 64 * 1024 * 1024;

export class GrpcChannel {
  readonly #options: ChannelOptions;
  #session: Promise<ClientHttp2Session> | undefined;
  #isClosed = false;

  constructor(options: ChannelOptions) {
    this.#options = options;
  }

  /** Calls a method that answers once. */
  async call<Request extends Message, Response extends Message>(
    method: Method<Request, Response>,
    request: Encodable<Request>,
    milliseconds: number,
  ): Promise<Decoded<Response>> {
    for await (const answer of this.stream(method, request, milliseconds)) return answer;
    throw new EtcdError("unavailable", `${this.#options.what}: ${method.path} was not answered`);
  }

  /** Calls a method that answers any number of times. The deadline is that of the whole. */
  async *stream<Request extends Message, Response extends Message>(
    method: Method<Request, Response>,
    request: Encodable<Request>,
    milliseconds: number,
  ): AsyncGenerator<Decoded<Response>, void, undefined> {
    const deadline = new Deadline(milliseconds, `${this.#options.what}: ${method.path}`);
    let stream: ClientHttp2Stream | undefined;
    try {
      const session = await deadline.limit(this.#connected());
      stream = session.request({
        ":method": "POST",
        ":path": method.path,
        "content-type": "application/grpc",
        te: "trailers",
        "grpc-timeout": `${milliseconds}m`,
      });
      const open = stream;
      deadline.onEnd = () => open.destroy(deadline.error);
      stream.end(framed(encode(method.request, request)));
      for await (const bytes of this.#answers(stream, method.path))
        yield decode(method.response, bytes) as Decoded<Response>;
    } catch (cause) {
      throw deadline.hasPassed ? deadline.error : this.#failure(method.path, cause);
    } finally {
      deadline.clear();
      if (stream && !stream.destroyed) stream.destroy();
    }
  }

  close(): void {
    this.#isClosed = true;
    const session = this.#session;
    this.#session = undefined;
    void session?.then((open) => open.destroy()).catch(() => undefined);
  }

  #failure(path: string, cause: unknown): EtcdError {
    if (cause instanceof EtcdError) return cause;
    const message = cause instanceof Error ? cause.message : String(cause);
    return new EtcdError("unavailable", `${this.#options.what}: ${path}: ${message}`, { cause });
  }

  #connected(): Promise<ClientHttp2Session> {
    if (this.#isClosed)
      return Promise.reject(new EtcdError("unavailable", `${this.#options.what}: the client is closed`));
    this.#session ??= this.#connect().catch((error: unknown) => {
      this.#session = undefined;
      throw error;
    });
    return this.#session;
  }

  async #connect(): Promise<ClientHttp2Session> {
    const { open, tls, what } = this.#options;
    const bytes = await open();
    const socket = tls ? await secured(bytes, tls) : bytes;
    const session = connect(tls ? `https://${tls.serverName}` : `http://${what}`, {
      createConnection: () => socket,
    });
    // A broken connection fails the calls on it, and the next call opens another.
    const forget = (): void => {
      this.#session = undefined;
      session.destroy();
    };
    session.on("error", forget).on("goaway", forget).on("close", forget);
    socket.on("error", () => undefined);
    return session;
  }

  /** The messages of an answer, then its status. */
  async *#answers(stream: ClientHttp2Stream, path: string): AsyncGenerator<Buffer, void, undefined> {
    let ended: IncomingHttpHeaders = {};
    stream.on("response", (headers) => {
      if (headers["grpc-status"] !== undefined) ended = headers;
      else if (headers[":status"] !== 200)
        stream.destroy(new EtcdError("unavailable", `${path}: HTTP ${headers[":status"]}`));
    });
    stream.on("trailers", (headers) => {
      ended = headers;
    });
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      while (rest.length >= prefixLength) {
        const length = rest.readUInt32BE(1);
        if (rest[0] !== 0 || length > longestMessage)
          throw new RangeError("the answer is compressed or too long");
        if (rest.length < prefixLength + length) break;
        yield rest.subarray(prefixLength, prefixLength + length);
        rest = rest.subarray(prefixLength + length);
      }
    }
    const code = Number(ended["grpc-status"] ?? 2);
    const message = decodeURIComponent(String(ended["grpc-message"] ?? "the stream ended without a status"));
    if (code !== 0) throw errorOf(code, `${this.#options.what}: ${message}`);
  }
}

function framed(message: Buffer): Buffer {
  const frame = Buffer.alloc(prefixLength + message.length);
  frame.writeUInt32BE(message.length, 1);
  message.copy(frame, prefixLength);
  return frame;
}

function secured(socket: Duplex, tls: ClientTls & { readonly serverName: string }): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const secure = connectTls({
      socket,
      ca: tls.ca,
      ...(tls.certificate ? { cert: tls.certificate } : {}),
      ...(tls.key ? { key: tls.key } : {}),
      servername: tls.serverName,
      ALPNProtocols: ["h2"],
    });
    secure.once("secureConnect", () => resolve(secure));
    secure.once("error", reject);
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("the connection closed during the TLS handshake")));
  });
}

/** The time limit of one call. */
class Deadline {
  hasPassed = false;
  onEnd: (() => void) | undefined;
  readonly error: EtcdError;
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #passed: Promise<never>;

  constructor(milliseconds: number, what: string) {
    this.error = new EtcdError("deadline", `${what}: no answer within ${milliseconds} ms`);
    let fail: (error: Error) => void = () => undefined;
    this.#passed = new Promise((_, reject) => {
      fail = reject;
    });
    this.#passed.catch(() => undefined);
    this.#timer = setTimeout(() => {
      this.hasPassed = true;
      fail(this.error);
      this.onEnd?.();
    }, milliseconds);
  }

  limit<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#passed]);
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}

// The thin adapter between Node's HTTPS and HTTP/2 servers and the request function.
import type { IncomingMessage } from "node:http";
import { createServer, type Server } from "node:https";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import type { TransportRequest, TransportResponse } from "@kubewright/api";
import type { KeyPair } from "@kubewright/api/x509";
import type { Peer } from "../auth/authenticate.js";
import { answerBrokenRequests } from "./broken-request.js";
import { closeServer, shutdownResponse } from "./closing.js";
import { eventWriter } from "./event-writer.js";
import type { Incoming, Outgoing } from "./exchange.js";
import { queueHandshakes } from "./handshake-queue.js";
import { serveHttp2 } from "./http2-session.js";
import { PeerReader } from "./peer.js";
import { type BodiesInFlight, hasBody, NoRoomForBody, readBody } from "./read-body.js";
import { ReceivedRequest, targetOf } from "./received-request.js";
import { type ListenerContext, sendResponse } from "./send-response.js";
import { serveUpgrade } from "./serve-upgrade.js";

/** Options of serving an API server over TLS. */
export interface ListenOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly serving: KeyPair;
  /** The CA (PEM) that signs client certificates. */
  readonly clientAuthority: string;
  /**
   * Whether a request is let through, by its headers alone: bodies of others are not read, and `handle` refuses them. Default: all are read.
   */
  readonly allows?: ((request: TransportRequest, peer: Peer) => boolean) | undefined;
  /** Milliseconds since 1970, by which client certificates expire. Default: the time of the system, by which handshakes go. */
  readonly now?: (() => number) | undefined;
  readonly timeouts?: Partial<ListenerTimeouts> | undefined;
  readonly limits?: Partial<ListenerLimits> | undefined;
  /** During shutdown, answers 429 with Retry-After instead of refusing connections. Default: false. */
  readonly sendRetryAfter?: boolean | undefined;
}

/** Timeouts in milliseconds. */
export interface ListenerTimeouts {
  /** For the end of a TLS handshake. */
  readonly handshake: number;
  /** For the headers of a request, from its first byte. */
  readonly headers: number;
  /** For all of a request. */
  readonly request: number;
  /** For the next request on a connection. */
  readonly idle: number;
  /** For a client to read anything of a response. */
  readonly stalled: number;
  /** For a client to read all of a response, but for watches and other streams. */
  readonly answer: number;
  /** For requests in flight when the listener closes. */
  readonly closing: number;
}

/** The timeouts of kube-apiserver where it has them. */
const defaultTimeouts: ListenerTimeouts = {
  handshake: 10_000,
  headers: 32_000,
  request: 60_000,
  idle: 90_000,
  stalled: 30_000,
  answer: 60_000,
  closing: 5_000,
};

/** Enough for selectors that name hundreds of objects. */
const maxHeaderBytes = 64 * 1024;

/** What all clients together may take. */
export interface ListenerLimits {
  /** Connections at a time; further ones are closed. Each takes some 50 KiB. */
  readonly connections: number;
  /** Bytes of all bodies that are being read at a time; requests with further ones are answered 429. */
  readonly bodies: number;
  /** Bytes of encoded lists that are kept at a time for clients to read; further ones are encoded as they are read. */
  readonly keptAnswers: number;
}

/** Room for the bodies of a hundred of the largest requests, and for the answers to a few of the longest lists. */
export const defaultLimits: ListenerLimits = {
  connections: 5_000,
  bodies: 300 * 1024 * 1024,
  keptAnswers: 64 * 1024 * 1024,
};

export type RequestFunction = (request: TransportRequest, peer: Peer) => Promise<TransportResponse>;

/** A TLS listener of an API server. */
export interface Listener {
  /** `https://127.0.0.1:6443` */
  readonly url: string;
  readonly port: number;
  /** Uses another serving certificate on new connections, and verifies client certificates with other CAs, on open connections too. */
  renew(identity: Pick<ListenOptions, "serving" | "clientAuthority">): void;
  /** The number of open connections. */
  connections(): Promise<number>;
  /** Stops listening, ends watches, waits for requests in flight and closes all connections. */
  close(): Promise<void>;
}

/** Serves the request function over TLS. */
export async function listen(handle: RequestFunction, options: ListenOptions): Promise<Listener> {
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const limits = { ...defaultLimits, ...options.limits };
  const listener: ListenerContext = {
    writeEvents: eventWriter(),
    stallTimeout: timeouts.stalled,
    answerTimeout: timeouts.answer,
    keptAnswers: { bytes: 0, limit: limits.keptAnswers },
    sendRetryAfter: options.sendRetryAfter ?? false,
    watches: new Set(),
    answers: new Set(),
    upgraded: new Set(),
    sessions: new Set(),
    isClosing: false,
  };
  const peers = new PeerReader(options.clientAuthority, options.now ?? (() => Date.now()));
  const bodies: BodiesInFlight = { bytes: 0, limit: limits.bodies };
  const serverOf = (socket: TLSSocket): RequestServer => ({
    handle,
    allows: options.allows ?? (() => true),
    bodies,
    peer: peers.of(socket),
  });
  const server = createServer(serverOptions(options, timeouts), (incoming, outgoing) => {
    const to = serverOf(incoming.socket as TLSSocket);
    serve(to, incoming, outgoing, listener).catch(() => outgoing.destroy());
  });
  server.maxConnections = limits.connections;
  // Headers are limited by their size alone. With a limit of their number, Node would leave out the last ones without a word, and with them
  // the user whom a proxy in between wants to be impersonated.
  server.maxHeadersCount = 0;
  answerBrokenRequests(server, (socket) =>
    [...listener.answers].some((answer) => "socket" in answer && answer.socket === socket),
  );
  divertHttp2(server, (socket) => {
    const to = (): RequestServer => serverOf(socket);
    const session = serveHttp2(socket, (incoming, outgoing) => serve(to(), incoming, outgoing, listener), {
      requestTimeout: timeouts.request,
      idleTimeout: timeouts.idle,
      maxHeaderBytes,
    });
    listener.sessions.add(session);
    session.once("close", () => listener.sessions.delete(session));
  });
  queueHandshakes(server, timeouts.handshake, listener.upgraded);
  server.on("upgrade", (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    const answer = (request: TransportRequest) => handle(request, peers.of(incoming.socket as TLSSocket));
    serveUpgrade({ incoming, socket, head }, answer, listener).catch(() => socket.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : options.port;
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  return {
    url: `https://${host}:${port}`,
    port,
    renew: ({ serving, clientAuthority }) => {
      server.setSecureContext({ cert: serving.certificate, key: serving.key, ca: clientAuthority });
      peers.trust(clientAuthority);
    },
    connections: () => countConnections(server),
    close: () =>
      closeServer(server, listener, { timeout: timeouts.closing, sendRetryAfter: listener.sendRetryAfter }),
  };
}

/** Hands over connections on which HTTP/2 was agreed; the others go where they went. */
function divertHttp2(server: Server, take: (socket: TLSSocket) => void): void {
  const others = server.listeners("secureConnection");
  server.removeAllListeners("secureConnection");
  server.on("secureConnection", (socket) => {
    if (socket.alpnProtocol === "h2") take(socket);
    else for (const each of others) each.call(server, socket);
  });
}

function serverOptions({ serving, clientAuthority }: ListenOptions, timeouts: ListenerTimeouts) {
  return {
    cert: serving.certificate,
    key: serving.key,
    ca: clientAuthority,
    ALPNProtocols: ["h2", "http/1.1"],
    requestCert: true,
    rejectUnauthorized: false,
    maxHeaderSize: maxHeaderBytes,
    handshakeTimeout: timeouts.handshake,
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.idle,
    // How often Node checks the two timeouts of requests.
    connectionsCheckingInterval: Math.min(timeouts.headers, timeouts.request, 10_000) / 2,
  };
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

/** What a request is served with. */
interface RequestServer {
  readonly allows: NonNullable<ListenOptions["allows"]>;
  readonly handle: RequestFunction;
  readonly bodies: BodiesInFlight;
  readonly peer: Peer;
}

async function serve(
  { handle, allows, bodies, peer }: RequestServer,
  incoming: Incoming,
  outgoing: Outgoing,
  listener: ListenerContext,
): Promise<void> {
  // Clients may disconnect at any time; writers check `destroyed`.
  outgoing.on("error", ignore);
  const target = targetOf(incoming);
  if (typeof target === "number") return refuse(outgoing, target);
  const isLate = listener.isClosing;
  const request = new ReceivedRequest(incoming, target);
  // Strangers may send what they like: without a right to it, nothing is kept.
  const isBodyUnread = hasBody(incoming) && !allows(request, peer);
  if (isBodyUnread) dismiss(incoming, outgoing);
  else if (!(await receive(request, incoming, bodies))) return refuse(outgoing, 429);
  listener.answers.add(outgoing);
  outgoing.on("close", () => {
    listener.answers.delete(outgoing);
    request.end();
  });
  const closing = isLate ? shutdownResponse(target.path, listener.sendRetryAfter) : undefined;
  await sendResponse(
    { incoming, outgoing, request, listener },
    closing ?? (await handle(request, isBodyUnread ? { ...peer, isBodyUnread } : peer)),
  );
}

/** Milliseconds in which a client that was refused may end its body, so that it reads the answer, before its connection is closed. */
const lingering = 1_000;

/** Bytes of a body that is not wanted which are read all the same, as Go's HTTP server does: most clients are done by then. */
const maxDismissed = 256 * 1024;

/** Discards the beginning of the body, and closes the connection of a client that still sends soon after the response. */
function dismiss(incoming: Incoming, outgoing: Outgoing): void {
  let left = maxDismissed;
  incoming.on("data", ({ length }) => {
    left -= length;
    if (left < 0) incoming.pause();
  });
  outgoing.once("finish", () => {
    if (incoming.complete) return;
    const timer = setTimeout(() => incoming.destroy(), lingering);
    incoming.once("end", () => clearTimeout(timer));
    incoming.once("close", () => clearTimeout(timer));
  });
}

/** Reads the body; false where there is no room for it. */
async function receive(
  request: ReceivedRequest,
  incoming: Incoming,
  bodies: BodiesInFlight,
): Promise<boolean> {
  try {
    request.receive(await readBody(incoming, bodies));
    return true;
  } catch (error) {
    if (error instanceof NoRoomForBody) return false;
    throw error;
  }
}

const ignore = (): void => undefined;

/** In the words of Go's HTTP server. */
function refuse(outgoing: Outgoing, status: keyof typeof refusals): void {
  const headers = { "content-type": "text/plain; charset=utf-8", connection: "close" };
  outgoing.writeHead(status, status === 429 ? { ...headers, "retry-after": "1" } : headers);
  outgoing.end(refusals[status]);
}

const refusals = {
  400: "400 Bad Request",
  405: "405: Method Not Allowed",
  429: "Too many requests, please try again later.",
} as const;

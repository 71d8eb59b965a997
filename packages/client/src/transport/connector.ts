// Makes the sockets of a pool: straight or through a proxy, plain or TLS, within a time limit.
import { connect as connectTcp, isIP, type OnReadOpts, type Socket } from "node:net";
import { connect as connectTls, type SecureContext, type TLSSocket } from "node:tls";
import type { buildConnector } from "undici";
import { connectProblem, type Peer } from "./connection-problem.js";
import { openTunnel } from "./proxy-tunnel.js";
import { type Address, ready } from "./socket-ready.js";

export interface ConnectorOptions {
  readonly peer: Peer;
  readonly connectTimeout: number;
  /** Absent for a server that speaks plain HTTP. */
  readonly tls?: ConnectorTls | undefined;
  readonly proxy?: URL | undefined;
}

export interface ConnectorTls {
  readonly context: SecureContext;
  readonly serverName?: string | undefined;
  readonly verify: boolean;
}

/** The idle time before TCP keep-alive probes a connection, so that a dead one is noticed. */
const keepAliveDelay = 15_000;

/** Makes connections. Its errors are already in their final words. */
export interface Connector {
  /** As undici's pool wants it. */
  readonly forPool: buildConnector.connector;
  /** Receives the bytes of this connection in a buffer that is used again; where that is impossible, they come as `data`. */
  open(target: URL, onBytes: (bytes: Uint8Array) => void): Promise<Socket>;
}

/** Connections that share what makes TLS cheaper the next time. */
export function createConnector(options: ConnectorOptions): Connector {
  const sessions: SessionSlot = { latest: undefined };
  const open = (target: Target, onBytes?: OnBytes): Promise<Socket> =>
    establish(options, addressOf(target), sessions, onBytes).catch((error: Error) => {
      throw connectProblem(options.peer, error);
    });
  return {
    open,
    forPool: (target, callback) => {
      open(target).then(
        (socket) => callback(null, socket),
        (error: Error) => callback(error, null),
      );
    },
  };
}

type Target = Pick<URL, "hostname" | "port" | "protocol">;
type OnBytes = (bytes: Uint8Array) => void;

function addressOf({ hostname, port, protocol }: Target): Address {
  const host = hostname.replace(/^\[|\]$/g, "");
  return { host, port: Number(port) || (protocol === "https:" ? 443 : 80) };
}

/** The last TLS session, which makes the next handshake cheaper. */
interface SessionSlot {
  latest: Buffer | undefined;
}

async function establish(
  { peer, proxy, tls, connectTimeout }: ConnectorOptions,
  address: Address,
  sessions: SessionSlot,
  onBytes: OnBytes | undefined,
): Promise<Socket> {
  const started = performance.now();
  const tunnel = proxy && (await openTunnel(peer.cluster, proxy, address, connectTimeout));
  const left = Math.max(1, connectTimeout - Math.round(performance.now() - started));
  const socket = tls
    ? await ready(
        startTls(tls, { ...address, ...reading(onBytes) }, tunnel, sessions),
        "secureConnect",
        peer.cluster,
        left,
      )
    : (tunnel ??
      (await ready(connectTcp({ ...address, ...reading(onBytes) }), "connect", peer.cluster, left)));
  return socket.setNoDelay(true).setKeepAlive(true, keepAliveDelay);
}

/** As much as one record of TLS holds. */
const readSize = 16 * 1024;

/** One buffer for all that is ever read, instead of a new one each time and a stream that hands it on. */
function reading(onBytes: OnBytes | undefined): { readonly onread?: OnReadOpts } {
  if (!onBytes) return {};
  const buffer = Buffer.allocUnsafeSlow(readSize);
  const callback = (length: number): boolean => {
    onBytes(buffer.subarray(0, length));
    return true;
  };
  return { onread: { buffer, callback } };
}

function startTls(
  tls: ConnectorTls,
  address: Address,
  tunnel: Socket | undefined,
  sessions: SessionSlot,
): TLSSocket {
  const socket = connectTls({
    ...address,
    ...(tunnel && { socket: tunnel }),
    ...(sessions.latest && { session: sessions.latest }),
    secureContext: tls.context,
    servername: tls.serverName ?? (isIP(address.host) ? "" : address.host),
    rejectUnauthorized: tls.verify,
    ALPNProtocols: ["http/1.1"],
  });
  return socket.on("session", (session) => {
    sessions.latest = session;
  });
}

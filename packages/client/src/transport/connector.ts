// Makes the sockets of a pool: straight or through a proxy, plain or TLS, within a time limit.
import { connect as connectTcp, isIP, type Socket } from "node:net";
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

/** How long a connection may be silent before the system probes it, so that a dead one is noticed. */
const keepAliveDelay = 15_000;

/** A connector for undici's pool. Its errors are already in their final words. */
export function createConnector(options: ConnectorOptions): buildConnector.connector {
  const sessions: SessionSlot = { latest: undefined };
  return (target, callback) => {
    const host = target.hostname.replace(/^\[|\]$/g, "");
    const port = Number(target.port) || (target.protocol === "https:" ? 443 : 80);
    establish(options, { host, port }, sessions).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(connectProblem(options.peer, error), null),
    );
  };
}

/** The last TLS session, which makes the next handshake cheaper. */
interface SessionSlot {
  latest: Buffer | undefined;
}

async function establish(
  { peer, proxy, tls, connectTimeout }: ConnectorOptions,
  address: Address,
  sessions: SessionSlot,
): Promise<Socket> {
  const started = performance.now();
  const tunnel = proxy && (await openTunnel(peer.cluster, proxy, address, connectTimeout));
  const left = Math.max(1, connectTimeout - Math.round(performance.now() - started));
  const socket = tls
    ? await ready(startTls(tls, address, tunnel, sessions), "secureConnect", peer.cluster, left)
    : (tunnel ?? (await ready(connectTcp(address), "connect", peer.cluster, left)));
  return socket.setNoDelay(true).setKeepAlive(true, keepAliveDelay);
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

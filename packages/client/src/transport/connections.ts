// The connections to one cluster. Calls share a bounded pool. A watch, a followed log or an upgraded connection lasts as long
// as it is used, so each has one of its own, which ends with it: they never starve calls, and leave nothing behind.
// When certificates change, a new pool takes over and the old one finishes what it has.
import type { Client, Dispatcher, Pool } from "undici";
import { ConnectionError } from "../connection-error.js";
import type { Peer } from "./connection-problem.js";
import { type Connector, createConnector } from "./connector.js";
import type { StreamLease } from "./stream-exchange.js";
import { secureContext, type TlsMaterial } from "./tls-material.js";

export interface ConnectionsOptions {
  readonly server: URL;
  readonly peer: Peer;
  readonly proxy?: URL | undefined;
  readonly connectTimeout: number;
  /** Connections that calls may use at once. */
  readonly maxConnections: number;
  readonly keepAliveTimeout: number;
}

/** Somewhere to send one request, and what to do when its answer has been read. */
export interface Lease {
  readonly dispatcher: Dispatcher;
  release(): void;
}

interface Current {
  readonly material: TlsMaterial;
  readonly connector: Connector;
  /** Made for the first call: who only watches needs none. */
  calls: Dispatcher | undefined;
}

/** Leases connections that use the TLS material of the day. */
export class Connections {
  readonly #options: ConnectionsOptions;
  #undici: Undici | undefined;
  #current: Current | undefined;
  /** Everything that is not yet closed, replaced pools included. */
  readonly #open = new Set<Dispatcher>();
  readonly #streams = new Set<(reason: Error) => void>();
  #closed = false;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** A place in the pool for a call. */
  async call(material: TlsMaterial): Promise<Lease> {
    this.#undici ??= await loadUndici();
    const current = this.#fresh(material);
    current.calls ??= this.#pool(this.#undici, current.connector);
    return { dispatcher: current.calls, release: nothing };
  }

  /** A connection of its own, to be upgraded. */
  async upgrade(material: TlsMaterial): Promise<Lease> {
    this.#undici ??= await loadUndici();
    const connect = this.#fresh(material).connector.forPool;
    const own = new this.#undici.Client(this.#options.server.origin, { connect, allowH2: false });
    this.#open.add(own);
    return { dispatcher: own, release: () => this.#discard(own) };
  }

  /** A connection of its own, for an answer that is read as it comes. */
  stream(material: TlsMaterial): StreamLease {
    const { server } = this.#options;
    const { connector } = this.#fresh(material);
    let end: ((reason: Error) => void) | undefined;
    return {
      server,
      connect: (onBytes) => connector.open(server, onBytes),
      onClose: (given) => {
        end = given;
        this.#streams.add(given);
      },
      release: () => {
        if (end) this.#streams.delete(end);
      },
    };
  }

  /** Closes every connection; what is under way fails. */
  async close(): Promise<void> {
    this.#closed = true;
    const open = [...this.#open];
    this.#open.clear();
    for (const end of [...this.#streams]) end(this.#closedError());
    await Promise.all(open.map((dispatcher) => dispatcher.destroy()));
  }

  #fresh(material: TlsMaterial): Current {
    if (this.#closed) throw this.#closedError();
    const current = this.#current;
    if (current && sameMaterial(current.material, material)) return current;
    this.#current = { material, connector: this.#connector(material), calls: undefined };
    if (current?.calls) this.#drain(current.calls);
    return this.#current;
  }

  #connector(material: TlsMaterial): Connector {
    const { server, peer, proxy, connectTimeout } = this.#options;
    const tls = server.protocol === "https:" ? connectorTls(peer, material) : undefined;
    return createConnector({ peer, connectTimeout, tls, proxy });
  }

  #pool(undici: Undici, { forPool: connect }: Connector): Dispatcher {
    const { server, maxConnections, keepAliveTimeout } = this.#options;
    const limits = { connections: maxConnections, keepAliveTimeout, keepAliveMaxTimeout: 600_000 };
    const pool = new undici.Pool(server.origin, { connect, allowH2: false, ...limits });
    this.#open.add(pool);
    return pool;
  }

  #closedError(): ConnectionError {
    return new ConnectionError(`${this.#options.peer.cluster}: this client was closed`, "closed");
  }

  #drain(pool: Dispatcher): void {
    const forget = (): boolean => this.#open.delete(pool);
    pool.close().then(forget, forget);
  }

  #discard(own: Dispatcher): void {
    // Not from inside the callback of the connection that is to be destroyed.
    if (this.#open.delete(own)) queueMicrotask(() => own.destroy().catch(nothing));
  }
}

const nothing = (): void => undefined;

interface Undici {
  readonly Pool: typeof Pool;
  readonly Client: typeof Client;
}

/** Loaded for the first request over a socket: a client of a server in the same process needs none of it. */
async function loadUndici(): Promise<Undici> {
  // Its default export: bundles that are split into several files have no other of a CommonJS package.
  return (await import("undici")).default;
}

function connectorTls(peer: Peer, material: TlsMaterial) {
  const { serverName, insecureSkipTlsVerify } = material;
  return {
    context: secureContext(peer.cluster, material),
    serverName,
    verify: insecureSkipTlsVerify !== true,
  };
}

function sameMaterial(a: TlsMaterial, b: TlsMaterial): boolean {
  return a === b || (a.ca === b.ca && a.cert === b.cert && a.key === b.key && a.serverName === b.serverName);
}

// The connections to one cluster. Calls share a bounded pool. A watch or a followed log holds a connection as long as it
// lasts, so each has one of its own, which ends with it: streams never starve calls, and leave nothing behind.
// When certificates change, a new pool takes over and the old one finishes what it has.
import type { buildConnector, Client, Dispatcher, Pool } from "undici";
import { ConnectionError } from "../connection-error.js";
import type { Peer } from "./connection-problem.js";
import { createConnector } from "./connector.js";
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
  readonly connect: buildConnector.connector;
  readonly calls: Dispatcher;
}

/** Leases connections that use the TLS material of the day. */
export class Connections {
  readonly #options: ConnectionsOptions;
  #undici: Undici | undefined;
  #current: Current | undefined;
  /** Everything that is not yet closed, replaced pools included. */
  readonly #open = new Set<Dispatcher>();
  #closed = false;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** A place in the pool for a call; a connection of its own for a stream. */
  async lease(material: TlsMaterial, stream: boolean): Promise<Lease> {
    this.#undici ??= await loadUndici();
    if (this.#closed) {
      throw new ConnectionError(`${this.#options.peer.cluster}: this client was closed`, "closed");
    }
    const { calls, connect } = this.#fresh(this.#undici, material);
    if (!stream) return { dispatcher: calls, release: nothing };
    const own = new this.#undici.Client(this.#options.server.origin, { connect, allowH2: false });
    this.#open.add(own);
    return { dispatcher: own, release: () => this.#discard(own) };
  }

  /** Closes every connection; what is under way fails. */
  async close(): Promise<void> {
    this.#closed = true;
    const open = [...this.#open];
    this.#open.clear();
    await Promise.all(open.map((dispatcher) => dispatcher.destroy()));
  }

  #fresh(undici: Undici, material: TlsMaterial): Current {
    const current = this.#current;
    if (current && sameMaterial(current.material, material)) return current;
    const fresh = this.#create(undici, material);
    this.#current = fresh;
    this.#open.add(fresh.calls);
    if (current) this.#retire(current.calls);
    return fresh;
  }

  #create(undici: Undici, material: TlsMaterial): Current {
    const { server, peer, proxy, connectTimeout, maxConnections, keepAliveTimeout } = this.#options;
    const tls = server.protocol === "https:" ? connectorTls(peer, material) : undefined;
    const connect = createConnector({ peer, connectTimeout, tls, proxy });
    const limits = { connections: maxConnections, keepAliveTimeout, keepAliveMaxTimeout: 600_000 };
    return {
      material,
      connect,
      calls: new undici.Pool(server.origin, { connect, allowH2: false, ...limits }),
    };
  }

  #retire(pool: Dispatcher): void {
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

/** Only what is used: all of undici takes three times as long to load, and a client in process needs none of it. */
async function loadUndici(): Promise<Undici> {
  const [pool, client] = await Promise.all([
    import("undici/lib/dispatcher/pool.js"),
    import("undici/lib/dispatcher/client.js"),
  ]);
  return { Pool: pool.default, Client: client.default };
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

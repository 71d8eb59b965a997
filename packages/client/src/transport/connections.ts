// The pools of one cluster. Calls share a bounded pool; watches and followed logs, which hold a connection as long as
// they last, have their own so that they never starve calls. When certificates change, new pools take over and the old
// ones finish what they have.
import type { Dispatcher, Pool } from "undici";
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

interface Pools {
  readonly material: TlsMaterial;
  readonly calls: Dispatcher;
  readonly streams: Dispatcher;
}

/** Hands out a pool that uses the TLS material of the day. */
export class Connections {
  readonly #options: ConnectionsOptions;
  #factory: typeof Pool | undefined;
  #current: Pools | undefined;
  /** Every pool that is not yet closed, replaced ones included. */
  readonly #open = new Set<Dispatcher>();
  #closed = false;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** The pool for a call or for a stream. */
  async pool(material: TlsMaterial, stream: boolean): Promise<Dispatcher> {
    this.#factory ??= await loadPool();
    if (this.#closed)
      throw new ConnectionError(`${this.#options.peer.cluster}: this client was closed`, "closed");
    const pools = this.#pools(this.#factory, material);
    return stream ? pools.streams : pools.calls;
  }

  /** Closes every connection; what is under way fails. */
  async close(): Promise<void> {
    this.#closed = true;
    const pools = [...this.#open];
    this.#open.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  #pools(factory: typeof Pool, material: TlsMaterial): Pools {
    const current = this.#current;
    if (current && sameMaterial(current.material, material)) return current;
    const fresh = this.#create(factory, material);
    this.#current = fresh;
    for (const pool of [fresh.calls, fresh.streams]) this.#open.add(pool);
    for (const pool of current ? [current.calls, current.streams] : []) this.#retire(pool);
    return fresh;
  }

  #create(factory: typeof Pool, material: TlsMaterial): Pools {
    const { server, peer, proxy, connectTimeout, maxConnections, keepAliveTimeout } = this.#options;
    const tls = server.protocol === "https:" ? connectorTls(peer, material) : undefined;
    const connect = createConnector({ peer, connectTimeout, tls, proxy });
    const common = { connect, keepAliveTimeout, keepAliveMaxTimeout: 600_000, allowH2: false };
    return {
      material,
      calls: new factory(server.origin, { ...common, connections: maxConnections }),
      streams: new factory(server.origin, common),
    };
  }

  #retire(pool: Dispatcher): void {
    const forget = (): boolean => this.#open.delete(pool);
    pool.close().then(forget, forget);
  }
}

/** Only undici's pool: all of undici takes three times as long to load, and a client in process needs none of it. */
async function loadPool(): Promise<typeof Pool> {
  const { default: pool } = await import("undici/lib/dispatcher/pool.js");
  return pool;
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

// Serves the dashboard: the files of the page, and one WebSocket for each page that is open.
//
// A page says its token in its first message: no cookie, nothing for another site to ride on. Where the token stands in the address that
// is printed, behind the `#` that browsers do not send, requests under another host name are refused, too, or a site could point its own
// name at this machine. Where people sign in, the name is whatever leads here.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import { type AddressInfo, isIPv6 } from "node:net";
import type { Duplex } from "node:stream";
import { type Clock, systemClock } from "@kubewright/api";
import { acceptKey, ServerWebSocket } from "@kubewright/api/websocket";
import type { KeyPair } from "@kubewright/api/x509";
import type { Client } from "@kubewright/client";
import type { RunningManager } from "@kubewright/runtime";
import { AddressGate } from "./access/address-gate.js";
import type { Gate } from "./access/gate.js";
import { SignInGate } from "./access/sign-in-gate.js";
import type { ClusterControls } from "./controls.js";
import { ManagerFeed } from "./managers/manager-feed.js";
import { type KindFilter, ObjectFeed } from "./objects/object-feed.js";
import { type PageFile, readPage } from "./page-files.js";
import { PageSession } from "./page-session.js";
import type { About, ControlName } from "./protocol.js";

interface ServingOptions {
  /** Default: any that is free. */
  readonly port?: number | undefined;
  /** Shown at the top of the page. */
  readonly server: string;
  readonly version: string;
  readonly clock?: Clock | undefined;
  /** The folder with the built page. Default: what was built into this package. */
  readonly page?: string | undefined;
}

/** A dashboard on 127.0.0.1. Everybody with the address that is printed may do what the client may do. */
export interface DashboardOptions extends ServingOptions {
  /** Reads and writes what the page shows, with the permissions of the client it was made with. */
  readonly client: Client;
  readonly controls?: ClusterControls | undefined;
}

/** People sign in with a token of the API server, and do what it lets them do. */
export interface SignInDashboardOptions extends ServingOptions {
  /** A client that sends the token of a person with every request. */
  readonly connect: (token: string) => Client;
  /** Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** Serves TLS with it. */
  readonly certificate?: KeyPair | undefined;
  /** The kinds whose objects are followed; tables show all kinds either way. Default: all. */
  readonly follows?: KindFilter | undefined;
}

/** A dashboard that is being served. */
export interface Dashboard {
  /** With the token in it, which is all that the page asks for; without one where people sign in. */
  readonly url: string;
  /** Shows a manager of this process until the returned function is called. */
  addManager(name: string, manager: RunningManager): () => void;
  close(): Promise<void>;
}

/** A dashboard whose certificate can be replaced while it serves. */
export interface SignInDashboard extends Dashboard {
  renew(certificate: KeyPair): void;
}

const loopback = "127.0.0.1";
/** Pages open at once, and connections that have not said a token yet. */
const mostPages = 20;
const mostStrangers = 50;

/** Serves the dashboard on a port of this machine. */
export async function serveDashboard(options: DashboardOptions): Promise<Dashboard> {
  const { client, server, version, controls = {}, clock = systemClock } = options;
  const managers = new ManagerFeed(clock);
  const about: About = { server, version, controls: namesOf(controls) };
  const demandPause = (): Promise<void> => Promise.resolve();
  const objects = new ObjectFeed(client, clock);
  const gate = new AddressGate({ client, objects, managers, controls, about, demandPause });
  return listening(new DashboardServer({ ...options, clock, gate, managers, host: loopback }));
}

export async function serveSignInDashboard(options: SignInDashboardOptions): Promise<SignInDashboard> {
  const { connect, server, version, clock = systemClock, host = loopback, follows } = options;
  const managers = new ManagerFeed(clock);
  const gate = new SignInGate({
    connect,
    createFeed: (client) => new ObjectFeed(client, clock, follows),
    shared: { managers, about: { server, version, controls: [] } },
  });
  return listening(new DashboardServer({ ...options, clock, gate, managers, host }));
}

async function listening(server: DashboardServer): Promise<DashboardServer> {
  await server.listen();
  return server;
}

interface DashboardServerOptions extends ServingOptions {
  readonly clock: Clock;
  readonly host: string;
  readonly gate: Gate;
  readonly managers: ManagerFeed;
  readonly certificate?: KeyPair | undefined;
}

class DashboardServer implements SignInDashboard {
  readonly #options: DashboardServerOptions;
  readonly #files: ReadonlyMap<string, PageFile>;
  readonly #server: Server | TlsServer;
  readonly #sessions = new Set<PageSession>();
  #port = 0;

  constructor(options: DashboardServerOptions) {
    this.#options = options;
    this.#files = readPage(options.page);
    const { certificate } = options;
    const serve = (request: IncomingMessage, response: ServerResponse): void =>
      this.#serve(request, response);
    this.#server = certificate ? createTlsServer(tlsOf(certificate), serve) : createServer(serve);
    this.#server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.#upgrade(request, socket, head),
    );
  }

  get url(): string {
    const { certificate, host, gate } = this.#options;
    const name = isIPv6(host) ? `[${host}]` : host;
    return `${certificate ? "https" : "http"}://${name}:${this.#port}/${gate.fragment}`;
  }

  listen(): Promise<void> {
    const { port = 0, host } = this.#options;
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, () => {
        this.#server.off("error", reject);
        this.#port = (this.#server.address() as AddressInfo).port;
        resolve();
      });
    });
  }

  renew(certificate: KeyPair): void {
    if ("setSecureContext" in this.#server) this.#server.setSecureContext(tlsOf(certificate));
  }

  addManager(name: string, manager: RunningManager): () => void {
    return this.#options.managers.add(name, manager);
  }

  async close(): Promise<void> {
    const { managers, gate } = this.#options;
    for (const session of this.#sessions) session.close();
    managers.close();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await Promise.all([closed, gate.close()]);
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const { method, headers, url = "/" } = request;
    if (!this.#isOurs(headers.host)) return void respond(response, 421, "Misdirected Request\n");
    if (method !== "GET" && method !== "HEAD") return void respond(response, 405, "Method Not Allowed\n");
    const file = this.#files.get(url.split("?")[0] ?? "");
    if (!file) return void respond(response, 404, "Not Found\n");
    const zips = /\bgzip\b/.test(headers["accept-encoding"] ?? "");
    response.writeHead(200, {
      ...securityHeaders,
      "content-type": file.type,
      "cache-control": "no-cache",
      ...(zips && { "content-encoding": "gzip" }),
    });
    response.end(method === "HEAD" ? undefined : zips ? file.gzipped : file.bytes);
  }

  #upgrade({ headers, url }: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { clock, gate } = this.#options;
    const key = headers["sec-websocket-key"];
    const isOurs = this.#isOurs(headers.host) && originHost(headers.origin) === headers.host;
    socket.on("error", () => socket.destroy());
    if (url !== "/stream" || key === undefined || !isOurs || !this.#hasRoom()) {
      socket.end("HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
      return;
    }
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${acceptKey(key)}\r\n\r\n`,
    );
    const session: PageSession = new PageSession({
      socket: new ServerWebSocket(socket, head),
      clock,
      gate,
      onEnd: () => this.#sessions.delete(session),
    });
    this.#sessions.add(session);
  }

  #hasRoom(): boolean {
    const pages = [...this.#sessions].filter(({ isAdmitted }) => isAdmitted).length;
    return pages < mostPages && this.#sessions.size - pages < mostStrangers;
  }

  /** The address it listens on, or the name of this machine for itself; any name where people sign in. */
  #isOurs(given: string | undefined): boolean {
    if (this.#options.gate.signsIn) return given !== undefined;
    return given === `${loopback}:${this.#port}` || given === `localhost:${this.#port}`;
  }
}

/** Undefined for pages of no site, such as those in a sandbox. */
function originHost(origin: string | undefined): string | undefined {
  return origin !== undefined && URL.canParse(origin) ? new URL(origin).host : undefined;
}

const tlsOf = ({ certificate, key }: KeyPair) => ({ cert: certificate, key, minVersion: "TLSv1.2" as const });

const securityHeaders = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
};

function respond(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { ...securityHeaders, "content-type": "text/plain; charset=utf-8" }).end(text);
}

function namesOf(controls: ClusterControls): readonly ControlName[] {
  const names: (ControlName | false)[] = [
    controls.advanceTime !== undefined && "advance-time",
    controls.stopNode !== undefined && "stop-node",
    controls.injectFault !== undefined && "faults",
    controls.takeSnapshot !== undefined && "snapshots",
  ];
  return names.filter((name) => name !== false);
}

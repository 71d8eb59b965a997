// Serves the dashboard: the files of the page, and one WebSocket for each page that is open.
//
// Whoever has the token may do what the client may do. So the token is random, it is handed out only in the address printed at start,
// where it stands behind the `#` that browsers do not send, and a page says it in its first message: no cookie, nothing for another
// site to ride on. Requests under another host name are refused, or a site could point its own name at this machine.
import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type Clock, systemClock } from "@kubewright/api";
import { acceptKey, ServerWebSocket } from "@kubewright/api/websocket";
import type { Client } from "@kubewright/client";
import type { RunningManager } from "@kubewright/runtime";
import type { ClusterControls } from "./controls.js";
import { ManagerFeed } from "./managers/manager-feed.js";
import { ObjectFeed } from "./objects/object-feed.js";
import { builtPage, type PageFile, readPage } from "./page-files.js";
import { type PageAccess, PageSession } from "./page-session.js";
import type { About, ControlName } from "./protocol.js";

export interface DashboardOptions {
  /** Reads and writes what the page shows, with the permissions of whoever it was made for. */
  readonly client: Client;
  /** Default: any that is free. */
  readonly port?: number | undefined;
  /** Shown at the top of the page. */
  readonly server: string;
  readonly version: string;
  readonly controls?: ClusterControls | undefined;
  readonly clock?: Clock | undefined;
  /** Where the built page is. Default: beside this package. */
  readonly page?: string | undefined;
}

export interface Dashboard {
  /** With the token in it: whoever has it may use the page. */
  readonly url: string;
  /** Shows a manager of this process until the returned function is called. */
  addManager(name: string, manager: RunningManager): () => void;
  close(): Promise<void>;
}

const host = "127.0.0.1";
/** Pages open at once. */
const mostSessions = 20;

export async function serveDashboard(options: DashboardOptions): Promise<Dashboard> {
  const server = new DashboardServer(options);
  await server.listen(options.port ?? 0);
  return server;
}

class DashboardServer implements Dashboard {
  readonly #files: ReadonlyMap<string, PageFile>;
  readonly #server: Server;
  readonly #token = randomBytes(32).toString("base64url");
  readonly #sessions = new Set<PageSession>();
  readonly #managers: ManagerFeed;
  readonly #objects: ObjectFeed;
  readonly #access: PageAccess;
  readonly #clock: Clock;
  #port = 0;
  #isStarted = false;

  constructor({
    client,
    server,
    version,
    controls = {},
    clock = systemClock,
    page = builtPage,
  }: DashboardOptions) {
    this.#clock = clock;
    this.#files = readPage(page);
    this.#managers = new ManagerFeed(clock);
    this.#objects = new ObjectFeed(client, clock);
    const about: About = { server, version, controls: namesOf(controls) };
    this.#access = { client, objects: this.#objects, managers: this.#managers, controls, about };
    this.#server = createServer((request, response) => this.#serve(request, response));
    this.#server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
  }

  get url(): string {
    return `http://${host}:${this.#port}/#token=${this.#token}`;
  }

  listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, () => {
        this.#server.off("error", reject);
        this.#port = (this.#server.address() as AddressInfo).port;
        resolve();
      });
    });
  }

  addManager(name: string, manager: RunningManager): () => void {
    return this.#managers.add(name, manager);
  }

  async close(): Promise<void> {
    for (const session of this.#sessions) session.close();
    this.#managers.close();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await Promise.all([closed, this.#objects.close()]);
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
    const key = headers["sec-websocket-key"];
    const isOurs = this.#isOurs(headers.host) && headers.origin === `http://${headers.host}`;
    const isRoom = this.#sessions.size < mostSessions;
    socket.on("error", () => socket.destroy());
    if (url !== "/stream" || key === undefined || !isOurs || !isRoom) {
      socket.end("HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
      return;
    }
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${acceptKey(key)}\r\n\r\n`,
    );
    const session: PageSession = new PageSession({
      socket: new ServerWebSocket(socket, head),
      clock: this.#clock,
      admit: async (token) => this.#admit(token),
      onEnd: () => this.#sessions.delete(session),
    });
    this.#sessions.add(session);
  }

  /** The cluster is watched from the first page on. */
  #admit(token: string): PageAccess | undefined {
    if (!isSame(token, this.#token)) return undefined;
    if (!this.#isStarted) this.#objects.start();
    this.#isStarted = true;
    return this.#access;
  }

  /** The address it listens on, or the name of this machine for itself. */
  #isOurs(given: string | undefined): boolean {
    return given === `${host}:${this.#port}` || given === `localhost:${this.#port}`;
  }
}

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

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function namesOf(controls: ClusterControls): readonly ControlName[] {
  const names: (ControlName | false)[] = [
    controls.advanceTime !== undefined && "advance-time",
    controls.stopNode !== undefined && "stop-node",
    controls.injectFault !== undefined && "faults",
  ];
  return names.filter((name) => name !== false);
}

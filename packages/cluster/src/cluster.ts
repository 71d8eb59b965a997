// The embedded cluster: an API server in this process, and a way in for clients of every kind.
import { randomBytes } from "node:crypto";
import { isIP } from "node:net";
import { type Clock, systemClock, type TransportRequest, type TransportResponse } from "@kubewright/api";
import { type CertificateAuthority, createCertificateAuthority } from "@kubewright/api/x509";
import {
  type ApiServer,
  type ApiServerOptions,
  admin,
  createApiServer,
  type Listener,
  listen,
  type Peer,
} from "@kubewright/apiserver";
import { Client } from "@kubewright/client";
import type { ControllerSelection } from "./controllers/select-controllers.js";
import { kubeconfig } from "./kubeconfig.js";
import type { ContainerRuntime } from "./nodes/container-runtime.js";
import { controllersOf, Parts } from "./parts.js";

export interface ClusterOptions {
  readonly clock?: Clock | undefined;
  /** Which built-in controllers run: all unless told, or those named; a name with a dash before it is left out. */
  readonly controllers?: ControllerSelection | undefined;
  /** Admission plugins to leave out, by name. */
  readonly disableAdmission?: readonly string[] | undefined;
  /** How webhooks are called; over HTTPS unless told. */
  readonly callWebhook?: ApiServerOptions["callWebhook"];
  /** Where the Services of webhooks can be reached: over HTTPS, or as functions of this process. Without it they cannot. */
  readonly resolveService?: ApiServerOptions["resolveService"];
  /** How many nodes there are, `node-1` and on; one unless told. */
  readonly nodes?: number | undefined;
  /** How nodes run containers; a simulation unless told. */
  readonly runtime?: ContainerRuntime | undefined;
  /** Uniform in [0, 1); Math.random unless told. */
  readonly random?: (() => number) | undefined;
  /** Hears what went wrong in the cluster's own controllers and nodes; without it, failures are only retried. */
  readonly onError?: ((where: string, error: unknown) => void) | undefined;
}

export interface ListenOptions {
  /** Loopback unless told. */
  readonly host?: string | undefined;
  /** A free one unless told. */
  readonly port?: number | undefined;
}

/** How to reach a listening cluster from another process. */
export interface Endpoint {
  readonly url: string;
  readonly port: number;
  /** For `KUBECONFIG`: user `admin`, with a bearer token. */
  readonly kubeconfig: string;
}

const year = 365 * 24 * 60 * 60 * 1000;

export class Cluster {
  readonly server: ApiServer;
  /** Talks to the server with no socket, as the administrator. */
  readonly client: Client;
  readonly #clock: Clock;
  readonly #token = randomBytes(24).toString("base64url");
  readonly #listeners: Listener[] = [];
  readonly #parts: Parts;
  #authority: CertificateAuthority | undefined;

  constructor(options: ClusterOptions) {
    const { controllers = "all", nodes = 1, random = Math.random } = options;
    controllersOf(controllers);
    this.#clock = options.clock ?? systemClock;
    this.server = createApiServer({
      clock: this.#clock,
      random,
      tokens: new Map([[this.#token, admin]]),
      disableAdmission: options.disableAdmission,
      callWebhook: options.callWebhook,
      resolveService: options.resolveService,
      nodes: { connect: (connection) => this.#parts.nodes.connect(connection) },
    });
    this.#parts = new Parts({
      server: this.server,
      clock: this.#clock,
      random,
      controllers,
      nodes,
      runtime: options.runtime,
      rootCertificate: () => this.#ca().certificate,
      report: options.onError ?? (() => undefined),
    });
    const transport = (request: TransportRequest) => this.#handle(request, { user: admin });
    this.client = new Client({ transport, clock: this.#clock, inProcess: true });
  }

  /** Starts controllers and nodes; resolves when they work. */
  start(): Promise<void> {
    return this.#parts.start();
  }

  /** Opens a TLS port with a certificate of the cluster's own authority. */
  async listen(options: ListenOptions = {}): Promise<Endpoint> {
    const host = options.host ?? "127.0.0.1";
    const authority = this.#ca();
    const now = this.#clock.now();
    const serving = authority.issue({
      commonName: "kube-apiserver",
      hosts: [
        ...new Set([
          host,
          "127.0.0.1",
          "::1",
          "localhost",
          "kubernetes",
          "kubernetes.default",
          "kubernetes.default.svc",
        ]),
      ],
      usage: "server",
      notBefore: now - 60 * 60 * 1000,
      notAfter: now + year,
    });
    const listener = await listen((request, peer) => this.#handle(request, peer), {
      host,
      port: options.port ?? 0,
      serving,
      clientAuthority: authority.certificate,
    });
    this.#listeners.push(listener);
    const { url, port } = listener;
    if (isIP(host) !== 0) this.server.advertise({ address: host, port });
    return {
      url,
      port,
      kubeconfig: kubeconfig({ server: url, authority: authority.certificate, token: this.#token }),
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#listeners.map((listener) => listener.close()));
    await this.#parts.close();
    this.server.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Whoever looks at the leases of nodes finds them fresh. */
  async #handle(request: TransportRequest, peer: Peer): Promise<TransportResponse> {
    if (request.method === "GET" && request.path.startsWith("/apis/coordination.k8s.io/")) {
      const { heartbeats } = this.#parts.nodes;
      await heartbeats.refresh();
      if (request.query?.get("watch") === "true" || request.query?.get("watch") === "1") heartbeats.keepUp();
    }
    return this.server.handle(request, peer);
  }

  /** Made when first needed: a cluster without a port needs no keys. */
  #ca(): CertificateAuthority {
    const now = this.#clock.now();
    this.#authority ??= createCertificateAuthority({
      commonName: "kubewright-ca",
      notBefore: now - 60 * 60 * 1000,
      notAfter: now + 10 * year,
    });
    return this.#authority;
  }
}

/**
 * Starts a cluster in this process.
 *
 * @example
 * await using cluster = await startCluster();
 * await cluster.client.list(Namespace);
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const cluster = new Cluster(options);
  await cluster.start();
  return cluster;
}

// The embedded cluster: an API server in this process, and a way in for clients of every kind.
import { randomUUID } from "node:crypto";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import {
  type Clock,
  Service,
  sleep,
  systemClock,
  type TransportRequest,
  type TransportResponse,
} from "@kubewright/api";
import {
  type ApiServer,
  admin,
  askKubelet,
  createApiServer,
  dialKubelet,
  type KubeletDialerOptions,
  type Listener,
  listen,
  type Peer,
  type PodConnection,
  type PortTarget,
  restoreContents,
  type ServiceResolver,
  type StorageContents,
  type TornTail,
  type UserInfo,
  upgradeInProcess,
} from "@kubewright/apiserver";
import { Client, type ClientOptions, type Middleware, wrapTransport } from "@kubewright/client";
import { type OpenAudit, openAudit } from "./audit-files.js";
import type { ClusterOptions, Endpoint, ListenOptions } from "./cluster-options.js";
import { metricsServer } from "./controllers/metrics-server/index.js";
import { Faults } from "./faults/faults.js";
import { isWatch } from "./faults/request-attributes.js";
import { adminTokens } from "./identity/admin-tokens.js";
import { ClusterCertificates } from "./identity/certificates.js";
import type { RotateOptions } from "./identity/rotate-directory.js";
import { kubeconfig } from "./kubeconfig.js";
import { metricsApiName } from "./metrics/metrics-api.js";
import type { SimulatedMetrics } from "./metrics/simulated-metrics.js";
import { dialAddress } from "./nodes/dial-address.js";
import type { Heartbeats } from "./nodes/heartbeats.js";
import type { Rule, RuleHandle } from "./nodes/rules/rule.js";
import type { StatusReports } from "./nodes/status-reports.js";
import { controllersOf, Parts } from "./parts.js";
import { applyManifests, readManifests } from "./seed/manifests.js";
import { seededRandom, uidsFrom } from "./seed/seeded-random.js";
import { type ClusterState, openState } from "./snapshot/cluster-state.js";
import { writeSnapshot } from "./snapshot/snapshot-file.js";

const hour = 60 * 60 * 1000;
const year = 365 * 24 * hour;

/** A client of a cluster in the same process. */
export interface ConnectOptions extends Omit<ClientOptions, "transport" | "clock" | "inProcess"> {
  /** The user of the client. Default: the administrator. */
  readonly user?: UserInfo | undefined;
  /** Sees every request of this client, and may change or refuse it. */
  readonly middleware?: readonly Middleware[] | undefined;
}

/** The port to listen on is in use. */
export class PortInUseError extends Error {
  override readonly name = "PortInUseError";
  readonly code = "EADDRINUSE";
}

/** An embedded cluster: API server, built-in controllers, scheduler and simulated nodes. `startCluster` starts one. */
export class Cluster {
  readonly server: ApiServer;
  /** Talks to the server with no socket, as the administrator. */
  readonly client: Client;
  /** Makes requests fail and watches break, on purpose. */
  readonly faults: Faults;
  readonly #options: ClusterOptions;
  readonly #clock: Clock;
  readonly #listeners: Listener[] = [];
  /** Called when the kubeconfig changed. */
  readonly #kubeconfigs = new Set<() => void>();
  readonly #state: ClusterState;
  readonly #audit: OpenAudit | undefined;
  readonly #parts: Parts;
  readonly #certificates: ClusterCertificates;
  readonly #handle: (request: TransportRequest, peer: Peer) => Promise<TransportResponse>;
  #closing: Promise<void> | undefined;

  /** `audit` is closed with the cluster. */
  constructor(options: ClusterOptions, audit?: OpenAudit) {
    const { controllers = "all", nodes = 1, seed } = options;
    const drawn = (purpose: string): (() => number) =>
      options.random ?? (seed === undefined ? Math.random : seededRandom(seed, purpose));
    const servesMetrics = controllersOf(controllers).has(metricsServer.name);
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    const report = options.onError ?? (() => undefined);
    this.#audit = audit;
    this.#state = openState({ ...options, clock: this.#clock, onError: report });
    this.#certificates = new ClusterCertificates(this.#state.keys, this.#clock);
    this.server = createApiServer({
      clock: this.#clock,
      storage: this.#state.storage,
      random: drawn("server"),
      newUid: seed === undefined ? randomUUID : uidsFrom(drawn("uids")),
      tokens: adminTokens(this.#state.keys, this.#clock),
      serviceAccountKey: this.#state.keys.serviceAccountKey,
      formerServiceAccountKeys: this.#state.keys.formerServiceAccountKeys,
      frontProxy: () => this.#certificates.frontProxy(),
      disableAdmission: options.disableAdmission,
      featureGates: options.featureGates,
      serviceRanges: options.serviceRanges,
      podSecurity: options.podSecurity,
      eventTtl: options.eventTtl,
      audit: this.#audit,
      requestLog: options.requestLog,
      controlPlane: () => this.#parts.controlPlane,
      nodes: {
        connect: (connection) => this.#connect(connection),
        dial: (target) => this.#dial(target),
        kubelet: (name, request) => this.#kubelet(name, request),
      },
      callWebhook: options.callWebhook,
      resolveService: serviceResolver(options),
      resolveExtension: (api) =>
        api.name === metricsApiName && servesMetrics
          ? (request) => this.#parts.metricsApi.handle(request)
          : options.resolveExtension?.(api),
    });
    this.faults = new Faults(this.#clock);
    this.#parts = new Parts({
      handle: this.faults.handler((request, peer) => this.server.handle(request, peer), { isOwn: true }),
      clock: this.#clock,
      random: drawn("components"),
      controllers,
      nodes,
      runtime: options.runtime,
      defaultStorageClass: options.defaultStorageClass ?? "standard",
      certificateAuthority: () => this.#certificates.authority,
      trustedAuthorities: () => this.#certificates.trusted,
      onAuthority: (listener) => this.#certificates.onAuthority(listener),
      report,
    });
    this.#certificates.onAuthority(() => {
      this.server.publishAuthority(this.#certificates.trusted, this.#certificates.frontProxyAuthority);
      for (const notify of this.#kubeconfigs) notify();
    });
    for (const each of options.rules ?? []) this.simulate(each);
    this.#handle = this.faults.handler((request, peer) => this.#answer(request, peer), { isOwn: false });
    this.client = this.connect();
  }

  /** Starts controllers and nodes, and applies what there is to begin with; resolves when they work. */
  async start(): Promise<void> {
    const { manifests } = this.#options;
    const objects = manifests === undefined ? [] : readManifests(manifests);
    await this.#parts.start();
    await applyManifests(this.client, objects);
  }

  /** A client that talks to the server with no socket. */
  connect({ user = admin, middleware = [], ...options }: ConnectOptions = {}): Client {
    const handle = wrapTransport((request) => this.#handle(request, { user }), middleware);
    const upgrade = (request: TransportRequest, protocol: string) =>
      upgradeInProcess(handle, request, protocol);
    const transport = Object.assign((request: TransportRequest) => handle(request), { upgrade });
    return new Client({ ...options, transport, clock: this.#clock, inProcess: true });
  }

  /** The unfinished write at the end of the data directory, which no client got an answer for and which was cut off. */
  get torn(): TornTail | undefined {
    return this.#state.torn;
  }

  /** The metrics that autoscalers read. */
  get metrics(): SimulatedMetrics {
    return this.#parts.metrics;
  }

  /** Adds a rule for simulated pods and nodes, from now on and until the handle is removed. */
  simulate(rule: Rule): RuleHandle {
    return this.#parts.rules.add(rule);
  }

  /** Writes the whole state to a file, for the option `restore`. */
  snapshot(file: string): void {
    writeSnapshot(file, { ...this.#state.storage.contents(), time: this.#clock.now() });
  }

  /** All there is now, for `restore`. Objects are shared with the store, so it costs little. */
  contents(): StorageContents {
    return this.#state.storage.contents();
  }

  /**
   * Brings the cluster back to earlier contents while it runs. What differs is written and deleted as changes of now: watches go on,
   * uids come back, resource versions and the clock go forward. Returns how many objects changed.
   */
  restore(contents: StorageContents): number {
    return restoreContents(this.#state.storage, contents);
  }

  /** Opens a TLS port with a certificate of the cluster's own CA. */
  async listen(options: ListenOptions = {}): Promise<Endpoint> {
    const { host = "127.0.0.1", port: wanted = 0 } = options;
    // Pods find the API server at the addresses of its Service.
    const { spec } = await this.client.get(Service, "kubernetes", { namespace: "default" });
    const hosts = [host, ...(spec?.clusterIPs ?? [])];
    const listener = await listen((request, peer) => this.#handle(request, peer), {
      allows: (request, peer) => this.server.allows(request, peer),
      host,
      port: wanted,
      sendRetryAfter: options.sendRetryAfter,
      ...this.#certificates.identity(hosts),
    }).catch((error: unknown) => {
      throw isPortInUse(error)
        ? new PortInUseError(`port ${wanted} of ${host} is in use`, { cause: error })
        : error;
    });
    this.#listeners.push(listener);
    this.#certificates.keep(listener, hosts);
    this.server.publishAuthority(this.#certificates.trusted, this.#certificates.frontProxyAuthority);
    const { url, port } = listener;
    if (isIP(host) !== 0) this.server.advertise({ address: host, port });
    const current = (): string =>
      kubeconfig({
        server: url,
        authority: this.#certificates.trusted,
        token: this.#state.keys.token,
      });
    this.#kubeconfigs.add(() => options.onKubeconfig?.(current()));
    return {
      url,
      port,
      get kubeconfig() {
        return current();
      },
    };
  }

  /**
   * Gives listeners new certificates, and signs service account tokens with a new key. Tokens signed before are accepted for `acceptFor`
   * milliseconds; default: a year. Certificates are renewed before they expire, keys only by this call.
   */
  rotateKeys({ acceptFor = year }: { readonly acceptFor?: number } = {}): void {
    this.#certificates.renew();
    const key = this.#state.keys.rotateServiceAccountKey(this.#clock.now(), acceptFor);
    this.server.rotateServiceAccountKey({ key, acceptFor });
  }

  /**
   * Replaces the CA by one with a key of its own. The former CA is trusted for `acceptFor` milliseconds; default: a year. Until then
   * kubeconfigs and `kube-root-ca.crt` contain both, client certificates it signed are accepted, and clients that know only the former CA
   * trust this cluster.
   */
  rotateCA({ acceptFor = year }: { readonly acceptFor?: number } = {}): void {
    this.#certificates.rotateCA(acceptFor);
  }

  /**
   * Replaces the administrator's token. The former token is accepted for `acceptFor` milliseconds; default: an hour. Kubeconfigs change
   * with it.
   */
  rotateToken({ acceptFor = hour }: { readonly acceptFor?: number } = {}): void {
    this.#state.keys.rotateToken(this.#clock.now(), acceptFor);
    for (const notify of this.#kubeconfigs) notify();
  }

  /** Rotates what `what` names. The former ones are accepted for `acceptFor` milliseconds; default: that of each. */
  rotate({ what, acceptFor }: Omit<RotateOptions, "clock">): void {
    const options = acceptFor === undefined ? {} : { acceptFor };
    if (what.includes("ca")) this.rotateCA(options);
    if (what.includes("service-account-key")) this.rotateKeys(options);
    if (what.includes("token")) this.rotateToken(options);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const { shutdownDelay = 0 } = this.#options;
    this.server.beginShutdown();
    if (shutdownDelay > 0) await sleep(this.#clock, shutdownDelay);
    this.faults.clear();
    this.#certificates.close();
    await Promise.all(this.#listeners.map((listener) => listener.close()));
    await this.#parts.close();
    this.server.close();
    await this.#audit?.close();
    await this.#state.close();
  }

  /** Nodes of this process answer themselves; others may have a kubelet somewhere else. */
  async #connect(connection: PodConnection): Promise<TransportResponse | undefined> {
    const { nodes } = this.#parts;
    if (nodes.has(connection.nodeName)) return nodes.connect(connection);
    return dialKubelet(connection, this.#otherKubelets());
  }

  async #kubelet(name: string, request: TransportRequest): Promise<TransportResponse | undefined> {
    const { nodes } = this.#parts;
    return nodes.has(name) ? nodes.kubelet(name, request) : askKubelet(name, request, this.#otherKubelets());
  }

  async #dial(target: PortTarget): Promise<Duplex | undefined> {
    const { nodes } = this.#parts;
    if (nodes.has(target.nodeName)) return nodes.dial(target);
    return nodes.node(target.nodeName) ? dialAddress(target) : undefined;
  }

  #otherKubelets(): KubeletDialerOptions {
    return {
      node: (name) => this.#parts.nodes.node(name),
      authority: () => this.#certificates.trusted,
      client: () => this.#certificates.kubeletClient(),
    };
  }

  /** Brings nodes and their leases up to date before they are read. */
  async #answer(request: TransportRequest, peer: Peer): Promise<TransportResponse> {
    if (request.method === "GET" && isAboutNodes(request) && this.server.allows(request, peer)) {
      const { heartbeats, reports } = this.#parts.nodes;
      if (request.path.startsWith("/apis/coordination.k8s.io/"))
        await this.#freshen(heartbeats, "leases", request);
      else if (request.path.startsWith("/api/v1/nodes")) await this.#freshen(reports, "nodes", request);
    }
    return this.server.handle(request, peer);
  }

  async #freshen(
    what: Heartbeats | StatusReports,
    resource: string,
    request: TransportRequest,
  ): Promise<void> {
    await what.refresh();
    if (isWatch(request))
      what.keepUp(() => this.faults.open.watches.some((watch) => watch.resource === resource));
  }
}

const isAboutNodes = ({ path }: TransportRequest): boolean =>
  path.startsWith("/apis/coordination.k8s.io/") || path.startsWith("/api/v1/nodes");

/** Services that nobody else knows may be in pods. */
function serviceResolver({ resolveService, runtime }: ClusterOptions): ServiceResolver | undefined {
  const inPods = runtime?.resolveService;
  if (!inPods) return resolveService;
  return async (service) => (await resolveService?.(service)) ?? inPods(service);
}

const isPortInUse = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "EADDRINUSE";

/**
 * Starts a cluster in this process.
 *
 * @example
 * await using cluster = await startCluster();
 * await cluster.client.list(Namespace);
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const audit = await openAudit(options, options.onError ?? (() => undefined));
  const cluster = await created(options, audit);
  try {
    await cluster.start();
  } catch (error) {
    await cluster.close();
    throw error;
  }
  return cluster;
}

/** Closes the audit files again when the cluster cannot be created. */
async function created(options: ClusterOptions, audit: OpenAudit | undefined): Promise<Cluster> {
  try {
    return new Cluster(options, audit);
  } catch (error) {
    await audit?.close();
    throw error;
  }
}

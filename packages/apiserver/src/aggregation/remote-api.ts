// One group version that a server behind this one serves: looked after as long as its APIService is there. Its condition is kept
// true, and what it serves is known, by asking again and again.

import {
  type APIService,
  formatTime,
  isConflict,
  isNotFound,
  type Timer,
  type TransportRequest,
  type TransportResponse,
  withTimeout,
} from "@kubewright/api";
import { type Availability, type UserInfo, withAvailability } from "@kubewright/kinds";
import { KeyWorker } from "../crds/key-worker.js";

import { goErrorText } from "../listener/go-error-text.js";
import type { ServiceResolver } from "../listener/https-webhook-caller.js";
import type { Services } from "../registry/request-context.js";
import type { InternalCaller } from "../request/internal-caller.js";
import { apiServicePath, isAvailable, readApiService } from "./api-services.js";
import { askExtension, discard } from "./ask-extension.js";
import { checkService, failedDiscovery, passed } from "./check-availability.js";
import {
  type AggregationOptions,
  type ExtensionServer,
  extensionApi,
  namedServer,
  serviceServer,
} from "./extension-server.js";
import { remoteOpenApiHash, remoteResources } from "./remote-documents.js";
import { type RemoteSwagger, remoteSwagger } from "./remote-swagger.js";
import { aggregatorUser } from "./remote-user.js";

export interface RemoteApiOptions extends AggregationOptions {
  readonly services: Pick<Services, "storage" | "clock">;
  readonly resolveService: ServiceResolver | undefined;
  readonly call: InternalCaller;
  /** Called when its discovery document changed. */
  readonly onChange: () => void;
}

/** Milliseconds after which all is looked at again. */
const resyncPeriod = 30_000;
const probeLimit = 5000;

export class RemoteApi {
  readonly #options: RemoteApiOptions;
  readonly #name: string;
  readonly #worker: KeyWorker;
  #timer: Timer | undefined;
  #isClosed = false;
  /** As aggregated discovery shows them; none until the server was asked. */
  resources: readonly unknown[] = [];
  /** Whether the server did not answer when last asked. */
  isStale = true;
  /** The hash of its OpenAPI document; undefined when it has none. */
  openApiHash: string | undefined;
  /** Its part of the OpenAPI v2 document; undefined when it has none. */
  swagger: RemoteSwagger | undefined;

  constructor(name: string, options: RemoteApiOptions) {
    this.#name = name;
    this.#options = options;
    const { clock } = options.services;
    this.#worker = new KeyWorker({ clock, name: `APIService ${name}`, work: () => this.#look() });
    this.look();
  }

  /** Something about it, or about the way to it, has changed. */
  look(): void {
    this.#worker.add(this.#name);
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#worker.close();
  }

  get apiService(): APIService | undefined {
    return readApiService(this.#options.services.storage, this.#name);
  }

  get isAvailable(): boolean {
    const { apiService } = this;
    return apiService !== undefined && isAvailable(apiService);
  }

  /** Passes a request on. Rejects when no answer came. */
  async ask(request: TransportRequest, user: UserInfo): Promise<TransportResponse> {
    const { apiService } = this;
    if (!apiService) throw new Error("service unavailable");
    const server = await this.#server(apiService);
    const asked = askExtension(server, request, user, this.#options.frontProxy?.());
    // Sockets are out of sight of virtual time, which must not overtake them.
    return server.kind === "address"
      ? asked.finally(this.#options.services.clock.busy(`APIService ${this.#name}`))
      : asked;
  }

  /** Health checks do not verify certificates: an impostor could only make the server look healthy. */
  async #askUnchecked(server: ExtensionServer, request: TransportRequest): Promise<TransportResponse> {
    const trusting = server.kind === "address" ? { ...server, insecure: true } : server;
    const { clock } = this.#options.services;
    const giveUp = new AbortController();
    const asked = askExtension(
      trusting,
      { ...request, signal: giveUp.signal },
      aggregatorUser,
      this.#options.frontProxy?.(),
    );
    // Sockets are out of sight of virtual time, which must not overtake them.
    const rest = server.kind === "address" ? clock.busy(`APIService ${this.#name}`) : undefined;
    try {
      return await withTimeout(clock, probeLimit, "discovery", asked);
    } catch (error) {
      giveUp.abort();
      throw error;
    } finally {
      rest?.();
    }
  }

  #server(apiService: APIService): ExtensionServer | Promise<ExtensionServer> {
    const { services, resolveService } = this.#options;
    return (
      namedServer(apiService, this.#options) ?? serviceServer(apiService, services.storage, resolveService)
    );
  }

  async #look(): Promise<void> {
    this.#timer?.cancel();
    const { apiService } = this;
    if (!apiService || this.#isClosed) return;
    // A function of this process does not come and go.
    if (namedServer(apiService, this.#options)?.kind !== "function")
      this.#timer = this.#options.services.clock.setTimer(resyncPeriod, () => this.look());
    const availability = await this.#availability(apiService);
    await this.#report(apiService, availability);
    await this.#learn(apiService, availability.status === "True");
    // Servers that are just starting are found sooner than by looking now and then.
    if (availability.reason === failedDiscovery("").reason) throw new Error(availability.message);
  }

  async #availability(apiService: APIService): Promise<Availability> {
    const named = namedServer(apiService, this.#options);
    const problem = named ? undefined : checkService(apiService, this.#options.services.storage);
    if (problem) return problem;
    const path = discoveryPath(apiService);
    let url = path;
    try {
      const server = await this.#server(apiService);
      url = `${server.origin}${path}`;
      const answer = await this.#askUnchecked(server, { method: "GET", path });
      await discard(answer);
      if (answer.status >= 200 && answer.status < 300) return passed;
      return failedDiscovery(
        `failing or missing response from ${url}: bad status from ${url}: ${answer.status}`,
      );
    } catch (error) {
      if (url === path) return failedDiscovery(error instanceof Error ? error.message : String(error));
      return failedDiscovery(`failing or missing response from ${url}: Get "${url}": ${goErrorText(error)}`);
    }
  }

  async #report(apiService: APIService, availability: Availability): Promise<void> {
    const before = apiService.status?.conditions ?? [];
    const now = formatTime(this.#options.services.clock.now());
    const conditions = withAvailability(before, availability, now);
    if (conditions === before) return;
    const body = { ...apiService, status: { ...apiService.status, conditions } };
    try {
      await this.#options.call("PUT", `${apiServicePath(this.#name)}/status`, body);
    } catch (error) {
      // The other writer's change requeues the APIService.
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
  }

  async #learn(apiService: APIService, isThere: boolean): Promise<void> {
    const gv = extensionApi(apiService);
    const before = this.#known();
    try {
      if (!isThere) throw new Error("not available");
      const server = await this.#server(apiService);
      const ask = (request: TransportRequest) => this.#askUnchecked(server, request);
      this.resources = await remoteResources(ask, gv);
      this.openApiHash = await remoteOpenApiHash(ask, gv);
      this.isStale = false;
      this.swagger = await remoteSwagger(ask, gv, this.swagger).catch(() => this.swagger);
    } catch {
      this.isStale = true;
    }
    if (this.#known() !== before) this.#options.onChange();
  }

  #known(): string {
    return JSON.stringify([this.resources, this.isStale, this.openApiHash, this.swagger?.etag]);
  }
}

/** The discovery path that every extension API server must serve. */
function discoveryPath(apiService: APIService): string {
  const { group, version } = extensionApi(apiService);
  return group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
}

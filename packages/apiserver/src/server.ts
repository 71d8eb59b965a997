// The API server: one function from a request to a response, and the parts it is made of.

import { randomUUID } from "node:crypto";
import {
  fromStatus,
  goQuote,
  isFailureStatus,
  roundIntegers,
  systemClock,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "@kubewright/api";
import { admin, itself, type UserInfo } from "@kubewright/kinds";
import { passOn } from "./aggregation/aggregator.js";
import type { AuditRecord } from "./audit/audit-record.js";
import { Auditor } from "./audit/auditor.js";
import type { RequestLog } from "./audit/request-log.js";
import { AccessControl } from "./auth/access-control.js";
import type { Peer } from "./auth/authenticate.js";
import { serveIssuer } from "./auth/issuer-discovery.js";
import { publishAuthentication } from "./bootstrap/authentication-info.js";
import { bootstrap } from "./bootstrap.js";
import { CrdController } from "./crds/crd-controller.js";
import { CustomResources } from "./crds/custom-resources.js";
import type { FlowClass } from "./fairness/classifier.js";
import { forClient } from "./for-client.js";
import { dispatch } from "./handlers/dispatch.js";

import { LatencyTracker } from "./metrics/latency-tracker.js";
import type { RequestContext } from "./registry/request-context.js";
import { InFlight, whileParked } from "./request/in-flight.js";
import { parseRequestInfo, type RequestInfo } from "./request/request-info.js";
import { failureResponse, textResponse } from "./request/responses.js";
import type { ApiServerOptions } from "./server-options.js";
import { servePath } from "./server-paths.js";
import { createParts, type ServerParts } from "./server-services.js";
import { advertise } from "./service-network/create-service-network.js";
import { defaultEventTtl, EventExpiry, MemoryStorage } from "./storage/index.js";

export type { ApiServerOptions };

/**
 * A Kubernetes API server in this process.
 *
 * @example
 * const server = createApiServer();
 * const client = new Client({ transport: server.transport() });
 */
export class ApiServer {
  readonly #services: ServerParts;
  readonly #access: AccessControl;
  readonly #customResources: CustomResources;
  readonly #definitions: CrdController;
  readonly #events: EventExpiry;
  readonly #auditor: Auditor | undefined;
  readonly #requestLog: Pick<RequestLog, "add"> | undefined;

  constructor(options: ApiServerOptions = {}) {
    const clock = options.clock ?? systemClock;
    const storage = options.storage ?? new MemoryStorage({ clock });
    const newUid = options.newUid ?? randomUUID;
    this.#access = new AccessControl({ storage, clock, newUid }, options);
    this.#services = createParts({ storage, clock, newUid, access: this.#access }, options);
    const { aggregator, metrics } = this.#services;
    this.#customResources = new CustomResources(this.#services);
    this.#definitions = new CrdController(this.#services, (method, path, body) =>
      this.#callMyself(method, path, body),
    );
    this.#auditor =
      options.audit && new Auditor({ ...options.audit, clock, newId: randomUUID, metrics: metrics.audit });
    this.#requestLog = options.requestLog;
    bootstrap(this.#services);
    aggregator.start(this.#services, (method, path, body) => this.#callMyself(method, path, body));
    this.#events = new EventExpiry({ storage, clock, ttl: options.eventTtl ?? defaultEventTtl });
  }

  /** Answers one request. Never rejects: what goes wrong is a Status. */
  handle(request: TransportRequest, peer: Peer): Promise<TransportResponse> {
    if (this.#auditor || this.#requestLog) return this.#observed(request, peer);
    return this.#handle(request, peer);
  }

  /** Tells those who want to know of it. */
  async #observed(request: TransportRequest, peer: Peer): Promise<TransportResponse> {
    const { clock } = this.#services;
    const [time, started] = [clock.now(), clock.monotonic()];
    const info = parseRequestInfo(request);
    const identity = this.#access.identify(request, peer);
    const audit = this.#auditor?.begin(request, info, identity);
    if (audit?.begun && !(await audit.begun)) return this.#auditUnavailable(request, audit.id);
    const response = await this.#handle(request, peer, audit?.record);
    const { method, path, headers } = request;
    this.#requestLog?.add({
      time,
      method,
      path,
      info,
      user: headers?.["impersonate-user"] ?? identity.caller?.name,
      userAgent: headers?.["user-agent"],
      status: response.status,
      duration: clock.monotonic() - started,
    });
    return audit ? audit.answered(response) : response;
  }

  /** Nothing is done that would not be known of, where that is asked for. In the words of kube-apiserver. */
  #auditUnavailable({ path, query }: TransportRequest, id: string): TransportResponse {
    this.#services.metrics.audit.rejected();
    const target = goQuote(query?.size ? `${path}?${query}` : path);
    const response = textResponse(500, `Internal Server Error: ${target}: failed to store audit event\n`);
    return { ...response, headers: { ...response.headers, "audit-id": id } };
  }

  async #handle(request: TransportRequest, peer: Peer, record?: AuditRecord): Promise<TransportResponse> {
    const { clock, metrics, storage } = this.#services;
    const started = clock.monotonic();
    metrics.entered(request);
    const info = parseRequestInfo(request);
    const trace: RequestTrace = { latency: new LatencyTracker(), flow: undefined };
    const answer = await this.#answer(request, peer, info, trace, record);
    const response =
      storage.flushedRevision < storage.revision ? await this.#onceSafe(request, answer) : answer;
    const time = { milliseconds: clock.monotonic() - started, outside: trace.latency.total };
    const onSent = metrics.answered(request, info, response.status, time);
    if (peer.user) return this.#inProcess(request, response);
    return forClient(request, response, { flow: trace.flow, onSent });
  }

  /** Programs in this process read JavaScript values: integers that a number cannot hold are rounded, as `JSON.parse` rounds them. */
  #inProcess(request: TransportRequest, response: TransportResponse): TransportResponse {
    const { body } = response;
    const mayHoldBigIntegers = this.#services.storage.hasBigIntegers || request.body?.kind === "bytes";
    if (body.kind !== "object" || !mayHoldBigIntegers) return response;
    return { ...response, body: { kind: "object", value: roundIntegers(body.value) } };
  }

  async #answer(
    request: TransportRequest,
    peer: Peer,
    info: RequestInfo,
    trace: RequestTrace,
    record: AuditRecord | undefined,
  ): Promise<TransportResponse> {
    const { clock, fairness } = this.#services;
    const inFlight = new InFlight(clock, `${request.method} ${request.path}`);
    const warnings: string[] = [];
    let leave: (() => void) | undefined;
    try {
      const user = this.#access.admit(request, peer, info, {
        record,
        metrics: this.#services.metrics.access,
      });
      // Those in this process are parts of the server, or tests that want everything in the same order each time.
      if (!peer.user) {
        trace.flow = fairness.classify(user, info);
        const turn = fairness.turn(trace.flow);
        if (turn instanceof Promise) {
          const came = clock.monotonic();
          leave = await turn;
          trace.latency.queued = clock.monotonic() - came;
        } else leave = turn;
      }
      const context: RequestContext = {
        services: this.#services,
        request,
        info,
        query: request.query ?? new URLSearchParams(),
        user,
        warnings,
        record,
        latency: trace.latency,
        park: inFlight.park,
        inProcess: peer.user !== undefined,
      };
      return await carryOut(this.#services, context, info);
    } catch (error) {
      return failureResponse({ warnings, request }, error);
    } finally {
      leave?.();
      inFlight.end();
    }
  }

  /**
   * What an answer shows, of this request or of others, is on disk before anyone sees it: a version that was seen once never comes
   * back as another one.
   */
  async #onceSafe(request: TransportRequest, answer: TransportResponse): Promise<TransportResponse> {
    const { storage, clock } = this.#services;
    const rest = clock.busy(`${request.method} ${request.path}`);
    try {
      await storage.flushed();
      return answer;
    } catch (error) {
      if (answer.body.kind === "events") await answer.body.events[Symbol.asyncIterator]().return?.();
      return failureResponse({ warnings: [], request }, error);
    } finally {
      rest();
    }
  }

  /** The server's own controllers act as it, through the front door. */
  async #callMyself(method: "PUT" | "POST" | "DELETE", path: string, body: unknown): Promise<unknown> {
    const headers = { "user-agent": "kube-apiserver", "content-type": "application/json" };
    const request = {
      method,
      path,
      headers,
      body: body === undefined ? undefined : ({ kind: "object", value: body } as const),
    };
    const response = await this.handle(request, { user: itself });
    const value = response.body.kind === "object" ? response.body.value : undefined;
    if (isFailureStatus(value)) throw fromStatus(value);
    return value;
  }

  /** A transport that calls this server with no socket, as the given user (the administrator if none). */
  transport(user: UserInfo = admin): Transport {
    return (request) => this.handle(request, { user });
  }

  /** Says where programs in the cluster find this server: the endpoints of the service `kubernetes`. */
  advertise(at: { readonly address: string; readonly port: number }): void {
    advertise(this.#services, at);
  }

  /** Tells servers behind this one to believe client certificates of an authority (PEM), and those of this server. */
  publishAuthority(authority: string): void {
    publishAuthentication(this.#services, authority);
  }

  /**
   * Signs tokens of service accounts with another key from now on: PEM, on the curve P-256; a fresh one by default. Tokens signed before
   * are believed for that many milliseconds more, a year by default, or until they expire.
   */
  rotateServiceAccountKey(options: { readonly key?: string; readonly acceptFor?: number } = {}): void {
    this.#services.serviceAccountTokens.rotate(options.key, options.acceptFor);
  }

  /** Says on `/readyz` that the server is about to stop, so that nobody new is sent to it; everything else goes on. */
  beginShutdown(): void {
    this.#services.shutdown.begun = true;
  }

  /** Ends open watches and all the server does by itself. */
  close(): void {
    this.#events.close();
    this.#services.aggregator.close();
    this.#services.openWatches.close();
    this.#services.fairness.close();
    this.#definitions.close();
    this.#customResources.close();
    this.#services.admission.close();
    this.#access.close();
  }
}

/** What becomes known of a request on its way. */
interface RequestTrace {
  readonly latency: LatencyTracker;
  flow: FlowClass | undefined;
}

function carryOut(
  parts: ServerParts,
  context: RequestContext,
  info: RequestInfo,
): TransportResponse | Promise<TransportResponse> {
  const elsewhere = parts.aggregator.serverOf(info);
  if (elsewhere) return whileParked(context, passOn(elsewhere, context));
  if (info.kind === "resource") return dispatch(context, info);
  return serveIssuer(context, parts.serviceAccountTokens, info.path) ?? servePath(parts, context, info);
}

export function createApiServer(options: ApiServerOptions = {}): ApiServer {
  return new ApiServer(options);
}

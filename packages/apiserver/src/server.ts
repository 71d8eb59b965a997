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
import { admin, apiServerUser, type UserInfo } from "@kubewright/kinds";
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
import { DanglingConditions } from "./fairness/dangling-condition.js";
import { tooMany } from "./fairness/fairness.js";
import { forClient } from "./for-client.js";
import { dispatch } from "./handlers/dispatch.js";

import { LatencyTracker } from "./metrics/latency-tracker.js";
import type { RequestContext } from "./registry/request-context.js";
import { checkTimeout } from "./request/check-timeout.js";
import { InFlight, whileParked } from "./request/in-flight.js";
import { parseRequestInfo, type RequestInfo, requestInfoProblem } from "./request/request-info.js";
import { failureResponse, textResponse } from "./request/responses.js";
import type { ApiServerOptions } from "./server-options.js";
import { servePath } from "./server-paths.js";
import { createParts, type ServerParts } from "./server-services.js";
import { advertise } from "./service-network/create-service-network.js";
import { defaultEventTtl, EventExpiry, MemoryStorage } from "./storage/index.js";
import { TimeSlice } from "./time-slice.js";

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
  readonly #conditions: DanglingConditions;
  readonly #auditor: Auditor | undefined;
  readonly #requestLog: Pick<RequestLog, "add"> | undefined;

  constructor(options: ApiServerOptions = {}) {
    const clock = options.clock ?? systemClock;
    const storage =
      options.storage ?? new MemoryStorage({ clock, compactionInterval: options.compactionInterval });
    const newUid = options.newUid ?? randomUUID;
    this.#access = new AccessControl({ storage, clock, newUid }, options);
    this.#services = createParts({ storage, clock, newUid, access: this.#access }, options);
    const { aggregator, metrics } = this.#services;
    this.#customResources = new CustomResources(this.#services);
    this.#definitions = new CrdController(
      this.#services,
      (method, path, body) => this.#callMyself(method, path, body),
      () => new TimeSlice(),
    );
    this.#auditor =
      options.audit && new Auditor({ ...options.audit, clock, newId: randomUUID, metrics: metrics.audit });
    this.#requestLog = options.requestLog;
    bootstrap(this.#services);
    aggregator.start(this.#services, (method, path, body) => this.#callMyself(method, path, body));
    this.#conditions = new DanglingConditions({ storage, clock }, (method, path, body) =>
      this.#callMyself(method, path, body),
    );
    this.#events = new EventExpiry({ storage, clock, ttl: options.eventTtl ?? defaultEventTtl });
  }

  /** Whether authentication and authorization let a request through, by its headers alone. */
  allows(request: TransportRequest, peer: Peer): boolean {
    return this.#access.allows(request, peer, parseRequestInfo(request));
  }

  /** Answers one request. Never rejects: what goes wrong is a Status. */
  handle(request: TransportRequest, peer: Peer): Promise<TransportResponse> {
    if (this.#auditor || this.#requestLog) return this.#observed(request, peer);
    return this.#handle(request, peer);
  }

  /** Answers one request and reports it to the audit log and the request log. */
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

  /** The answer where the audit backend is blocking-strict and cannot store the event; worded as kube-apiserver words it. */
  #auditUnavailable(request: TransportRequest, id: string): TransportResponse {
    this.#services.metrics.audit.rejected();
    const response = internalError(request, "failed to store audit event");
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
    let releaseSeat: (() => void) | undefined;
    try {
      const problem = requestInfoProblem(request);
      if (problem !== undefined) return internalError(request, `failed to create RequestInfo: ${problem}`);
      checkTimeout(request, info);
      const user = this.#access.admit(request, peer, info, {
        record,
        metrics: this.#services.metrics.access,
      });
      // Access was granted a moment after the headers were judged: what the body said is not known.
      if (peer.isBodyUnread && !isRead(request)) throw tooMany();
      // Clients in this process are parts of the server, or tests that need the same order each time: they are not queued.
      if (!peer.user) {
        trace.flow = fairness.classify(user, info);
        const seat = fairness.acquireSeat(trace.flow);
        if (seat instanceof Promise) {
          const queuedAt = clock.monotonic();
          releaseSeat = await seat;
          trace.latency.queued = clock.monotonic() - queuedAt;
        } else releaseSeat = seat;
      }
      const context: RequestContext = {
        services: this.#services,
        request,
        info,
        query: request.query ?? new URLSearchParams(),
        user,
        clientAddress: peer.address,
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
      releaseSeat?.();
      inFlight.end();
    }
  }

  /**
   * Waits until every write that the answer may show is on disk: a resourceVersion that a client has seen never comes back for another
   * state.
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

  /** The server's own controllers send requests as any client does, as the server's user. */
  async #callMyself(
    method: "PUT" | "POST" | "DELETE" | "PATCH",
    target: string,
    body: unknown,
  ): Promise<unknown> {
    const type = method === "PATCH" ? "application/apply-patch+yaml" : "application/json";
    const headers = { "user-agent": "kube-apiserver", "content-type": type };
    const [path = "", search] = target.split("?");
    const request = {
      method,
      path,
      query: new URLSearchParams(search),
      headers,
      body: body === undefined ? undefined : ({ kind: "object", value: body } as const),
    };
    const response = await this.handle(request, { user: apiServerUser });
    const value = response.body.kind === "object" ? response.body.value : undefined;
    if (isFailureStatus(value)) throw fromStatus(value);
    return value;
  }

  /** A transport that calls this server without a socket, as the given user. Default: the administrator. */
  transport(user: UserInfo = admin): Transport {
    return (request) => this.handle(request, { user });
  }

  /** Publishes the address of this server as the endpoints of the Service `kubernetes`. */
  advertise(at: { readonly address: string; readonly port: number }): void {
    advertise(this.#services, at);
  }

  /** Publishes the client CA (PEM) and the request header CA for aggregated API servers, in `extension-apiserver-authentication`. */
  publishAuthority(authority: string, requestHeaderAuthority: string): void {
    publishAuthentication(this.#services, authority, requestHeaderAuthority);
  }

  /**
   * Signs service account tokens with another key from now on: PEM, on the curve P-256. Default: a new key. Tokens signed before stay valid
   * for `acceptFor` milliseconds, or until they expire. Default: a year.
   */
  rotateServiceAccountKey(options: { readonly key?: string; readonly acceptFor?: number } = {}): void {
    this.#services.serviceAccountTokens.rotate(options.key, options.acceptFor);
  }

  /** Makes `/readyz` fail, so that load balancers send no new clients; everything else is still served. */
  beginShutdown(): void {
    this.#services.shutdown.begun = true;
  }

  /** Ends open watches and the server's own controllers. */
  close(): void {
    this.#events.close();
    this.#conditions.close();
    this.#services.aggregator.close();
    this.#services.openWatches.close();
    this.#services.fairness.close();
    this.#definitions.close();
    this.#customResources.close();
    this.#services.admission.close();
    this.#access.close();
  }
}

/** A failure before there is a request to speak of. */
function internalError({ path, query }: TransportRequest, why: string): TransportResponse {
  const target = goQuote(query?.size ? `${path}?${query}` : path);
  return textResponse(500, `Internal Server Error: ${target}: ${why}\n`);
}

const isRead = ({ method }: TransportRequest): boolean => method === "GET" || method === "HEAD";

/** The trace of a request while it is handled. */
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
  const issuer =
    info.verb === "get" ? serveIssuer(context, parts.serviceAccountTokens, info.path) : undefined;
  return issuer ?? servePath(parts, context, info);
}

/** Creates an API server, which is a function from requests to responses. */
export function createApiServer(options: ApiServerOptions = {}): ApiServer {
  return new ApiServer(options);
}

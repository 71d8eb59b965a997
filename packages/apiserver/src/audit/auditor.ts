// Tells of requests as a policy wants it: when they come, when a long answer begins, and when it is over.
import type { Clock, TransportRequest, TransportResponse } from "@kubewright/api";
import { requestedVerb } from "../auth/requested.js";
import type { AuditMetrics } from "../metrics/audit-metrics.js";
import type { RequestInfo } from "../request/request-info.js";
import type { UserInfo } from "../request/user.js";
import { type AuditEvent, type AuditedRequest, auditEvent } from "./audit-event.js";
import { AuditRecord } from "./audit-record.js";
import { toldOfEnd } from "./long-answers.js";
import { type AuditedInfo, type AuditPolicy, type AuditStage, decide, metadataOfAll } from "./policy.js";

export interface AuditOptions {
  /** Metadata of everything unless told. */
  readonly policy?: AuditPolicy | undefined;
  /** Takes each event. What it throws is not the request's problem. */
  readonly write: (event: AuditEvent) => void;
}

/** Who asks, as far as auditing is concerned. */
export interface AuditIdentity {
  /** Absent when nobody vouched for one. */
  readonly caller: UserInfo | undefined;
  readonly sourceIps: readonly string[];
  /** What was tried, where nobody vouched for it. */
  readonly failure?: string | undefined;
}

export interface AuditorOptions extends AuditOptions {
  readonly clock: Clock;
  readonly newId: () => string;
  readonly metrics?: AuditMetrics | undefined;
}

/** A request while it is audited. */
export interface RequestAudit {
  readonly record: AuditRecord;
  /** Tells of the answer, and returns it with the id in a header. */
  answered(response: TransportResponse): TransportResponse;
}

export class Auditor {
  readonly #options: AuditorOptions;
  readonly #policy: AuditPolicy;

  constructor(options: AuditorOptions) {
    this.#options = options;
    this.#policy = options.policy ?? metadataOfAll;
  }

  begin(request: TransportRequest, info: RequestInfo, identity: AuditIdentity): RequestAudit {
    const { clock, newId } = this.#options;
    const decision = decide(this.#policy, asJudged(info, request), identity.caller);
    const id = request.headers?.["audit-id"] || newId();
    const record = new AuditRecord(decision.level);
    this.#options.metrics?.auditedAt(decision.level);
    const { caller, sourceIps, failure } = identity;
    const audited: AuditedRequest = {
      id,
      request,
      info: asJudged(info, request),
      decision,
      received: clock.now(),
      caller,
      sourceIps,
      failure,
      record,
    };
    if (caller) this.#tell(audited, "RequestReceived", undefined);
    return {
      record,
      answered: (response) => {
        const told = this.#answered(audited, response);
        return { ...told, headers: { ...told.headers, "audit-id": id } };
      },
    };
  }

  #answered(audited: AuditedRequest, response: TransportResponse): TransportResponse {
    // Who could not say who they are got no further than this.
    if (!audited.caller) {
      this.#tell(audited, "ResponseStarted", response);
      return response;
    }
    const long = toldOfEnd(response, () => this.#tell(audited, "ResponseComplete", response));
    this.#tell(audited, long ? "ResponseStarted" : "ResponseComplete", response);
    return long ?? response;
  }

  #tell(audited: AuditedRequest, stage: AuditStage, response: TransportResponse | undefined): void {
    const { decision } = audited;
    if (decision.level === "None" || decision.omitStages.has(stage)) return;
    this.#options.metrics?.told();
    try {
      this.#options.write(auditEvent(audited, stage, this.#options.clock.now(), response));
    } catch {
      // The real server goes on too, and counts; what writes the log reports what is wrong with it.
      this.#options.metrics?.failed("log", 1);
    }
  }
}

/** With the verb that roles name too. */
function asJudged(info: RequestInfo, { method }: TransportRequest): AuditedInfo {
  return info.kind === "path" ? info : { ...info, verb: requestedVerb(info, method) };
}

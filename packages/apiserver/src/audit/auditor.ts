// The auditor: records requests as the audit policy says, when they arrive, when a long response begins, and when it is complete.

import type { Clock, TransportRequest, TransportResponse } from "@kubewright/api";
import type { UserInfo } from "@kubewright/kinds";

import type { AuditMetrics } from "../metrics/audit-metrics.js";
import type { RequestInfo } from "../request/request-info.js";
import { requestedVerb } from "../request/requested.js";
import { type AuditEvent, type AuditedRequest, auditEvent } from "./audit-event.js";
import { AuditRecord } from "./audit-record.js";
import type { AuditWebhook } from "./audit-webhook.js";
import { withEndCallback } from "./long-answers.js";
import { type AuditedInfo, type AuditPolicy, type AuditStage, decide, metadataOfAll } from "./policy.js";

/** What is audited, and where the events go. */
export interface AuditOptions {
  /** Metadata of everything by default. */
  readonly policy?: AuditPolicy | undefined;
  /** Takes each event. What it throws is not the request's problem. */
  readonly write?: ((event: AuditEvent) => void) | undefined;
  /** Gets the events too; closed by the code that made it. */
  readonly webhook?: AuditWebhook | undefined;
}

/** The identity of a request for auditing. */
export interface AuditIdentity {
  /** Absent when the request is not authenticated. */
  readonly caller: UserInfo | undefined;
  readonly sourceIps: readonly string[];
  /** The attempted authentication methods, where the request is not authenticated. */
  readonly failure?: string | undefined;
}

export interface AuditorOptions extends AuditOptions {
  readonly clock: Clock;
  readonly newId: () => string;
  readonly metrics?: AuditMetrics | undefined;
}

/** A request while it is audited. */
export interface RequestAudit {
  readonly id: string;
  readonly record: AuditRecord;
  /** Whether the request may go on, where that has to be waited for. */
  readonly begun: Promise<boolean> | undefined;
  /** Records the response, and returns it with the audit ID in a header; a promise where a blocking backend must take the event first. */
  answered(response: TransportResponse): TransportResponse | Promise<TransportResponse>;
}

export class Auditor {
  readonly #options: AuditorOptions;
  readonly #policy: AuditPolicy;

  constructor(options: AuditorOptions) {
    this.#options = options;
    this.#policy = options.policy ?? metadataOfAll;
    options.webhook?.countWith((plugin, events) => options.metrics?.failed(plugin, events));
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
    return {
      id,
      record,
      begun: caller && this.#emit(audited, "RequestReceived", undefined),
      answered: (response) => {
        const { observed, delivered } = this.#answered(audited, response);
        const named = { ...observed, headers: { ...observed.headers, "audit-id": id } };
        return delivered ? delivered.then(() => named) : named;
      },
    };
  }

  #answered(audited: AuditedRequest, response: TransportResponse): Answered {
    // A request that was not authenticated ends here.
    if (!audited.caller)
      return { observed: response, delivered: this.#emit(audited, "ResponseStarted", response) };
    const long = withEndCallback(response, () => void this.#emit(audited, "ResponseComplete", response));
    const delivered = this.#emit(audited, long ? "ResponseStarted" : "ResponseComplete", response);
    return { observed: long ?? response, delivered };
  }

  #emit(
    audited: AuditedRequest,
    stage: AuditStage,
    response: TransportResponse | undefined,
  ): Promise<boolean> | undefined {
    const { decision } = audited;
    if (decision.level === "None" || decision.omitStages.has(stage)) return undefined;
    const { metrics, webhook, clock } = this.#options;
    metrics?.emitted();
    const event = auditEvent(audited, stage, clock.now(), response);
    this.#write(event);
    return webhook?.record(event);
  }

  #write(event: AuditEvent): void {
    try {
      this.#options.write?.(event);
    } catch {
      // kube-apiserver goes on too, and counts; what writes the log reports what is wrong with it.
      this.#options.metrics?.failed("log", 1);
    }
  }
}

interface Answered {
  readonly observed: TransportResponse;
  /** Settles when a blocking webhook has received the event. */
  readonly delivered: Promise<boolean> | undefined;
}

/** With the verb that roles name too. */
function asJudged(info: RequestInfo, { method }: TransportRequest): AuditedInfo {
  return info.kind === "path" ? info : { ...info, verb: requestedVerb(info, method) };
}

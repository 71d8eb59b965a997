// Tells of requests as a policy wants it: when they come, when a long answer begins, and when it is over.
import type { Clock, TransportRequest, TransportResponse } from "@kubewright/api";
import { EventStream } from "../handlers/event-stream.js";
import type { RequestInfo } from "../request/request-info.js";
import type { UserInfo } from "../request/user.js";
import { type AuditEvent, type AuditedRequest, auditEvent } from "./audit-event.js";
import { type AuditPolicy, type AuditStage, decide, metadataOfAll } from "./policy.js";

export interface AuditOptions {
  /** Metadata of everything unless told. */
  readonly policy?: AuditPolicy | undefined;
  /** Takes each event. What it throws is not the request's problem. */
  readonly write: (event: AuditEvent) => void;
}

/** Who asks, as far as auditing is concerned. */
export interface AuditIdentity {
  readonly caller: UserInfo | undefined;
  readonly impersonated: UserInfo | undefined;
  readonly sourceIps: readonly string[];
}

export interface AuditorOptions extends AuditOptions {
  readonly clock: Clock;
  readonly newId: () => string;
}

/** A request while it is audited. */
export interface RequestAudit {
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
    const decision = decide(this.#policy, info, identity.caller);
    const id = request.headers?.["audit-id"] || newId();
    const audited: AuditedRequest = { id, request, info, decision, received: clock.now(), ...identity };
    this.#tell(audited, "RequestReceived", undefined);
    return {
      answered: (response) => {
        this.#answered(audited, response);
        return { ...response, headers: { ...response.headers, "audit-id": id } };
      },
    };
  }

  #answered(audited: AuditedRequest, response: TransportResponse): void {
    const { body } = response;
    if (body.kind === "events" && body.events instanceof EventStream) {
      this.#tell(audited, "ResponseStarted", response);
      body.events.onEnd(() => this.#tell(audited, "ResponseComplete", response));
      return;
    }
    if (body.kind === "stream" || response.upgrade) this.#tell(audited, "ResponseStarted", response);
    this.#tell(audited, "ResponseComplete", response);
  }

  #tell(audited: AuditedRequest, stage: AuditStage, response: TransportResponse | undefined): void {
    const { decision } = audited;
    if (decision.level === "None" || decision.omitStages.has(stage)) return;
    try {
      this.#options.write(auditEvent(audited, stage, this.#options.clock.now(), response));
    } catch {
      // The real server goes on too, and counts; what writes the log reports what is wrong with it.
    }
  }
}

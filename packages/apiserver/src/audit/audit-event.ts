// One line of an audit log: `audit.k8s.io/v1` Event.

import { formatMicroTime, type TransportRequest, type TransportResponse } from "@kubewright/api";
import type { UserInfo } from "@kubewright/kinds";
import { parseJsonText } from "@kubewright/machinery";
import { withArrays } from "../request/mapped-list.js";
import type { AuditRecord } from "./audit-record.js";
import type { AuditDecision, AuditedInfo, AuditLevel, AuditStage } from "./policy.js";

/** The user of an audit event. */
export interface AuditUser {
  readonly username?: string | undefined;
  readonly uid?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** An event of the audit log, as `audit.k8s.io/v1` defines it. */
export interface AuditEvent {
  readonly kind: "Event";
  readonly apiVersion: "audit.k8s.io/v1";
  readonly level: AuditLevel;
  readonly auditID: string;
  readonly stage: AuditStage;
  readonly requestURI: string;
  readonly verb: string;
  readonly user: AuditUser;
  readonly impersonatedUser?: AuditUser | undefined;
  /** The constraint of the impersonation, where it is constrained. */
  readonly authenticationMetadata?: { readonly impersonationConstraint: string } | undefined;
  readonly sourceIPs?: readonly string[] | undefined;
  readonly userAgent?: string | undefined;
  readonly objectRef?: Readonly<Record<string, string>> | undefined;
  readonly responseStatus?: Readonly<Record<string, unknown>> | undefined;
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** All that is known of a request while it is audited. */
export interface AuditedRequest {
  readonly id: string;
  readonly request: TransportRequest;
  readonly info: AuditedInfo;
  readonly caller: UserInfo | undefined;
  readonly sourceIps: readonly string[];
  /** The attempted authentication methods, where the request is not authenticated. */
  readonly failure: string | undefined;
  /** Annotations and objects recorded while the request is handled. */
  readonly record: AuditRecord;
  readonly decision: AuditDecision;
  /** Milliseconds since 1970. */
  readonly received: number;
}

/** The event of a stage; the response is there once it was made. */
export function auditEvent(
  audited: AuditedRequest,
  stage: AuditStage,
  now: number,
  response: TransportResponse | undefined,
): AuditEvent {
  const { request, info, decision, sourceIps, record, failure } = audited;
  const { impersonated } = record;
  const withBodies = decision.level === "Request" || decision.level === "RequestResponse";
  const requested =
    withBodies && stage !== "RequestReceived" ? (record.requested ?? requestObject(request)) : undefined;
  const answered =
    decision.level === "RequestResponse" && stage === "ResponseComplete"
      ? responseObject(response)
      : undefined;
  const shown = decision.omitManagedFields ? withoutManagedFields : same;
  return {
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    level: decision.level,
    auditID: audited.id,
    stage,
    requestURI: uriOf(request),
    verb: info.verb,
    user: userOf(audited.caller),
    ...(impersonated ? { impersonatedUser: userOf(impersonated) } : {}),
    ...(record.constraint ? { authenticationMetadata: { impersonationConstraint: record.constraint } } : {}),
    ...(sourceIps.length > 0 ? { sourceIPs: sourceIps } : {}),
    ...optional("userAgent", request.headers?.["user-agent"]),
    ...optional("objectRef", objectRef(info, record)),
    ...(response ? { responseStatus: failure ? failed(failure) : shownStatus(response, audited) } : {}),
    ...optional("requestObject", shown(requested)),
    ...optional("responseObject", shown(answered)),
    requestReceivedTimestamp: formatMicroTime(audited.received),
    stageTimestamp: formatMicroTime(now),
    ...optional("annotations", record.annotations),
  };
}

const same = (value: unknown): unknown => value;

function optional<K extends string, T>(name: K, value: T | undefined): { readonly [P in K]?: T } {
  const fields: { [P in K]?: T } = {};
  if (value !== undefined) fields[name] = value;
  return fields;
}

function uriOf({ path, query }: TransportRequest): string {
  const text = query?.toString() ?? "";
  return text === "" ? path : `${path}?${text}`;
}

function userOf(user: UserInfo | undefined): AuditUser {
  if (!user) return {};
  const { name, uid, groups, extra } = user;
  return {
    username: name,
    ...(uid ? { uid } : {}),
    ...(groups.length > 0 ? { groups } : {}),
    ...(extra && Object.keys(extra).length > 0 ? { extra } : {}),
  };
}

function objectRef(info: AuditedInfo, { sent }: AuditRecord): Readonly<Record<string, string>> | undefined {
  if (info.kind !== "resource") return undefined;
  const { resource, group, version, subresource } = info;
  return {
    resource,
    ...optional("namespace", info.namespace || sent?.namespace || undefined),
    ...optional("name", info.name || sent?.name || undefined),
    ...optional("uid", sent?.uid || undefined),
    ...(group === "" ? {} : { apiGroup: group }),
    apiVersion: version,
    ...optional("resourceVersion", sent?.resourceVersion || undefined),
    ...optional("subresource", subresource),
  } as Readonly<Record<string, string>>;
}

/** The response status. Failures are recorded in full: they are short, and what people search for. */
/**
 * The status without its message and causes where they may repeat contents of a Secret that the level keeps out of the log. The client got
 * them.
 */
function shownStatus(
  response: TransportResponse,
  { info, decision }: AuditedRequest,
): Readonly<Record<string, unknown>> {
  const status = statusOf(response);
  const isSecret = info.kind === "resource" && info.group === "" && info.resource === "secrets";
  const mayRepeat = response.status === 400 || response.status === 422 || response.status >= 500;
  if (!isSecret || !mayRepeat || decision.level !== "Metadata") return status;
  const { message: _message, details: _details, ...rest } = status;
  return { ...rest, message: "left out: it may repeat contents of the Secret" };
}

function statusOf(response: TransportResponse): Readonly<Record<string, unknown>> {
  const { status: code } = response;
  const body = record(responseObject(response));
  if (code < 400 || body["kind"] !== "Status") return { metadata: {}, code };
  const { status, message, reason, details } = body;
  return {
    metadata: {},
    ...optional("status", status),
    ...optional("message", message),
    ...optional("reason", reason),
    ...optional("details", details),
    code,
  };
}

const failed = (message: string) => ({ metadata: {}, status: "Failure", message, code: 401 });

/** The request body as sent, if it is JSON, where no decoded object was recorded. */
function requestObject({ body, headers }: TransportRequest): unknown {
  if (!body) return undefined;
  if (body.kind === "object") return body.value;
  const type = headers?.["content-type"] ?? "application/json";
  return type.includes("json") ? parsed(body.bytes) : undefined;
}

function responseObject(response: TransportResponse | undefined): unknown {
  if (response?.body.kind === "object") return withArrays(response.body.value);
  if (response?.body.kind !== "bytes") return undefined;
  return String(response.headers["content-type"]).includes("json") ? parsed(response.body.bytes) : undefined;
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return parseJsonText(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
}

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {};

/** Removes managed fields of an object and of the items of a list. */
function withoutManagedFields(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { metadata, items, ...rest } = record(value);
  const { managedFields: _, ...kept } = record(metadata);
  return {
    ...rest,
    ...(metadata === undefined ? {} : { metadata: kept }),
    ...(items === undefined ? {} : { items: Array.isArray(items) ? items.map(withoutManagedFields) : items }),
  };
}

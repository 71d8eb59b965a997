// One call to the API server: its request, and what becomes of the answer. Every verb of the client ends up here.
import type { Clock, RequestBody, Transport, TransportRequest, TransportResponse } from "@kubewright/api";
import { ApiError, TimeoutError } from "@kubewright/api";
import { type Body, collectBody, decodeBody } from "./body.js";
import { ConnectionError } from "./connection-error.js";
import { type Bounds, withinBounds } from "./deadline.js";
import { describeTarget, resourcePath, type Target } from "./resource-path.js";
import { statusError } from "./status-error.js";
import type { WarningSink } from "./warnings.js";

/** A verb on a target, and what it carries. */
export interface Call extends Target, Bounds {
  /** As messages name it: `get`, `server-side apply`. */
  readonly verb: string;
  readonly method: TransportRequest["method"];
  readonly query?: URLSearchParams | undefined;
  readonly body?: unknown;
  readonly contentType?: string | undefined;
  readonly accept?: string | undefined;
}

/** Where calls go, and what goes with each of them. */
export interface CallContext {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly userAgent: string;
  readonly warnings: WarningSink;
}

/** `get Deployment shop/web`: how messages begin. */
export function describeCall(call: Call): string {
  return `${call.verb} ${describeTarget(call)}`;
}

/** Performs a call that answers with one JSON document. */
export async function perform(context: CallContext, call: Call): Promise<unknown> {
  return withinBounds(context.clock, call, describeCall(call), async (signal) => {
    const response = await send(context, call, false, signal);
    return readDocument(call, await collectBody(response.body));
  });
}

/** Performs a call whose answer is read as it comes. Resolves when it begins. */
export async function open(context: CallContext, call: Call): Promise<TransportResponse> {
  return withinBounds(context.clock, { timeout: call.timeout }, describeCall(call), () =>
    send(context, call, true, call.signal),
  );
}

async function send(
  context: CallContext,
  call: Call,
  stream: boolean,
  signal: AbortSignal | undefined,
): Promise<TransportResponse> {
  const response = await context.transport(requestOf(context, call, stream, signal)).catch((error) => {
    throw withCall(call, error);
  });
  const warning = response.headers["warning"];
  if (warning !== undefined) context.warnings.deliver(warning);
  if (response.status >= 200 && response.status < 300) return response;
  const body = await collectBody(response.body).catch(() => ({ kind: "empty" }) as const);
  throw statusError(describeCall(call), response.status, decodeBody(body).value);
}

function requestOf(
  context: CallContext,
  call: Call,
  stream: boolean,
  signal: AbortSignal | undefined,
): TransportRequest {
  const headers: Record<string, string> = {
    accept: call.accept ?? "application/json",
    "user-agent": context.userAgent,
  };
  let body: RequestBody | undefined;
  if (call.body !== undefined) {
    headers["content-type"] = call.contentType ?? "application/json";
    body = { kind: "object", value: call.body };
  }
  return { method: call.method, path: resourcePath(call), query: call.query, headers, body, signal, stream };
}

function readDocument(call: Call, body: Body): unknown {
  const { value, problem } = decodeBody(body);
  if (problem === undefined) return value;
  throw new ConnectionError(`${describeCall(call)}: ${problem}`, "malformed");
}

/** Failures below know the cluster but not the call; abort reasons pass as they are. */
function withCall(call: Call, error: unknown): unknown {
  if (error instanceof ConnectionError) {
    return new ConnectionError(`${describeCall(call)}: ${error.message}`, error.problem, { cause: error });
  }
  if (error instanceof TimeoutError && call.signal?.reason !== error) {
    return new TimeoutError(`${describeCall(call)}: ${error.message}`, { cause: error });
  }
  return error;
}

/** True when retrying the same call later may help: no answer, or one that says so. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ConnectionError || error instanceof TimeoutError) return true;
  return error instanceof ApiError && (error.code === 429 || error.code >= 500);
}

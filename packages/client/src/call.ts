// One call to the API server: its request, and what becomes of the answer. Every verb of the client ends up here.
import {
  ApiError,
  type Clock,
  type RequestBody,
  TimeoutError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "@kubewright/api";
import { type Body, collectBody, decodeBody } from "./body.js";
import { ConnectionError } from "./connection-error.js";
import { type Bounds, withinBounds } from "./deadline.js";
import { statusError } from "./status-error.js";
import type { WarningSink } from "./warnings.js";

/** A request, and what it is in words. */
export interface Call extends Bounds {
  /** The beginning of messages: `get Deployment shop/web`. */
  readonly what: string;
  readonly method: TransportRequest["method"];
  readonly path: string;
  readonly query?: URLSearchParams | undefined;
  readonly body?: unknown;
  readonly contentType?: string | undefined;
  readonly accept?: string | undefined;
  readonly beforeSend?: (() => void) | undefined;
  /** Decodes the answer. Default: JSON.parse. */
  readonly decode?: ((document: Uint8Array) => unknown) | undefined;
}

/** The destination of calls, and the defaults of each of them. */
export interface CallContext {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly userAgent: string;
  readonly warnings: WarningSink;
}

/** Performs a call that answers with one JSON document. */
export function perform(context: CallContext, call: Call): Promise<unknown> {
  return withinBounds(context.clock, call, `${call.what}: no answer`, async (signal) => {
    const response = await send(context, call, false, signal);
    return readDocument(call, await collectBody(response.body));
  });
}

/** Performs a call that answers with anything: JSON as its value, other things as text. */
export function performRaw(context: CallContext, call: Call): Promise<unknown> {
  return withinBounds(context.clock, call, `${call.what}: no answer`, async (signal) => {
    const { body } = await send(context, { ...call, accept: "application/json, */*" }, false, signal);
    return decodeBody(await collectBody(body)).value;
  });
}

/** An answer that is being read. `release` must be called when it has been, or is no longer wanted. */
export interface Opened {
  readonly response: TransportResponse;
  release(): void;
}

/** Performs a call whose answer is read as it comes. Resolves when it begins; only that is bound by the timeout. */
export async function open(context: CallContext, call: Call): Promise<Opened> {
  const { signal, timeout, what } = call;
  if (timeout === undefined)
    return { response: await send(context, call, true, signal), release: () => undefined };
  // The caller's signal ends the stream too, so it stays linked for as long as the stream lasts.
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal?.reason);
  const release = (): void => signal?.removeEventListener("abort", onAbort);
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    const sending = (): Promise<TransportResponse> => send(context, call, true, controller.signal);
    return {
      response: await withinBounds(context.clock, { signal, timeout }, `${what}: no answer`, sending),
      release,
    };
  } catch (error) {
    release();
    controller.abort(error);
    throw error;
  }
}

async function send(
  context: CallContext,
  call: Call,
  stream: boolean,
  signal: AbortSignal | undefined,
): Promise<TransportResponse> {
  const response = await context
    .transport(requestOf(context, call, stream, signal))
    .catch((error: unknown) => {
      throw named(call, error);
    });
  const warning = response.headers["warning"];
  if (warning !== undefined) context.warnings.deliver(warning);
  if (response.status >= 200 && response.status < 300) return response;
  throw await failure(call, response);
}

/** The error an answer with a failure code stands for. */
export async function failure(call: Pick<Call, "what">, response: TransportResponse): Promise<ApiError> {
  const body = await collectBody(response.body).catch((): Body => ({ kind: "empty" }));
  return statusError(call.what, response.status, decodeBody(body).value);
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
  const { method, path, query, beforeSend } = call;
  return { method, path, query, headers, body, signal, stream, beforeSend };
}

function readDocument(call: Call, body: Body): unknown {
  const { value, problem } = decodeBody(body, call.decode);
  if (problem === undefined) return value;
  throw new ConnectionError(`${call.what}: ${problem}`, "malformed");
}

/** Failures below know the cluster but not the call; what aborted the call passes as it is. */
export function named({ what, signal }: Pick<Call, "what" | "signal">, error: unknown): unknown {
  if (signal?.aborted && signal.reason === error) return error;
  if (error instanceof ConnectionError) {
    return new ConnectionError(`${what}: ${error.message}`, error.problem, { cause: error });
  }
  return error instanceof TimeoutError
    ? new TimeoutError(`${what}: ${error.message}`, { cause: error })
    : error;
}

/** True when the same call may succeed later: there was no answer, or one that says so. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ConnectionError || error instanceof TimeoutError) return true;
  return error instanceof ApiError && (error.code === 429 || error.code >= 500);
}

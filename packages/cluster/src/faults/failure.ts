// The ways in which a request can fail.
import { type Clock, type TransportRequest, type TransportResponse, VirtualClock } from "@kubewright/api";
import { ConnectionError } from "@kubewright/client";

/**
 * - `conflict`: 409, nothing changed.
 * - `timeout`: 504, nothing changed.
 * - `unreachable`: no answer, and the server never saw the request.
 * - `lost`: no answer, but the server did what was asked.
 * - `hang`: no answer, and no end: until the client gives up, or the fault is taken away, which breaks the connection.
 * - otherwise that status; `afterwards` lets the server do what was asked first.
 */
export type Failure = "conflict" | "timeout" | "unreachable" | "lost" | "hang" | FailureStatus;

/** An answer that is not the server's. */
export interface FailureStatus {
  readonly code: number;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  /** The server does what was asked, and the answer is this all the same. */
  readonly afterwards?: boolean | undefined;
}

type Send = () => Promise<TransportResponse>;

const conflict: FailureStatus = {
  code: 409,
  reason: "Conflict",
  message: "the object has been modified; please apply your changes to the latest version and try again",
};
const timeout: FailureStatus = {
  code: 504,
  reason: "Timeout",
  message: "request did not complete within the requested timeout",
};

/** How a request is to fail. */
export interface Failing {
  readonly failure: Failure;
  /** Aborted when the fault is taken away. */
  readonly removed: AbortSignal;
  readonly clock: Clock;
}

/** Carries a request out in the way it is to fail. */
export async function failing(
  { failure, removed, clock }: Failing,
  request: TransportRequest,
  send: Send,
): Promise<TransportResponse> {
  const what = `${request.method} ${request.path}`;
  if (failure === "unreachable")
    throw new ConnectionError(`${what}: connection refused, as a fault says`, "refused");
  if (failure === "hang") return hang(request, removed, clock);
  if (failure === "lost") {
    await close(await send());
    throw new ConnectionError(`${what}: the answer was lost, as a fault says`, "closed");
  }
  const status = failure === "conflict" ? conflict : failure === "timeout" ? timeout : failure;
  if (status.afterwards) await close(await send());
  return answer(status);
}

/** Leaves the caller waiting while virtual time goes on: the caller may have a timeout. */
async function hang(
  { method, path, signal }: TransportRequest,
  removed: AbortSignal,
  clock: Clock,
): Promise<never> {
  const resume = clock instanceof VirtualClock ? clock.suspend() : () => undefined;
  const ends = signal ? [signal, removed] : [removed];
  try {
    const end = AbortSignal.any(ends);
    if (!end.aborted) await new Promise((resolve) => end.addEventListener("abort", resolve, { once: true }));
  } finally {
    resume();
  }
  if (signal?.aborted) throw signal.reason;
  throw new ConnectionError(`${method} ${path}: the connection hung and broke, as a fault says`, "closed");
}

/** Nobody will read it. */
async function close({ body }: TransportResponse): Promise<void> {
  if (body.kind === "events") await body.events[Symbol.asyncIterator]().return?.();
  if (body.kind === "stream") await body.chunks[Symbol.asyncIterator]().return?.();
}

const reasons = new Map([
  [400, "BadRequest"],
  [401, "Unauthorized"],
  [403, "Forbidden"],
  [404, "NotFound"],
  [409, "Conflict"],
  [410, "Expired"],
  [422, "Invalid"],
  [429, "TooManyRequests"],
  [500, "InternalError"],
  [503, "ServiceUnavailable"],
  [504, "Timeout"],
]);

function answer({
  code,
  reason = reasons.get(code),
  message,
  retryAfterSeconds,
}: FailureStatus): TransportResponse {
  const value = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: message ?? `failed with ${code}, as a fault says`,
    ...(reason === undefined ? {} : { reason }),
    ...(retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } }),
    code,
  };
  const headers = {
    "content-type": "application/json",
    ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) }),
  };
  return { status: code, headers, body: { kind: "object", value: Object.freeze(value) } };
}

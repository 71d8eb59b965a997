// Sends a request again when that is safe and may help.
//
// Safe: the request never left (no connection), the server refused it before doing anything (429, or any failure with
// Retry-After), or repeating it changes nothing (reads, server-side apply).
// Not retried: what timed out (the time is spent), and evictions, whose 429 is an answer: a disruption budget says no.
import {
  type Clock,
  sleep,
  systemClock,
  type TransportRequest,
  type TransportResponse,
} from "@kubewright/api";
import { ConnectionError } from "../connection-error.js";
import type { Middleware } from "./middleware.js";

export interface RetryOptions {
  /** The maximum number of attempts of a request. Default: 5. */
  readonly attempts?: number | undefined;
  /** The first wait, doubled each time. Default: 100 ms. Jitter takes up to half of it off. */
  readonly delay?: number | undefined;
  readonly maxDelay?: number | undefined;
  /** A server that asks for a longer wait than this is not waited for. Default: 30 s. */
  readonly maxRetryAfter?: number | undefined;
  readonly clock?: Clock | undefined;
  /** From 0 to 1, as Math.random. */
  readonly random?: (() => number) | undefined;
  /** Called for every retry with the status code, or `<error>`. */
  readonly onRetry?: ((request: TransportRequest, code: string) => void) | undefined;
}

/** Middleware that repeats requests. */
export function retrying(options: RetryOptions = {}): Middleware {
  const policy = new RetryPolicy(options);
  return (next) => async (request) => {
    for (let attempt = 1; ; attempt++) {
      const outcome = await settle(next(request));
      const delay = policy.delayAfter(request, outcome, attempt);
      if (delay === undefined) return unsettle(outcome);
      options.onRetry?.(request, await dismiss(outcome));
      await sleep(options.clock ?? systemClock, delay, request.signal);
    }
  };
}

type Outcome = { readonly response: TransportResponse } | { readonly error: unknown };

function settle(work: Promise<TransportResponse>): Promise<Outcome> {
  return work.then(
    (response) => ({ response }),
    (error: unknown) => ({ error }),
  );
}

function unsettle(outcome: Outcome): TransportResponse {
  if ("error" in outcome) throw outcome.error;
  return outcome.response;
}

/** Lets go of an outcome that will not be used; its connection can then be used again. */
async function dismiss(outcome: Outcome): Promise<string> {
  if ("error" in outcome) return "<error>";
  const { status, body } = outcome.response;
  if (body.kind === "stream") await body.chunks[Symbol.asyncIterator]().return?.();
  return String(status);
}

class RetryPolicy {
  readonly #attempts: number;
  readonly #delay: number;
  readonly #maxDelay: number;
  readonly #maxRetryAfter: number;
  readonly #random: () => number;
  readonly #clock: Clock;

  constructor(options: RetryOptions) {
    this.#attempts = options.attempts ?? 5;
    this.#delay = options.delay ?? 100;
    this.#maxDelay = options.maxDelay ?? 5_000;
    this.#maxRetryAfter = options.maxRetryAfter ?? 30_000;
    this.#random = options.random ?? Math.random;
    this.#clock = options.clock ?? systemClock;
  }

  /** The delay before the next attempt; undefined when this outcome is final. */
  delayAfter(request: TransportRequest, outcome: Outcome, attempt: number): number | undefined {
    if (attempt >= this.#attempts || request.signal?.aborted) return undefined;
    const backoff = Math.min(this.#delay * 2 ** (attempt - 1), this.#maxDelay) * (1 - this.#random() / 2);
    if ("error" in outcome) return mayRepeatAfterError(request, outcome.error) ? backoff : undefined;
    const { status } = outcome.response;
    if (status !== 429 && status < 500) return undefined;
    const asked = retryAfter(outcome.response, this.#clock.now());
    if (asked !== undefined) {
      const wanted = asked <= this.#maxRetryAfter && !isEviction(request);
      return wanted ? asked + backoff : undefined;
    }
    const safe = status === 429 ? !isEviction(request) : isTemporary(status) && isRepeatable(request);
    return safe ? backoff : undefined;
  }
}

function mayRepeatAfterError(request: TransportRequest, error: unknown): boolean {
  if (!(error instanceof ConnectionError)) return false;
  const { problem } = error;
  if (problem === "refused" || problem === "unreachable" || problem === "proxy") return true;
  return problem === "closed" && isRepeatable(request);
}

function isRepeatable({ method, headers }: TransportRequest): boolean {
  if (method === "GET" || method === "HEAD" || method === "OPTIONS") return true;
  return method === "PATCH" && headers?.["content-type"] === "application/apply-patch+yaml";
}

function isEviction({ method, path }: TransportRequest): boolean {
  return method === "POST" && path.endsWith("/eviction");
}

function isTemporary(status: number): boolean {
  return status === 500 || status === 502 || status === 503 || status === 504;
}

/** Milliseconds the server asks to wait: a number of seconds, or a date. */
function retryAfter({ headers }: TransportResponse, now: number): number | undefined {
  const value = headers["retry-after"];
  if (typeof value !== "string") return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

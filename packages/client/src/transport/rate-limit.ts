// Holds back a client that would otherwise send too fast. Off by default: the server has priority and fairness.
import { type Clock, sleep, systemClock, type TransportRequest } from "@kubewright/api";
import type { Middleware } from "./middleware.js";

export interface RateLimitOptions {
  /** Requests a second, in the long run. */
  readonly qps: number;
  /** Requests at once, after a pause. */
  readonly burst: number;
  readonly clock?: Clock | undefined;
  /** Called with the delay of a request, in milliseconds. */
  readonly onWait?: ((request: TransportRequest, duration: number) => void) | undefined;
}

/** Middleware that delays requests, first come first served, so that they keep to a rate. */
export function rateLimit({ qps, burst, clock = systemClock, onWait }: RateLimitOptions): Middleware {
  const interval = 1000 / qps;
  // The time at which the bucket is full again if no more is taken from it.
  let fullAt = 0;
  return (next) => async (request) => {
    const now = clock.monotonic();
    fullAt = Math.max(fullAt, now) + interval;
    const wait = fullAt - interval * burst - now;
    if (wait > 0) await sleep(clock, wait, request.signal);
    onWait?.(request, Math.max(0, wait));
    return next(request);
  };
}

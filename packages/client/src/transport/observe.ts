// Notifies an observer of each request, for metrics. The observer names and keeps them.
import { type Clock, systemClock } from "@kubewright/api";
import type { Middleware } from "./middleware.js";
import { requestInfo } from "./request-info.js";

/** One request sent and answered. Repetitions count each. */
export interface RequestObservation {
  /** `get`, `list`, `watch`, … */
  readonly verb: string;
  readonly method: string;
  /** The server, with its port. */
  readonly host: string;
  /** The status code, or `<error>` when there was no answer. */
  readonly code: string;
  /** Milliseconds until the answer was there; for a stream, until it began. */
  readonly duration: number;
}

export type RequestObserver = (observation: RequestObservation) => void;

/** Middleware that reports requests. */
export function observing(observer: RequestObserver, host: string, clock: Clock = systemClock): Middleware {
  return (next) => (request) => {
    const started = clock.monotonic();
    const report = (code: string): void => {
      const { verb } = requestInfo(request);
      observer({ verb, method: request.method, host, code, duration: clock.monotonic() - started });
    };
    return next(request).then(
      (response) => {
        report(String(response.status));
        return response;
      },
      (error: unknown) => {
        report("<error>");
        throw error;
      },
    );
  };
}

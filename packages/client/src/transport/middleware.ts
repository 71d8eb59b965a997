import type { Transport } from "@kubewright/api";

/**
 * Wraps a transport: to log, to trace, to inject a fault, to change a request or its answer.
 *
 * @example
 * const logged: Middleware = (next) => async (request) => {
 *   const response = await next(request);
 *   log(`${request.method} ${request.path} ${response.status}`);
 *   return response;
 * };
 */
export type Middleware = (next: Transport) => Transport;

/** The transport behind its middleware; the first sees a request first. */
export function wrapTransport(transport: Transport, middleware: readonly Middleware[]): Transport {
  return middleware.reduceRight((next, wrap) => wrap(next), transport);
}

/** The reason why no response arrived. */
export type ConnectionProblem =
  /** Nothing listens on that address. */
  | "refused"
  /** The name does not resolve, or there is no route. */
  | "unreachable"
  /** The certificate, ours or theirs, is not accepted. */
  | "tls"
  /** The proxy on the way would not connect. */
  | "proxy"
  /** The connection ended before the answer did. */
  | "closed"
  /** The response is not of the form this call expects. */
  | "malformed";

/** There was no usable answer. The message names the call, the cluster and, where there is one, the remedy. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  readonly problem: ConnectionProblem;

  constructor(message: string, problem: ConnectionProblem, options?: ErrorOptions) {
    super(message, options);
    this.problem = problem;
  }
}

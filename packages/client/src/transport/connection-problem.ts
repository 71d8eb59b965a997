// Errors of sockets, TLS and undici in the words of someone who wants to know what to do.
import { TimeoutError } from "@kubewright/api";
import { ConfigError } from "../config-error.js";
import { ConnectionError } from "../connection-error.js";
import { MalformedAnswerError } from "./response-reader.js";

/** The other end of the connection, for messages. */
export interface Peer {
  /** `cluster kind-dev (https://127.0.0.1:6443)`. */
  readonly cluster: string;
  readonly headersTimeout: number;
  readonly bodyTimeout: number;
}

const unknownAuthority =
  "its certificate is signed by an unknown authority; set certificate-authority(-data) of the cluster";

const tlsProblems: ReadonlyMap<string, string> = new Map([
  ["DEPTH_ZERO_SELF_SIGNED_CERT", unknownAuthority],
  ["SELF_SIGNED_CERT_IN_CHAIN", unknownAuthority],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", unknownAuthority],
  ["UNABLE_TO_GET_ISSUER_CERT", unknownAuthority],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", unknownAuthority],
  ["CERT_SIGNATURE_FAILURE", unknownAuthority],
  ["CERT_HAS_EXPIRED", "its certificate has expired; renew it, or check this machine's clock"],
  ["CERT_NOT_YET_VALID", "its certificate is not yet valid; check this machine's clock"],
  [
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "its certificate is for another name; use that name, or set tls-server-name",
  ],
  ["ERR_SSL_WRONG_VERSION_NUMBER", "it does not speak TLS; is the address http:// rather than https://?"],
  ["ERR_SSL_PACKET_LENGTH_TOO_LONG", "it does not speak TLS; is the address http:// rather than https://?"],
]);

const clientCertificateRefused = /alert (certificate|unknown ca|bad certificate|handshake failure)/i;

/** Describes a failure to connect. Such a request was never sent. */
export function connectProblem(peer: Peer, error: Error): Error {
  if (error instanceof ConnectionError || error instanceof ConfigError) return error;
  const code = codeOf(error);
  const tls = tlsProblem(error, code);
  if (tls !== undefined) return new ConnectionError(`${peer.cluster}: ${tls}`, "tls", { cause: error });
  if (code === "ECONNREFUSED") {
    const remedy = "is the API server running, and is its address right?";
    return new ConnectionError(`${peer.cluster}: connection refused; ${remedy}`, "refused", { cause: error });
  }
  const what = code === "ENOTFOUND" || code === "EAI_AGAIN" ? "its name does not resolve" : "cannot connect";
  const detail = code === "" ? "" : ` (${code})`;
  return new ConnectionError(
    `${peer.cluster}: ${what}${detail}; check the address, the network and any proxy`,
    "unreachable",
    { cause: error },
  );
}

/** Describes a failure on a connection that stood. */
export function exchangeProblem(peer: Peer, error: Error): Error {
  if (error instanceof ConnectionError || error instanceof ConfigError) return error;
  const code = codeOf(error);
  if (code === "UND_ERR_HEADERS_TIMEOUT") {
    return new TimeoutError(`${peer.cluster}: no answer in ${peer.headersTimeout} ms`, { cause: error });
  }
  if (code === "UND_ERR_BODY_TIMEOUT") {
    return new TimeoutError(`${peer.cluster}: the answer stopped for ${peer.bodyTimeout} ms`, {
      cause: error,
    });
  }
  if (code === "UND_ERR_INVALID_ARG") return new ConfigError(`${peer.cluster}: ${error.message}`);
  if (code === "UND_ERR_CLOSED" || code === "UND_ERR_DESTROYED") {
    return new ConnectionError(`${peer.cluster}: this client was closed`, "closed", { cause: error });
  }
  if (error.name === "HTTPParserError" || error instanceof MalformedAnswerError) {
    // Without its cause, which holds what was received.
    return new ConnectionError(`${peer.cluster}: the answer is not HTTP`, "malformed");
  }
  const tls = tlsProblem(error, code);
  if (tls !== undefined) return new ConnectionError(`${peer.cluster}: ${tls}`, "tls", { cause: error });
  const detail = code === "" || code.startsWith("UND_") ? "" : ` (${code})`;
  const message = `${peer.cluster}: the connection was closed before the answer was complete${detail}`;
  return new ConnectionError(message, "closed", { cause: error });
}

function tlsProblem(error: Error, code: string): string | undefined {
  const known = tlsProblems.get(code);
  if (known !== undefined) return known;
  if (clientCertificateRefused.test(error.message)) {
    return "it refused the client certificate; is it of the right user, and still valid?";
  }
  return code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_") ? `TLS failed (${code})` : undefined;
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

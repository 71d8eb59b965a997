// Node's errors as people who know Go's search for them.
import { isIP } from "node:net";

/** The fields that TLS and sockets add to an error. */
interface ConnectionError extends NodeJS.ErrnoException {
  readonly address?: string;
  readonly port?: number;
  /** The host that the certificate was checked against. */
  readonly host?: string;
  readonly cert?: { readonly subjectaltname?: string };
}

export function goErrorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const failure: ConnectionError = error;
  const { code, address, port } = failure;
  if (code === "ECONNREFUSED") return `dial tcp ${address}:${port}: connect: connection refused`;
  if (code === "ENOTFOUND") return `dial tcp: lookup ${error.message.split(" ").at(-1)}: no such host`;
  if (code === "ECONNRESET") return "EOF";
  if (code === "EPROTO" && error.message.includes("wrong version number"))
    return "http: server gave HTTP response to HTTPS client";
  const reason = certificateProblem(failure);
  return reason === undefined ? error.message : `tls: failed to verify certificate: x509: ${reason}`;
}

const untrusted: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** Undefined where it is none. */
function certificateProblem(error: ConnectionError): string | undefined {
  const { code = "", message } = error;
  if (untrusted.has(code)) return "certificate signed by unknown authority";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return wrongName(error);
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID")
    return "certificate has expired or is not yet valid";
  return /CERT|SIGNED|SIGNATURE/.test(code) ? message : undefined;
}

function wrongName({ host = "", cert }: ConnectionError): string {
  const alternatives = (cert?.subjectaltname ?? "").split(", ");
  const named = (prefix: string): string[] =>
    alternatives.filter((each) => each.startsWith(prefix)).map((each) => each.slice(prefix.length));
  if (isIP(host)) {
    const addresses = named("IP Address:");
    if (addresses.length === 0)
      return `cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
    return `certificate is valid for ${addresses.join(", ")}, not ${host}`;
  }
  const names = named("DNS:");
  if (names.length > 0) return `certificate is valid for ${names.join(", ")}, not ${host}`;
  return `certificate is not valid for any names, but wanted to match ${host}`;
}

// Errors of connections that a proxy makes, in Go's words.
import { goErrorText } from "../../listener/go-error-text.js";
import { hostOf, type ProxyLocation } from "./proxy-location.js";

const connectErrors: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connect: connection refused",
  EHOSTUNREACH: "connect: no route to host",
  ENETUNREACH: "connect: network is unreachable",
  ETIMEDOUT: "i/o timeout",
};

export function dialErrorText(error: unknown, location: ProxyLocation): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "EPROTO" && location.scheme === "https" && /wrong version number/.test(String(error)))
    return "tls: first record does not look like a TLS handshake";
  const text = Object.hasOwn(connectErrors, code) ? connectErrors[code] : undefined;
  const port = location.port || (location.scheme === "https" ? "443" : "80");
  return text === undefined ? goErrorText(error) : `dial tcp ${hostOf({ ...location, port })}: ${text}`;
}

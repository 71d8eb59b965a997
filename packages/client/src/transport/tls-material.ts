// The certificates and keys of a TLS connection, checked when they are loaded: a bad PEM is a mistake in the configuration
// and should be reported as one, not as a failure of the first request.
import { createPrivateKey, X509Certificate } from "node:crypto";
import type { SecureContext } from "node:tls";
import { createSecureContext } from "node:tls";
import { ConfigError } from "../config-error.js";

/** PEM texts and how to use them. */
export interface TlsMaterial {
  /** The CAs that the server's certificate may be signed by. Default: those of the system. */
  readonly ca?: string | undefined;
  /** The client's certificate (with its chain) and key. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** The name the server's certificate is checked against, when it is not that of its address. */
  readonly serverName?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
}

/** A context for connections, or a ConfigError that says which part is bad. The parts themselves are never shown. */
export function secureContext(cluster: string, { ca, cert, key }: TlsMaterial): SecureContext {
  if (ca !== undefined)
    check(`${cluster}: the certificate authority is not PEM`, () => new X509Certificate(ca));
  if (cert !== undefined) {
    check(`${cluster}: the client certificate is not PEM`, () => new X509Certificate(cert));
  }
  if (key !== undefined) check(`${cluster}: the client key is not PEM`, () => createPrivateKey(key));
  if ((cert === undefined) !== (key === undefined)) {
    throw new ConfigError(`${cluster}: a client certificate and its key are needed together`);
  }
  return check(`${cluster}: the client certificate and key do not fit together`, () =>
    // As Go does, trust any certificate of the bundle, and not only roots that signed themselves.
    createSecureContext({ ca, cert, key, allowPartialTrustChain: true }),
  );
}

function check<T>(message: string, parse: () => T): T {
  try {
    return parse();
  } catch {
    // The cause is dropped on purpose: OpenSSL's messages may quote what it was given.
    throw new ConfigError(message);
  }
}

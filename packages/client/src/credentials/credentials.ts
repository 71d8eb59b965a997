// The identity of the client to the server. Its credentials may change while it runs (tokens and certificates rotate,
// plugins issue new ones), so they are asked for before each request and notified when they were refused.

/** The credentials of a request. Never to be logged. */
export interface Credential {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** PEM texts of a client certificate and its key. */
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
}

/** A source of tokens or client certificates, which is asked again when they expire or are refused. */
export interface Credentials {
  /** The credentials of the next request; cheap when nothing has changed. */
  current(): Credential | Promise<Credential>;
  /** The server answered 401 to this one. True when `current()` may now have a better one. */
  renew?(rejected: Credential): Promise<boolean>;
}

/** Credentials that never change. */
export function staticCredentials(credential: Credential): Credentials {
  return { current: () => credential };
}

/** `Authorization: Bearer …` */
export function bearer(token: string): Credential {
  return { headers: { authorization: `Bearer ${token}` } };
}

/** `Authorization: Basic …` */
export function basic(username: string, password: string): Credential {
  return {
    headers: { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` },
  };
}

// Who the client is to the server. What authenticates it may change while it runs (tokens and certificates rotate,
// plugins issue new ones), so it is asked for before each request and told when it was refused.

/** What authenticates a request. Never to be logged. */
export interface Credential {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** PEM texts of a client certificate and its key. */
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
}

/** A source of credentials. */
export interface Credentials {
  /** What the next request carries; cheap when nothing has changed. */
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

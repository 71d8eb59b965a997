// Requests to a registry with its credentials: as the distribution specification has it, the registry names in its refusal how to
// authenticate, by name and password or by a token that another server issues.
import { isObject } from "@kubewright/api";
import type { Credentials } from "./credentials.js";
import { isLoopback } from "./reference.js";
import { TemporaryError, UnreachableError } from "./retry.js";

export interface SessionOptions {
  /** Default: anonymous. */
  readonly credentials?: Credentials | undefined;
  /** `repository:team/operator:pull,push`: what a token is asked for. */
  readonly scopes: readonly string[];
}

const mostRedirects = 5;
const requestTimeout = 15 * 60_000;

/** Keeps the authorization from one request to the next. */
export class RegistrySession {
  readonly #origin: string;
  readonly #options: SessionOptions;
  #authorization: string | undefined;

  constructor(origin: string, options: SessionOptions) {
    this.#origin = origin;
    this.#options = options;
  }

  /** Sends a request, and once more when the registry has named how to authenticate. */
  async call(url: string, init: RequestInit = {}): Promise<Response> {
    const first = await this.#follow(url, init);
    // Another server, to which the registry has sent us, learns nothing that is meant for the registry.
    if (first.status !== 401 || !this.#isOwn(url)) return first;
    const authorization = await this.#authorize(first.headers.get("www-authenticate") ?? "");
    if (authorization === undefined || authorization === this.#authorization) return first;
    await first.body?.cancel();
    this.#authorization = authorization;
    return this.#follow(url, init);
  }

  /** Redirects of reads are followed here, so that the authorization goes to the registry alone. */
  async #follow(url: string, init: RequestInit): Promise<Response> {
    const isRead = init.method === undefined || init.method === "GET" || init.method === "HEAD";
    let address = url;
    for (let redirects = 0; ; redirects += 1) {
      const response = await this.#send(address, init);
      const location = response.headers.get("location");
      if (!isRead || location === null || ![301, 302, 303, 307, 308].includes(response.status))
        return response;
      await response.body?.cancel();
      if (redirects === mostRedirects) throw new Error(`${this.#origin} redirects without end: ${url}`);
      address = new URL(location, address).href;
    }
  }

  #send(url: string, init: RequestInit): Promise<Response> {
    const isOwn = this.#isOwn(url);
    const { protocol, hostname, origin } = new URL(url);
    if (!isOwn && protocol !== "https:" && !(protocol === "http:" && isLoopback(hostname)))
      throw new Error(`${this.#origin} redirects to ${origin}, which is not HTTPS; nothing was sent there`);
    const authorization = isOwn ? this.#authorization : undefined;
    const headers = { ...init.headers, ...(authorization ? { authorization } : {}) };
    return send(url, { ...init, headers, redirect: "manual" });
  }

  #isOwn(url: string): boolean {
    return new URL(url).origin === this.#origin;
  }

  async #authorize(challenge: string): Promise<string | undefined> {
    const { scheme, parameters } = parseChallenge(challenge);
    const { credentials } = this.#options;
    if (scheme === "basic") return credentials?.kind === "password" ? basic(credentials) : undefined;
    if (scheme !== "bearer") return undefined;
    if (credentials?.kind === "registry-token") return `Bearer ${credentials.token}`;
    return this.#token(parameters);
  }

  async #token(parameters: ReadonlyMap<string, string>): Promise<string | undefined> {
    const address = parameters.get("realm") ?? "";
    if (!URL.canParse(address)) return undefined;
    const realm = new URL(address);
    const { credentials } = this.#options;
    if (credentials && !this.#mayHaveSecrets(realm))
      throw new Error(
        `the registry wants the password sent to ${realm.origin}, which is not HTTPS; it was not`,
      );
    const [url, init] = this.#tokenRequest(realm, parameters);
    const answer = await send(url, init);
    if (!answer.ok)
      throw failure(
        answer,
        `${realm.origin} issues no token: it answers ${answer.status}${loginRemedy(credentials)}`,
      );
    const token = tokenIn(await answer.json().catch(() => undefined));
    if (token === undefined) throw new Error(`${realm.origin} issues no token: its answer has none`);
    return `Bearer ${token}`;
  }

  /** A user who allows HTTP for the registry also allows it for a realm on the same host. */
  #mayHaveSecrets({ protocol, hostname, origin }: URL): boolean {
    return protocol === "https:" || isLoopback(hostname) || origin === this.#origin;
  }

  /** What the registry asks for comes on top of what we know to need, so that one token does for all requests. */
  #tokenRequest(realm: URL, parameters: ReadonlyMap<string, string>): [url: string, init: RequestInit] {
    const { credentials, scopes } = this.#options;
    const asked = parameters.get("scope")?.split(" ") ?? [];
    const wanted = [...scopes, ...asked.filter((scope) => !scopes.some((own) => includes(own, scope)))];
    const service = parameters.get("service");
    if (credentials?.kind === "identity-token") {
      const form = new URLSearchParams({
        grant_type: "refresh_token",
        refresh_token: credentials.token,
        client_id: "kubewright",
        scope: wanted.join(" "),
        ...(service === undefined ? {} : { service }),
      });
      return [realm.href, { method: "POST", body: form }];
    }
    if (service !== undefined) realm.searchParams.set("service", service);
    for (const scope of wanted) realm.searchParams.append("scope", scope);
    const headers = credentials?.kind === "password" ? { authorization: basic(credentials) } : {};
    return [realm.href, { headers }];
  }
}

const basic = ({ username, password }: Credentials & { kind: "password" }): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;

/** `repository:a:pull,push` includes `repository:a:pull`. */
function includes(own: string, other: string): boolean {
  const split = (scope: string) => [
    scope.slice(0, scope.lastIndexOf(":")),
    scope.slice(scope.lastIndexOf(":") + 1),
  ];
  const [[name, actions = ""], [otherName, otherActions = ""]] = [split(own), split(other)];
  return name === otherName && otherActions.split(",").every((action) => actions.split(",").includes(action));
}

/** What to do about a refused login. */
export const loginRemedy = (credentials: Credentials | undefined): string =>
  credentials === undefined
    ? "; log in with docker login, or give REGISTRY_AUTH=user:password"
    : "; are the credentials (REGISTRY_AUTH, docker login) right?";

/** A connection that fails names the host and the reason, and may be tried again. */
async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { signal: AbortSignal.timeout(requestTimeout), ...init });
  } catch (error) {
    const message = `${new URL(url).host} cannot be reached: ${reasonOf(error)}`;
    const isLasting = /ECONNREFUSED|ENOTFOUND|CERT/.test(codeOf(error));
    throw new (isLasting ? UnreachableError : TemporaryError)(message, { cause: error });
  }
}

/** `ECONNRESET`, `DEPTH_ZERO_SELF_SIGNED_CERT`; empty where there is none. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "";
}

/** `fetch failed` has the reason in its cause. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || ("code" in cause ? String(cause.code) : cause.name);
}

/** An error for an answer that is none, temporary if the status is. */
export function failure(answer: Response, message: string): Error {
  if (![408, 429, 500, 502, 503, 504].includes(answer.status)) return new Error(message);
  const seconds = Number(answer.headers.get("retry-after") ?? Number.NaN);
  return new TemporaryError(message, { retryAfter: seconds >= 0 ? seconds * 1000 : undefined });
}

function tokenIn(answer: unknown): string | undefined {
  if (!isObject(answer)) return undefined;
  const token = answer["token"] ?? answer["access_token"];
  return typeof token === "string" && /^[\x21-\x7e]+$/.test(token) ? token : undefined;
}

/** `Bearer realm="https://auth.example.com/token",service="registry"`, taken apart. */
export function parseChallenge(header: string): {
  readonly scheme: string;
  readonly parameters: ReadonlyMap<string, string>;
} {
  const [, scheme = "", rest = ""] = /^\s*([A-Za-z]+)\s*(.*)$/.exec(header) ?? [];
  const pairs = rest.matchAll(/([a-z_]+)\s*=\s*(?:"([^"]*)"|([^\s,]+))/gi);
  return {
    scheme: scheme.toLowerCase(),
    parameters: new Map(
      [...pairs].map(([, key = "", quoted, plain]) => [key.toLowerCase(), quoted ?? plain ?? ""]),
    ),
  };
}

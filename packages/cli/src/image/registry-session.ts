// Requests to a registry by somebody it knows: as the distribution specification has it, the registry says how to log in when it
// refuses, by name and password or by a token that another server gives out.

export interface SessionOptions {
  /** `user:password`; nobody in particular where there are none. */
  readonly credentials?: string | undefined;
  /** `repository:team/operator:pull,push`: what a token is asked for. */
  readonly scope: string;
}

/** Keeps how to log in from one request to the next. */
export class RegistrySession {
  readonly #origin: string;
  readonly #options: SessionOptions;
  #authorization: string | undefined;

  constructor(origin: string, options: SessionOptions) {
    this.#origin = origin;
    this.#options = options;
  }

  /** Asks, and asks once more when the registry has said how to log in. */
  async call(url: string, init: RequestInit = {}): Promise<Response> {
    const first = await this.#send(url, init);
    // Another server that uploads go to is told nothing that is meant for the registry.
    if (first.status !== 401 || !this.#isOwn(url)) return first;
    const answer = await this.#answerTo(first.headers.get("www-authenticate") ?? "");
    if (answer === undefined || answer === this.#authorization) return first;
    await first.body?.cancel();
    this.#authorization = answer;
    return this.#send(url, init);
  }

  #send(url: string, init: RequestInit): Promise<Response> {
    const authorization = this.#isOwn(url) ? this.#authorization : undefined;
    return fetch(url, { ...init, headers: { ...init.headers, ...(authorization ? { authorization } : {}) } });
  }

  #isOwn(url: string): boolean {
    return new URL(url).origin === this.#origin;
  }

  async #answerTo(challenge: string): Promise<string | undefined> {
    const { scheme, parameters } = parseChallenge(challenge);
    if (scheme === "basic") return this.#basic();
    return scheme === "bearer" ? this.#bearer(parameters) : undefined;
  }

  #basic(): string | undefined {
    const { credentials } = this.#options;
    return credentials && `Basic ${Buffer.from(credentials).toString("base64")}`;
  }

  async #bearer(parameters: ReadonlyMap<string, string>): Promise<string | undefined> {
    const address = parameters.get("realm") ?? "";
    if (!URL.canParse(address)) return undefined;
    const realm = new URL(address);
    const basic = this.#basic();
    if (basic && !isPrivate(realm))
      throw new Error(
        `the registry wants the password sent to ${realm.origin}, for anybody to read; it was not`,
      );
    const service = parameters.get("service");
    if (service !== undefined) realm.searchParams.set("service", service);
    realm.searchParams.set("scope", parameters.get("scope") ?? this.#options.scope);
    const answer = await fetch(realm, basic ? { headers: { authorization: basic } } : {});
    if (!answer.ok)
      throw new Error(`${realm.origin} gives no token: it answers ${answer.status}${remedy(basic)}`);
    const token = tokenIn(await answer.json());
    if (token === undefined) throw new Error(`${realm.origin} gives no token: its answer has none`);
    return `Bearer ${token}`;
  }
}

const remedy = (credentials: string | undefined): string =>
  credentials === undefined ? "; give REGISTRY_AUTH=user:password" : "; is REGISTRY_AUTH right?";

const isPrivate = ({ protocol, hostname }: URL): boolean =>
  protocol === "https:" || hostname === "localhost" || hostname === "127.0.0.1";

function tokenIn(answer: unknown): string | undefined {
  if (typeof answer !== "object" || answer === null) return undefined;
  const fields = new Map<string, unknown>(Object.entries(answer));
  const token = fields.get("token") ?? fields.get("access_token");
  return typeof token === "string" && token !== "" ? token : undefined;
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

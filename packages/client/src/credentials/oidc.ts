// OpenID Connect, as `auth-provider: oidc` of a kubeconfig describes it: an id token that is used until it expires, and
// a refresh token to get the next one with from the issuer.
import { type Clock, isObject, systemClock, type TransportResponse } from "@kubewright/api";
import { collectBody, decodeBody } from "../body.js";
import { ConfigError } from "../config-error.js";
import { undiciTransport } from "../transport/undici-transport.js";
import { bearer, type Credential, type Credentials } from "./credentials.js";

/** Options of credentials from an OpenID Connect issuer. */
export interface OidcOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly idToken?: string | undefined;
  readonly refreshToken?: string | undefined;
  /** PEM text of who may sign the issuer's certificate. */
  readonly issuerCa?: string | (() => Promise<string | undefined>) | undefined;
  readonly clock?: Clock | undefined;
  /** Called with new tokens, to keep them for the next start. */
  readonly onTokens?: ((tokens: OidcTokens) => void) | undefined;
}

/** The tokens of an issuer. Never to be logged. */
export interface OidcTokens {
  readonly idToken: string;
  readonly refreshToken: string | undefined;
}

/** A token about to expire is not worth sending. */
const leeway = 10_000;

/** Sends the id token; gets a new one when it has expired or was refused. */
export function oidcCredentials(options: OidcOptions): Credentials {
  const clock = options.clock ?? systemClock;
  let { idToken, refreshToken } = options;
  let credential: Credential | undefined = idToken === undefined ? undefined : bearer(idToken);
  let refreshing: Promise<Credential> | undefined;
  const refresh = async (): Promise<Credential> => {
    const tokens = await requestTokens(options, refreshToken);
    ({ idToken } = tokens);
    refreshToken = tokens.refreshToken ?? refreshToken;
    options.onTokens?.({ idToken: tokens.idToken, refreshToken });
    credential = bearer(tokens.idToken);
    return credential;
  };
  const refreshOnce = (): Promise<Credential> => {
    refreshing ??= refresh().finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  };
  return {
    current: () => {
      const valid = idToken !== undefined && clock.now() + leeway < expiryOf(idToken);
      return valid && credential ? credential : refreshOnce();
    },
    async renew(rejected) {
      if (refreshToken === undefined) return false;
      if (rejected === credential) await refreshOnce();
      return true;
    },
  };
}

async function requestTokens(options: OidcOptions, refreshToken: string | undefined): Promise<OidcTokens> {
  const fail = (problem: string): ConfigError => new ConfigError(`OIDC issuer ${options.issuer}: ${problem}`);
  if (refreshToken === undefined)
    throw fail("the id token has expired and there is no refresh token; log in again");
  const issuer = options.issuer.replace(/\/+$/, "");
  const discovered = await ask(options, `${issuer}/.well-known/openid-configuration`);
  const endpoint = isObject(discovered.value) ? discovered.value["token_endpoint"] : undefined;
  if (typeof endpoint !== "string")
    throw fail(`does not say where its tokens are (HTTP ${discovered.status})`);
  const answer = await ask(options, endpoint, {
    grant_type: "refresh_token",
    refresh_token: refreshToken,
    client_id: options.clientId,
    ...(options.clientSecret !== undefined && { client_secret: options.clientSecret }),
  });
  const value = isObject(answer.value) ? answer.value : {};
  if (answer.status !== 200) {
    const reason = typeof value["error"] === "string" ? `, ${value["error"]}` : "";
    throw fail(`would not refresh the token (HTTP ${answer.status}${reason}); log in again`);
  }
  if (typeof value["id_token"] !== "string") throw fail("answered without an id token");
  const next = value["refresh_token"];
  return { idToken: value["id_token"], refreshToken: typeof next === "string" ? next : undefined };
}

async function ask(options: OidcOptions, address: string, form?: Record<string, string>) {
  const url = new URL(address);
  const transport = undiciTransport({
    server: url.origin,
    cluster: `OIDC issuer ${url.origin}`,
    ca: options.issuerCa,
    answerTimeout: 30_000,
  });
  try {
    const response = await transport({
      method: form ? "POST" : "GET",
      path: url.pathname,
      query: url.searchParams,
      headers: {
        accept: "application/json",
        ...(form && { "content-type": "application/x-www-form-urlencoded" }),
      },
      ...(form && { body: { kind: "bytes", bytes: Buffer.from(new URLSearchParams(form).toString()) } }),
    });
    return { status: response.status, value: await readAnswer(response) };
  } finally {
    await transport.close();
  }
}

async function readAnswer(response: TransportResponse): Promise<unknown> {
  return decodeBody(await collectBody(response.body)).value;
}

/** The time when a JSON web token expires; a token that cannot be read counts as expired. */
function expiryOf(token: string): number {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
    const expires = isObject(claims) ? claims["exp"] : undefined;
    return typeof expires === "number" ? expires * 1000 : 0;
  } catch {
    return 0;
  }
}

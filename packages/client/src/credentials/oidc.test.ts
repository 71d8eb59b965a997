import { VirtualClock } from "@kubewright/api";
import { afterEach, describe, expect, it } from "vitest";
import { json, type Loopback, loopback, testAuthority } from "../fixtures/loopback-server.js";
import { type OidcOptions, type OidcTokens, oidcCredentials } from "./oidc.js";

const start = Date.UTC(2026, 0, 1);
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A token that expires some seconds after the start. */
const token = (seconds: number, id = ""): string =>
  `${encode({ alg: "none" })}.${encode({ exp: start / 1000 + seconds, id })}.sig`;

const authority = testAuthority();
let issuer: Loopback | undefined;
afterEach(() => issuer?.close());

async function issue(answer: (form: URLSearchParams) => { status?: number; body: unknown }) {
  const forms: URLSearchParams[] = [];
  issuer = await loopback(async (request, response) => {
    if (request.url === "/realm/.well-known/openid-configuration") {
      return json(response, { token_endpoint: `${issuer!.url}/token` });
    }
    const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
    forms.push(form);
    const { status = 200, body } = answer(form);
    json(response, body, status);
  }, authority.server());
  return forms;
}

function source(options: Partial<OidcOptions>) {
  return oidcCredentials({
    issuer: `${issuer?.url ?? "https://issuer"}/realm/`,
    clientId: "kube",
    issuerCa: authority.ca,
    ...options,
  });
}

describe("OpenID Connect", () => {
  it("uses the id token while it is valid", async () => {
    const idToken = token(600);
    const credentials = source({ idToken, clock: new VirtualClock({ start }) });
    expect(await credentials.current()).toEqual({ headers: { authorization: `Bearer ${idToken}` } });
  });

  it("refreshes it when it has expired, once for calls at once, and keeps the new refresh token", async () => {
    let count = 0;
    const forms = await issue(() => ({
      body: { id_token: token(3600 * ++count, String(count)), refresh_token: `r${count}` },
    }));
    const clock = new VirtualClock({ start });
    const reported: OidcTokens[] = [];
    const credentials = source({
      idToken: token(5),
      refreshToken: "r0",
      clientSecret: "cs",
      clock,
      onTokens: (tokens) => reported.push(tokens),
    });
    const [a, b] = await Promise.all([credentials.current(), credentials.current()]);
    expect(a).toBe(b);
    expect(Object.fromEntries(forms[0]!)).toEqual({
      grant_type: "refresh_token",
      refresh_token: "r0",
      client_id: "kube",
      client_secret: "cs",
    });
    await clock.advance(3600_000);
    expect(await credentials.current()).not.toEqual(a);
    expect(forms[1]!.get("refresh_token")).toBe("r1");
    expect(reported.map((tokens) => tokens.refreshToken)).toEqual(["r1", "r2"]);
  });

  it("refreshes it when the server refuses it", async () => {
    await issue(() => ({ body: { id_token: token(600, "new") } }));
    const credentials = source({
      idToken: token(600, "old"),
      refreshToken: "r",
      clock: new VirtualClock({ start }),
    });
    const old = await credentials.current();
    expect(await credentials.renew!(old)).toBe(true);
    expect(await credentials.current()).not.toEqual(old);
  });

  it("has nothing better without a refresh token", async () => {
    const credentials = source({ idToken: token(600), clock: new VirtualClock({ start }) });
    expect(await credentials.renew!(await credentials.current())).toBe(false);
  });

  const faults: [string, Partial<OidcOptions>, { status?: number; body: unknown }, string][] = [
    ["no refresh token", { idToken: token(-1) }, { body: {} }, "there is no refresh token; log in again"],
    ["an unreadable token", { idToken: "x" }, { body: {} }, "there is no refresh token; log in again"],
    [
      "a refusal",
      { refreshToken: "s3cret" },
      { status: 400, body: { error: "invalid_grant" } },
      "would not refresh the token (HTTP 400, invalid_grant); log in again",
    ],
    ["no id token", { refreshToken: "s3cret" }, { body: { access_token: "s3cret" } }, "without an id token"],
    ["a page", { refreshToken: "s3cret" }, { body: "<html>" }, "without an id token"],
  ];

  it.each(faults)("reports %s", async (_what, options, answer, message) => {
    await issue(() => answer);
    const failure = Promise.resolve(source({ ...options, clock: new VirtualClock({ start }) }).current());
    await expect(failure).rejects.toMatchObject({ name: "ConfigError" });
    await expect(failure).rejects.toThrow(message);
    await expect(failure).rejects.not.toThrow("s3cret");
  });

  it("reports an issuer whose certificate is not trusted", async () => {
    await issue(() => ({ body: {} }));
    const failure = Promise.resolve(
      source({ refreshToken: "r", issuerCa: testAuthority("other").ca }).current(),
    );
    await expect(failure).rejects.toThrow(/OIDC issuer https:.*unknown authority/);
  });
});

import { describe, expect, it } from "vitest";
import { accessServer, user } from "./fixtures/access-server.js";

describe("service account issuer discovery", () => {
  const robot = user("system:serviceaccount:a:b", "system:serviceaccounts");

  it("returns issuer and keys to service accounts", async () => {
    const { ask } = accessServer();
    const options = { as: robot, headers: { host: "127.0.0.1:6443" } };
    const { body, headers } = await ask("GET", "/.well-known/openid-configuration", undefined, options);
    expect(headers).toEqual({ "content-type": "application/json", "cache-control": "public, max-age=3600" });
    expect(body).toEqual({
      issuer: "https://kubernetes.default.svc",
      jwks_uri: "https://127.0.0.1:6443/openid/v1/jwks",
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256"],
    });
    const keys = await ask("GET", "/openid/v1/jwks", undefined, options);
    expect(keys.headers["content-type"]).toBe("application/jwk-set+json");
    expect(keys.body.keys).toEqual([expect.objectContaining({ kty: "EC", use: "sig" })]);
    expect(keys.body.keys[0]).not.toHaveProperty("d");
  });

  it("is refused to others", async () => {
    const { ask } = accessServer();
    expect((await ask("GET", "/openid/v1/jwks", undefined, { as: user("jane") })).status).toBe(403);
  });
});

import { VirtualClock } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { accessServer } from "./fixtures/access-server.js";
import { parseToken } from "./json-web-token.js";
import { SigningKeys } from "./signing-keys.js";

const parsed = (token: string) => parseToken(token) ?? expect.fail("not a token");

describe("service account signing keys", () => {
  test("are accepted for a while after rotation", async () => {
    const clock = new VirtualClock();
    const keys = new SigningKeys(clock);
    const old = parsed(keys.sign({ a: 1 }));
    keys.rotate(undefined, 1000);
    const young = parsed(keys.sign({ a: 1 }));
    expect(young.keyId).not.toBe(old.keyId);
    expect(keys.jwks.map(({ kid }) => kid)).toEqual([young.keyId, old.keyId]);
    expect([keys.signerOf(old), keys.signerOf(young)]).toEqual([old.keyId, young.keyId]);
    await clock.advance(1000);
    expect([keys.signerOf(old), keys.signerOf(young)]).toEqual([undefined, young.keyId]);
    expect(keys.jwks).toHaveLength(1);
  });

  test("are found by the key ID of a token, and no other key is tried", () => {
    const keys = new SigningKeys(new VirtualClock());
    const token = parsed(keys.sign({ a: 1 }));
    expect(keys.signerOf({ ...token, keyId: undefined })).toBe(token.keyId);
    expect(keys.signerOf({ ...token, keyId: "other" })).toBeUndefined();
    expect(new SigningKeys(new VirtualClock()).signerOf({ ...token, keyId: undefined })).toBeUndefined();
  });
});

test("rotated service account key: tokens of the former key are accepted for acceptFor", async () => {
  const { server, ask, clock } = accessServer();
  const home = "/api/v1/namespaces/default/serviceaccounts";
  await ask("POST", home, { metadata: { name: "x" } });
  const newToken = async (): Promise<string> =>
    (await ask("POST", `${home}/x/token`, { spec: { expirationSeconds: 90_000 } })).body.status.token;
  const statusOf = async (token: string) => (await ask("GET", "/version", undefined, { token })).status;
  const old = await newToken();
  expect(await statusOf(old)).toBe(200);
  server.rotateServiceAccountKey({ acceptFor: 3_600_000 });
  const young = await newToken();
  expect([await statusOf(old), await statusOf(young)]).toEqual([200, 200]);
  const { body } = await ask("GET", "/openid/v1/jwks");
  expect(body.keys).toHaveLength(2);
  await clock.advance(3_600_000);
  expect([await statusOf(old), await statusOf(young)]).toEqual([401, 200]);
  server.close();
});

import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { VirtualClock } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { MemoryStorage } from "../storage/index.js";
import { ServiceAccountTokens, type TokenSubject } from "./service-account-tokens.js";
import { apiAudiences, InvalidToken } from "./token-authenticator.js";

const minute = 60_000;

function tokens(privateKey?: string) {
  const storage = new MemoryStorage();
  const clock = new VirtualClock();
  let uid = 0;
  const put = (resource: string, key: string, id: string, metadata: object = {}) => {
    const name = key.split("/").at(-1) ?? "";
    storage.put(
      resource,
      key,
      { apiVersion: "v1", kind: "X", metadata: { name, uid: id, ...metadata } },
      "any",
    );
  };
  put("serviceaccounts", "blue/robot", "sa-1");
  const services = { storage, clock, newUid: () => `uid-${++uid}` };
  return { storage, clock, put, tokens: new ServiceAccountTokens(services, privateKey) };
}

const subject: TokenSubject = { namespace: "blue", serviceaccount: { name: "robot", uid: "sa-1" } };
const terms = { audiences: apiAudiences, seconds: 600 };
const payload = (token: string) => JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());

describe("service account tokens", () => {
  it("name their subject and audience, and are accepted", () => {
    const { tokens: made } = tokens();
    const token = made.issue(subject, terms).token;
    const now = Date.UTC(2026, 0, 1) / 1000;
    expect(payload(token)).toEqual({
      aud: ["https://kubernetes.default.svc"],
      exp: now + 600,
      iat: now,
      iss: "https://kubernetes.default.svc",
      jti: "uid-1",
      "kubernetes.io": { namespace: "blue", serviceaccount: { name: "robot", uid: "sa-1" } },
      nbf: now,
      sub: "system:serviceaccount:blue:robot",
    });
    expect(made.authenticate(token, apiAudiences)).toEqual({
      audiences: apiAudiences,
      user: {
        name: "system:serviceaccount:blue:robot",
        uid: "sa-1",
        groups: ["system:serviceaccounts", "system:serviceaccounts:blue", "system:authenticated"],
        extra: { "authentication.kubernetes.io/credential-id": ["JTI=uid-1"] },
      },
    });
  });

  it("name the pod they are bound to, and its node", () => {
    const { tokens: made, put } = tokens();
    put("pods", "blue/web", "pod-1");
    const bound = { ...subject, pod: { name: "web", uid: "pod-1" }, node: { name: "n1", uid: "node-1" } };
    const { user } = made.authenticate(made.issue(bound, terms).token, apiAudiences) ?? {};
    expect(user?.extra).toEqual({
      "authentication.kubernetes.io/credential-id": ["JTI=uid-1"],
      "authentication.kubernetes.io/node-name": ["n1"],
      "authentication.kubernetes.io/node-uid": ["node-1"],
      "authentication.kubernetes.io/pod-name": ["web"],
      "authentication.kubernetes.io/pod-uid": ["pod-1"],
    });
  });

  it("are accepted for a minute after they expire, by the server's clock", async () => {
    const { tokens: made, clock } = tokens();
    const token = made.issue(subject, terms).token;
    await clock.advance(11 * minute);
    expect(made.authenticate(token, apiAudiences)).toBeDefined();
    await clock.advance(1000);
    expect(() => made.authenticate(token, apiAudiences)).toThrow("service account token has expired");
  });

  it("are only for the audiences they name", () => {
    const { tokens: made } = tokens();
    const token = made.issue(subject, { ...terms, audiences: ["vault", "other"] }).token;
    expect(made.authenticate(token, ["x", "other", "vault"])?.audiences).toEqual(["other", "vault"]);
    expect(() => made.authenticate(token, apiAudiences)).toThrow(
      'token audiences ["vault" "other"] is invalid for the target audiences ["https://kubernetes.default.svc"]',
    );
  });

  it.each<[string, TokenSubject, (world: ReturnType<typeof tokens>) => void, string]>([
    [
      "the account",
      subject,
      ({ storage }) => storage.delete("serviceaccounts", "blue/robot", "any"),
      'serviceaccounts "robot" not found',
    ],
    [
      "the account, made anew",
      subject,
      ({ put }) => put("serviceaccounts", "blue/robot", "sa-2"),
      "service account UID (sa-2) does not match claim (sa-1)",
    ],
    [
      "the account, with its deletion overdue",
      subject,
      ({ put }) =>
        put("serviceaccounts", "blue/robot", "sa-1", { deletionTimestamp: "2025-12-31T23:58:59Z" }),
      "service account blue/robot has been deleted",
    ],
    [
      "the pod",
      { ...subject, pod: { name: "x", uid: "1" } },
      ({ storage }) => storage.delete("pods", "blue/x", "any"),
      "service account token has been invalidated",
    ],
    [
      "the pod, made anew",
      { ...subject, pod: { name: "x", uid: "1" } },
      ({ put }) => put("pods", "blue/x", "2"),
      "pod UID (2) does not match service account pod ref claim (1)",
    ],
    [
      "the secret",
      { ...subject, secret: { name: "x", uid: "1" } },
      ({ storage }) => storage.delete("secrets", "blue/x", "any"),
      "service account token has been invalidated",
    ],
    [
      "the node",
      { ...subject, node: { name: "x", uid: "1" } },
      ({ storage }) => storage.delete("nodes", "x", "any"),
      "service account token has been invalidated",
    ],
    [
      "the node, made anew",
      { ...subject, node: { name: "x", uid: "1" } },
      ({ put }) => put("nodes", "x", "2"),
      "node UID (2) does not match service account node ref claim (1)",
    ],
  ])("are refused after the deletion of %s", (_, bound, end, message) => {
    const world = tokens();
    world.put("pods", "blue/x", "1");
    world.put("secrets", "blue/x", "1");
    world.put("nodes", "x", "1");
    const token = world.tokens.issue(bound, terms).token;
    expect(world.tokens.authenticate(token, apiAudiences)).toBeDefined();
    end(world);
    expect(() => world.tokens.authenticate(token, apiAudiences)).toThrow(new InvalidToken(message));
  });

  it("stay valid after the node of their pod is deleted", () => {
    const { tokens: made, put } = tokens();
    put("pods", "blue/x", "1");
    const bound = { ...subject, pod: { name: "x", uid: "1" }, node: { name: "gone", uid: "1" } };
    expect(made.authenticate(made.issue(bound, terms).token, apiAudiences)).toBeDefined();
  });

  it("have one text each: signatures with padding, in the other alphabet or with loose bits are none", () => {
    const { tokens: made } = tokens();
    for (let count = 0; count < 20; count++) {
      const { token } = made.issue(subject, terms);
      const [header = "", body = "", signature = ""] = token.split(".");
      expect(made.authenticate(token, apiAudiences)).toBeDefined();
      const standard = Buffer.from(signature, "base64url").toString("base64");
      const last = signature.at(-1) ?? "";
      const loose = signature.slice(0, -1) + String.fromCharCode(last.charCodeAt(0) + 1);
      for (const other of [`${signature}==`, standard, loose])
        expect(made.authenticate(`${header}.${body}.${other}`, apiAudiences)).toBeUndefined();
    }
  });

  it("are refused when forged or changed", () => {
    const { tokens: made } = tokens();
    const token = made.issue(subject, terms).token;
    const [header = "", body = "", signature = ""] = token.split(".");
    const forged = (claims: object) => Buffer.from(JSON.stringify(claims)).toString("base64url");
    const broken = "go-jose/go-jose: error in cryptographic primitive";
    const longer = forged({ ...payload(token), exp: 9e9 });
    expect(() => made.authenticate(`${header}.${longer}.${signature}`, apiAudiences)).toThrow(broken);
    expect(() => made.authenticate(`${header}.${body}.`, apiAudiences)).toThrow(broken);
    expect(() => tokens().tokens.authenticate(token, apiAudiences)).toThrow(broken);
    const none = Buffer.from('{"alg":"none"}').toString("base64url");
    expect(made.authenticate(`${none}.${body}.`, apiAudiences)).toBeUndefined();
    const foreign = forged({ ...payload(token), iss: "https://elsewhere" });
    for (const other of [
      `${header}.${foreign}.${signature}`,
      "a.b.c",
      "a.b",
      "",
      `${token}.x`,
      "{}",
      "..",
      `${header}.bnVsbA.x`,
    ])
      expect(made.authenticate(other, apiAudiences)).toBeUndefined();
  });

  it("can be verified by others with the published key, and by the server after a restart with the same key", () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const pem = privateKey.export({ format: "pem", type: "pkcs8" }).toString();
    const { tokens: made } = tokens(pem);
    const token = made.issue(subject, terms).token;
    expect(tokens(pem).tokens.authenticate(token, apiAudiences)).toBeDefined();
    const [jwk = {}] = made.jwks;
    expect(jwk).toMatchObject({ use: "sig", kty: "EC", crv: "P-256", alg: "ES256" });
    const [header = "", body = "", signature = ""] = token.split(".");
    expect(JSON.parse(Buffer.from(header, "base64url").toString())).toEqual({
      alg: "ES256",
      kid: jwk["kid"],
    });
    const key = createPublicKey({ key: { ...jwk }, format: "jwk" });
    const signed = Buffer.from(`${header}.${body}`);
    const given = Buffer.from(signature, "base64url");
    expect(verify("sha256", signed, { key, dsaEncoding: "ieee-p1363" }, given)).toBe(true);
  });
});

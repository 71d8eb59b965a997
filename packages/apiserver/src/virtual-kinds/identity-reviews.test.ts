import { describe, expect, it } from "vitest";
import { accessServer, user } from "../auth/fixtures/access-server.js";

const accounts = "/api/v1/namespaces/default/serviceaccounts";
const apiVersion = "authentication.k8s.io/v1";
const request = (spec: object = {}, metadata: object = {}) => ({
  apiVersion,
  kind: "TokenRequest",
  metadata,
  spec,
});

async function world() {
  const server = accessServer();
  const account = await server.ask("POST", accounts, {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "robot" },
  });
  const token = async (spec: object = {}, metadata: object = {}) =>
    server.ask("POST", `${accounts}/robot/token`, request(spec, metadata));
  const review = async (spec: object) =>
    (await server.ask("POST", `/apis/${apiVersion}/tokenreviews`, { apiVersion, kind: "TokenReview", spec }))
      .body;
  const pod = async (name: string, spec: object) =>
    server.ask("POST", "/api/v1/namespaces/default/pods", {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name },
      spec: { containers: [{ name: "c", image: "i" }], ...spec },
    });
  return { ...server, uid: account.body.metadata.uid, token, review, pod };
}

describe("TokenRequest", () => {
  it("returns a token, and the defaults of its spec", async () => {
    const { token, uid } = await world();
    const { status, body } = await token();
    expect(status).toBe(201);
    expect(body).toEqual({
      apiVersion,
      kind: "TokenRequest",
      metadata: {
        name: "robot",
        namespace: "default",
        uid,
        creationTimestamp: "2026-01-01T00:00:00Z",
        managedFields: [
          {
            manager: "test",
            operation: "Update",
            apiVersion,
            time: "2026-01-01T00:00:00Z",
            fieldsType: "FieldsV1",
            fieldsV1: { "f:spec": { "f:expirationSeconds": {} } },
            subresource: "token",
          },
        ],
      },
      spec: { audiences: ["https://kubernetes.default.svc"], expirationSeconds: 3600, boundObjectRef: null },
      status: { token: expect.any(String), expirationTimestamp: "2026-01-01T01:00:00Z" },
    });
  });

  it.each<[string, object, object, number, string]>([
    [
      "less than ten minutes",
      { expirationSeconds: 599 },
      {},
      422,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
    ],
    [
      "more than a lifetime",
      { expirationSeconds: 2 ** 32 + 1 },
      {},
      422,
      "may not specify a duration larger than 2^32 seconds",
    ],
    [
      "another account",
      {},
      { name: "other" },
      422,
      'metadata.name: Invalid value: "other": must match the service account name if specified',
    ],
    [
      "another namespace",
      {},
      { namespace: "other" },
      400,
      "the namespace of the provided object does not match the namespace sent on the request",
    ],
    [
      "an earlier account",
      {},
      { uid: "old" },
      409,
      "the UID in the token request (old) does not match the UID of the service account",
    ],
    [
      "a pod that is not there",
      { boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "x" } },
      {},
      404,
      'pods "x" not found',
    ],
    [
      "a secret that is not there",
      { boundObjectRef: { apiVersion: "v1", kind: "Secret", name: "x" } },
      {},
      404,
      'secrets "x" not found',
    ],
    [
      "a node that is not there",
      { boundObjectRef: { apiVersion: "v1", kind: "Node", name: "x" } },
      {},
      404,
      'nodes "x" not found',
    ],
    [
      "something else",
      { boundObjectRef: { apiVersion: "apps/v1", kind: "Pod", name: "x" } },
      {},
      400,
      "cannot bind token to object of type apps/v1, Kind=Pod",
    ],
  ])("is refused for %s", async (_, spec, metadata, status, message) => {
    const { token } = await world();
    const answer = await token(spec, metadata);
    expect(answer.status).toBe(status);
    expect(answer.body.message).toContain(message);
  });

  it("requires an existing service account", async () => {
    const { ask } = await world();
    const { status, body } = await ask("POST", `${accounts}/nobody/token`, request());
    expect([status, body.message]).toEqual([404, 'serviceaccounts "nobody" not found']);
  });

  it("is not stored, so that there is no other verb", async () => {
    const { ask } = await world();
    expect((await ask("GET", `${accounts}/robot/token`)).status).toBe(405);
  });

  it("binds to pods that run as the service account, with the given UID", async () => {
    const { token, pod, review } = await world();
    const mine = await pod("mine", { serviceAccountName: "robot", nodeName: "n1" });
    await pod("other", { serviceAccountName: "default" });
    const ref = (name: string, uid?: string) => ({
      boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid },
    });
    expect((await token(ref("other"))).body.message).toBe(
      'cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name.',
    );
    const stale = await token(ref("mine", "old"));
    expect(stale.body.message).toBe(
      'Operation cannot be fulfilled on Pod "mine": the UID in the bound object reference (old) does not match the UID in record. The object might have been deleted and then recreated',
    );
    const { body } = await token(ref("mine", mine.body.metadata.uid));
    const { status } = await review({ token: body.status.token });
    expect(status.user.extra).toMatchObject({
      "authentication.kubernetes.io/pod-name": ["mine"],
      "authentication.kubernetes.io/node-name": ["n1"],
    });
  });

  it("for kubelets extends an hour to a year", async () => {
    const { token, pod, review, clock } = await world();
    await pod("mine", { serviceAccountName: "robot" });
    const boundObjectRef = { apiVersion: "v1", kind: "Pod", name: "mine" };
    const { body } = await token({ boundObjectRef, expirationSeconds: 3607 });
    expect(body.status.expirationTimestamp).toBe("2026-01-01T01:00:07Z");
    await clock.advance(300 * 24 * 3600 * 1000);
    expect((await review({ token: body.status.token })).status.authenticated).toBe(true);
  });
});

describe("service account token", () => {
  it("grants the permissions of its account, until the account is deleted", async () => {
    const { ask, grant, token } = await world();
    const { body } = await token();
    const call = () =>
      ask("GET", "/api/v1/namespaces/default/pods", undefined, { token: body.status.token, peer: {} });
    expect((await call()).status).toBe(403);
    await grant(user("system:serviceaccount:default:robot"), [
      { apiGroups: [""], resources: ["pods"], verbs: ["list"] },
    ]);
    expect((await call()).status).toBe(200);
    await ask("DELETE", `${accounts}/robot`);
    expect((await call()).status).toBe(401);
  });

  it("for another audience is refused", async () => {
    const { ask, token } = await world();
    const { body } = await token({ audiences: ["vault"] });
    expect((await ask("GET", "/version", undefined, { token: body.status.token, peer: {} })).status).toBe(
      401,
    );
  });
});

describe("TokenReview", () => {
  it("reports the user of a token", async () => {
    const { token, review, uid } = await world();
    const { body } = await token();
    const { metadata, status } = await review({ token: body.status.token });
    expect(metadata.managedFields).toEqual([
      expect.objectContaining({ manager: "test", fieldsV1: { "f:spec": { "f:token": {} } } }),
    ]);
    expect(status).toEqual({
      authenticated: true,
      user: {
        username: "system:serviceaccount:default:robot",
        uid,
        groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
        extra: { "authentication.kubernetes.io/credential-id": [expect.stringMatching(/^JTI=/)] },
      },
      audiences: ["https://kubernetes.default.svc"],
    });
  });

  it("reports why a token is refused", async () => {
    const { ask, token, review } = await world();
    expect((await review({ token: "garbage" })).status).toEqual({ user: {}, error: "invalid bearer token" });
    const { body } = await token({ audiences: ["vault"] });
    expect((await review({ token: body.status.token })).status).toEqual({
      user: {},
      error:
        '[invalid bearer token, token audiences ["vault"] is invalid for the target audiences ["https://kubernetes.default.svc"]]',
    });
    expect((await review({ token: body.status.token, audiences: ["x", "vault"] })).status.audiences).toEqual([
      "vault",
    ]);
    const empty = await ask("POST", `/apis/${apiVersion}/tokenreviews`, {
      apiVersion,
      kind: "TokenReview",
      spec: {},
    });
    expect([empty.status, empty.body.message]).toEqual([
      400,
      "token is required for TokenReview in authentication",
    ]);
  });
});

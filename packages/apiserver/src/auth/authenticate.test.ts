import { admin } from "@kubewright/kinds";
import { describe, expect, it } from "vitest";

import { accessServer } from "./fixtures/access-server.js";

const whoAmI = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
const tokens = new Map([
  ["good", admin],
  ["plain", { name: "plain", uid: "7", groups: ["staff"] }],
]);

describe("authentication: a request is made by", () => {
  const certificate = { commonName: "jane", organizations: ["dev", "ops"], fingerprint: "ab12" };
  it.each([
    ["the user of the bearer token", { headers: { authorization: "Bearer plain" } }, "plain"],
    [
      "the user of the bearer token, however the scheme is written",
      { headers: { authorization: " bEARER plain " } },
      "plain",
    ],
    [
      "the user of the second word of the header, whatever follows it",
      { headers: { authorization: "Bearer plain and more" } },
      "plain",
    ],
    ["the subject of the client certificate", { peer: { certificate } }, "jane"],
    [
      "the certificate before the token",
      { peer: { certificate }, headers: { authorization: "Bearer good" } },
      "jane",
    ],
    [
      "the token, if the certificate is worthless",
      { peer: { certificate: "untrusted" }, headers: { authorization: "Bearer plain" } },
      "plain",
    ],
    [
      "the token in the protocol of a web socket",
      {
        headers: {
          upgrade: "websocket",
          "sec-websocket-protocol": `v4.channel.k8s.io, base64url.bearer.authorization.k8s.io.${Buffer.from("plain").toString("base64url")}`,
        },
      },
      "plain",
    ],
  ] as const)("%s", async (_, options, name) => {
    const { ask } = accessServer({ tokens });
    const { status, body } = await ask("POST", whoAmI, review, { peer: {}, ...options });
    expect(status).toBe(201);
    expect(body.status.userInfo.username).toBe(name);
  });

  it("a member of system:authenticated, with the credential ID", async () => {
    const { ask } = accessServer({ tokens });
    const { body } = await ask("POST", whoAmI, review, { peer: { certificate } });
    expect(body).toEqual({
      apiVersion: "authentication.k8s.io/v1",
      kind: "SelfSubjectReview",
      metadata: { creationTimestamp: "2026-01-01T00:00:00Z" },
      status: {
        userInfo: {
          username: "jane",
          groups: ["dev", "ops", "system:authenticated"],
          extra: { "authentication.kubernetes.io/credential-id": ["X509SHA256=ab12"] },
        },
      },
    });
  });

  it.each([
    ["no credentials", {}],
    ["another scheme", { authorization: "Basic abc" }],
    ["a scheme alone", { authorization: "Bearer" }],
    ["a scheme and a gap", { authorization: "Bearer  plain" }],
  ])("system:anonymous with %s", async (_, headers) => {
    const { ask } = accessServer({ tokens });
    const { status, body } = await ask("GET", "/api/v1/pods", undefined, { peer: {}, headers });
    expect(status).toBe(403);
    expect(body.message).toBe(
      'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" at the cluster scope',
    );
  });

  it.each([
    ["an unknown token", {}, { authorization: "Bearer bad" }],
    ["a worthless certificate", { certificate: "untrusted" }, {}],
  ] as const)("nobody (401) with %s", async (_, peer, headers) => {
    const { ask } = accessServer({ tokens });
    const { status, body } = await ask("GET", "/healthz", undefined, { peer, headers });
    expect(status).toBe(401);
    expect(body).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: "Unauthorized",
      reason: "Unauthorized",
      code: 401,
    });
  });
});

describe("authentication: a response to a request from outside of the process", () => {
  it.each([
    ["has an id to be found by", {}, expect.stringMatching(/^[-0-9a-f]{36}$/)],
    ["has the id its request came with", { "audit-id": "mine" }, "mine"],
  ])("%s", async (_what, headers, expected) => {
    const { ask, server } = accessServer();
    const answer = await ask("GET", "/version", undefined, { peer: {}, headers });
    expect(answer.headers["audit-id"]).toEqual(expected);
    server.close();
  });
});

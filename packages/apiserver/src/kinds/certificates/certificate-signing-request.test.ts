import { createCertificateAuthority, createCertificateRequest } from "@kubewright/api/x509";
import { describe, expect, it } from "vitest";
import { kindServer } from "../fixtures/kind-server.js";

const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const base64 = (text: string) => Buffer.from(text).toString("base64");
const pem = base64(createCertificateRequest({ commonName: "eve" }).request);
const { certificate } = createCertificateAuthority({ commonName: "ca", notBefore: 0, notAfter: 1e12 });
/** Signed with another key than the one it is for. */
const forged = (() => {
  const lines = Buffer.from(pem, "base64").toString().split("\n");
  const der = Buffer.from(lines.slice(1, -2).join(""), "base64");
  der[der.length - 1] = (der.at(-1) ?? 0) ^ 1;
  return base64([lines[0], der.toString("base64"), lines.at(-2)].join("\n"));
})();
const request = (spec: object, status?: object) => ({
  apiVersion: "certificates.k8s.io/v1",
  kind: "CertificateSigningRequest",
  metadata: { name: "r" },
  spec: { request: pem, signerName: "example.com/s", usages: ["client auth"], ...spec },
  ...(status ? { status } : {}),
});
const condition = (type: string, status = "True") => ({ type, status, reason: "r", message: "" });

describe("CertificateSigningRequest", () => {
  it("records the user who made it, whatever the client sends", async () => {
    const { call } = await kindServer();
    const user = { name: "eve", groups: ["g"], extra: { k: ["v"] } };
    const { body } = await call(
      "POST",
      path,
      request({ username: "admin" }, { conditions: [condition("Approved")] }),
      { user },
    );
    expect(body.spec).toMatchObject({ username: "eve", groups: ["g"], extra: { k: ["v"] } });
    expect(body.status).toEqual({});
  });

  it.each([
    [{ request: Buffer.from("x").toString("base64") }, ["spec.request"]],
    [{ request: null }, ["spec.request"]],
    [
      { request: base64("-----BEGIN CERTIFICATE REQUEST-----\n\n-----END CERTIFICATE REQUEST-----\n") },
      ["spec.request"],
    ],
    [{ request: forged }, ["spec.request"]],
    [{ usages: [] }, ["spec.usages"]],
    [{ usages: ["client auth", "client auth", "fun"] }, ["spec.usages[2]", "spec.usages[1]"]],
    [{ signerName: "noslash" }, ["spec.signerName"]],
    [{ signerName: "local/s" }, ["spec.signerName"]],
    [{ expirationSeconds: 599 }, ["spec.expirationSeconds"]],
  ])("validates %j: errors at %j", async (spec, expected) => {
    const { call, fields } = await kindServer();
    expect(fields(await call("POST", path, request(spec)))).toEqual(expected);
  });

  it("is approved once, and the approval changes nothing else", async () => {
    const { call, fields } = await kindServer();
    await call("POST", path, request({}));
    const approval = `${path}/r/approval`;
    const { body } = await call(
      "PUT",
      approval,
      request({ signerName: "other.example/s" }, { conditions: [condition("Approved")], certificate: pem }),
    );
    expect(body.spec.signerName).toBe("example.com/s");
    expect(body.status.certificate).toBeUndefined();
    expect(body.status.conditions[0].lastTransitionTime).toBeDefined();
    expect(fields(await call("PUT", approval, request({}, { conditions: [] })))).toEqual([
      "status.conditions",
    ]);
    const both = { conditions: [condition("Approved"), condition("Denied")] };
    expect((await call("PUT", approval, request({}, both))).status).toBe(422);
    expect(
      (await call("PUT", approval, request({}, { conditions: [condition("Approved", "False")] }))).status,
    ).toBe(422);
  });

  it("gets its certificate once, through its status", async () => {
    const { call, fields, causes } = await kindServer();
    await call("POST", path, request({}));
    const give = (text: string) =>
      call("PUT", `${path}/r/status`, request({}, { certificate: base64(text) }));
    const wrong = async (text: string) => causes(await give(text));
    const invalid = 'status.certificate: Invalid value: "<certificate data>":';
    expect(await wrong("nothing")).toEqual([`${invalid} must contain at least one CERTIFICATE PEM block`]);
    expect(await wrong("-----BEGIN CERTIFICATE-----")).toEqual([
      `${invalid} must contain at least one CERTIFICATE PEM block`,
    ]);
    expect(await wrong(`${certificate}-----BEGIN KEY-----\n-----END KEY-----`)).toEqual([
      `${invalid} only CERTIFICATE PEM blocks are allowed, found "KEY"`,
    ]);
    expect(await wrong(certificate.replace("\n", "\nA: b\n\n"))).toEqual([
      `${invalid} no PEM block headers are permitted`,
    ]);
    expect(await wrong("-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----")).toEqual([
      `${invalid} x509: malformed certificate`,
    ]);
    expect((await give(certificate)).status).toBe(200);
    expect(await wrong(`${certificate}\n`)).toEqual([
      "status.certificate: Forbidden: updates may not modify existing certificate content",
    ]);
    const approve = request({}, { conditions: [condition("Approved")] });
    expect(fields(await call("PUT", `${path}/r/status`, approve))).toContain("status.conditions");
  });

  it("refuses a change of the decision through its status", async () => {
    const { call, causes } = await kindServer();
    await call("POST", path, request({}));
    const approved = { ...condition("Approved"), lastUpdateTime: "2026-01-01T00:00:00Z" };
    const times = { lastTransitionTime: "2026-01-01T00:00:00Z" };
    await call("PUT", `${path}/r/approval`, request({}, { conditions: [{ ...approved, ...times }] }));
    const change = request({}, { conditions: [{ ...approved, ...times, reason: "s" }] });
    const [cause = ""] = causes(await call("PUT", `${path}/r/status`, change));
    expect(cause).toContain('Forbidden: updates may not modify a condition of type "Approved"\n');
    expect(cause).toContain('-  "Reason": "r",\n+  "Reason": "s",\n');
  });

  it("can be approved only by users with the verb approve on the signer", async () => {
    const { call } = await kindServer({ authorization: "rbac" });
    await call("POST", path, request({}));
    const rules = [
      {
        apiGroups: ["certificates.k8s.io"],
        resources: ["certificatesigningrequests/approval"],
        verbs: ["update"],
      },
    ];
    const rbac = { apiVersion: "rbac.authorization.k8s.io/v1" };
    const group = "/apis/rbac.authorization.k8s.io/v1";
    await call("POST", `${group}/clusterroles`, {
      ...rbac,
      kind: "ClusterRole",
      metadata: { name: "approver" },
      rules,
    });
    await call("POST", `${group}/clusterrolebindings`, {
      ...rbac,
      kind: "ClusterRoleBinding",
      metadata: { name: "approver" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "approver" },
      subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "eve" }],
    });
    const user = { name: "eve", groups: ["system:authenticated"] };
    const { status, body } = await call(
      "PUT",
      `${path}/r/approval`,
      request({}, { conditions: [condition("Approved")] }),
      { user },
    );
    expect([status, body.message]).toEqual([
      403,
      'certificatesigningrequests.certificates.k8s.io "r" is forbidden: user not permitted to approve requests with signerName "example.com/s"',
    ]);
  });
});

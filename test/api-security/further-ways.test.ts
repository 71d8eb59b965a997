// Ways around a rule that lead over something else than the request itself: what is created by changing it, what policies
// tell, who one says one is, and what servers behind this one hear.
import type { PolicyRule, TransportRequest, TransportResponse } from "@kubewright/api";
import { createCertificateAuthority, createCertificateRequest } from "@kubewright/api/x509";
import type { UserInfo } from "@kubewright/apiserver";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GuardedServer, type Method, type Sent, secretText } from "./guarded-server.js";

const wardle = "/apis/wardle.example.com/v1alpha1";
const flunders = `${wardle}/namespaces/default/flunders`;
const asked: TransportRequest[] = [];
const guarded = new GuardedServer({
  resolveExtension: ({ group }) => (group === "wardle.example.com" ? extension : undefined),
});

/** Answers everybody with everything: a request that gets here was let through. */
async function extension(request: TransportRequest): Promise<TransportResponse> {
  asked.push(request);
  const list = { kind: "APIResourceList", apiVersion: "v1", groupVersion: "wardle.example.com/v1alpha1" };
  const value = request.path === wardle ? { ...list, resources: [] } : { kind: "Flunder" };
  return { status: 200, headers: {}, body: { kind: "object", value } };
}

const rule = (verbs: string, resources: string, apiGroups = "*"): PolicyRule => ({
  verbs: verbs.split(" "),
  apiGroups: apiGroups.split(" "),
  resources: resources.split(" "),
});

beforeAll(async () => {
  await guarded.fill();
  const spec = {
    group: "wardle.example.com",
    version: "v1alpha1",
    groupPriorityMinimum: 1000,
    versionPriority: 1,
  };
  const body = { metadata: { name: "v1alpha1.wardle.example.com" }, spec };
  await guarded.send({ method: "POST", url: "/apis/apiregistration.k8s.io/v1/apiservices", body });
  while ((await guarded.send({ method: "GET", url: `${flunders}/a` })).status !== 200)
    await new Promise(setImmediate);
});
afterAll(() => guarded.server.close());

describe("what an update creates takes the right to create", () => {
  const kinds: readonly (readonly [path: string, resource: string, body: object])[] = [
    ["/apis/coordination.k8s.io/v1/namespaces/default/leases", "leases", { spec: {} }],
    ["/api/v1/namespaces/default/endpoints", "endpoints", { subsets: [] }],
    ["/api/v1/namespaces/default/events", "events", { involvedObject: { namespace: "default" } }],
    ["/api/v1/namespaces/default/services", "services", { spec: { ports: [{ port: 1 }] } }],
    ["/api/v1/namespaces/default/limitranges", "limitranges", { spec: { limits: [] } }],
  ];
  const ways: readonly (readonly [Method, string])[] = [
    ["PUT", "application/json"],
    ["PATCH", "application/apply-patch+yaml"],
    ["PATCH", "application/merge-patch+json"],
    ["PATCH", "application/json-patch+json"],
  ];

  test.each(kinds.flatMap((kind) => ways.map((way) => [...way, ...kind] as const)))(
    "%s %s of %s",
    async (method, type, path, resource, more) => {
      const user = await guarded.user([rule("get list update patch", resource)]);
      const name = "not-there";
      const apiVersion = path.startsWith("/apis") ? path.split("/").slice(2, 4).join("/") : "v1";
      const kind = { leases: "Lease", endpoints: "Endpoints", events: "Event", services: "Service" }[
        resource
      ];
      const object = { apiVersion, kind: kind ?? "LimitRange", metadata: { name }, ...more };
      const body = type.includes("json-patch") ? [{ op: "add", path: "/a", value: 1 }] : object;
      const url = `${path}/${name}?fieldManager=m`;
      const { status } = await guarded.send({ method, url, body, headers: { "content-type": type } }, user);
      expect([403, 404]).toContain(status);
      expect((await guarded.send({ method: "GET", url: `${path}/${name}` })).status).toBe(404);
    },
  );
});

describe("policies tell nothing that their writers may not read", () => {
  const base = "/apis/admissionregistration.k8s.io/v1";
  const paramKind = { apiVersion: "v1", kind: "Secret" };
  const matchConstraints = {
    resourceRules: [
      { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] },
    ],
  };
  const validating = {
    metadata: { name: "tell" },
    spec: {
      paramKind,
      matchConstraints,
      validations: [{ expression: "false", messageExpression: "string(params.data.key)" }],
    },
  };
  const jsonPatch = {
    expression: '[JSONPatch{op: "add", path: "/data", value: {"a": string(params.data.key)}}]',
  };
  const mutating = {
    metadata: { name: "tell" },
    spec: {
      paramKind,
      matchConstraints,
      reinvocationPolicy: "Never",
      mutations: [{ patchType: "JSONPatch", jsonPatch }],
    },
  };
  const paramRef = { name: "x", namespace: "default", parameterNotFoundAction: "Deny" };
  const kinds = [
    ["validating", validating, { policyName: "tell", paramRef, validationActions: ["Deny"] }],
    ["mutating", mutating, { policyName: "tell", paramRef }],
  ] as const;
  const everyPolicy = rule("*", "*", "admissionregistration.k8s.io");

  describe.each(kinds)("%s", (which, policy, spec) => {
    const policies = `${base}/${which}admissionpolicies`;
    const bindings = `${base}/${which}admissionpolicybindings`;
    const binding = { metadata: { name: "tell" }, spec };

    test("a policy", async () => {
      const user = await guarded.user([rule("get", "secrets", "")], [everyPolicy]);
      const { status, message } = await guarded.send({ method: "POST", url: policies, body: policy }, user);
      expect(status).toBe(422);
      expect(message).toContain(
        `spec.paramKind: Forbidden: user &{${user.name}  [system:authenticated] map[]} must have "get" permission on all objects of the referenced paramKind (kind=Secret, apiVersion=v1)`,
      );
    });

    test("a policy that is changed", async () => {
      const harmless = {
        ...policy,
        spec: { ...policy.spec, paramKind: { apiVersion: "v1", kind: "ConfigMap" } },
      };
      await guarded.send({ method: "POST", url: policies, body: harmless });
      const user = await guarded.user([], [everyPolicy, rule("get", "configmaps", "")]);
      const merge = { "content-type": "application/merge-patch+json" };
      const patch: Sent = {
        method: "PATCH",
        url: `${policies}/tell`,
        headers: merge,
        body: { spec: { paramKind } },
      };
      expect((await guarded.send(patch, user)).status).toBe(422);
      const label = { ...patch, body: { metadata: { labels: { a: "b" } } } };
      expect((await guarded.send(label, user)).status).toBe(200);
      await guarded.send({ method: "DELETE", url: `${policies}/tell` });
    });

    test("a binding", async () => {
      await guarded.send({ method: "POST", url: policies, body: policy });
      const other = await guarded.user([rule("get", "secrets", "")], [everyPolicy], "kube-system");
      const { status, message } = await guarded.send({ method: "POST", url: bindings, body: binding }, other);
      expect(status).toBe(422);
      expect(message).toContain('does not have "get" permission on the object referenced by paramRef');
      const reader = await guarded.user([rule("get", "secrets", "")], [everyPolicy]);
      expect((await guarded.send({ method: "POST", url: bindings, body: binding }, reader)).status).toBe(201);
      await guarded.send({ method: "DELETE", url: `${bindings}/tell` });
      await guarded.send({ method: "DELETE", url: `${policies}/tell` });
    });

    test("a binding to a policy that is not there needs the right to everything", async () => {
      const reader = await guarded.user([], [everyPolicy, rule("get", "secrets", "")]);
      const none = { ...binding, spec: { ...spec, policyName: "none" } };
      expect((await guarded.send({ method: "POST", url: bindings, body: none }, reader)).status).toBe(422);
    });
  });
});

describe("servers behind this one", () => {
  const attempts: readonly string[] = [
    `${flunders}/a`,
    `/${flunders}/a`,
    `${flunders}//a`,
    `${flunders}/a/../b`,
    `${flunders}/a/%2e%2e/%2e%2e/things`,
    `${wardle}/namespaces/default%2fflunders/a`,
    `${wardle}/namespaces/other/flunders/..%2f..%2fdefault/flunders/a`,
    `${wardle}/watch/namespaces/default/flunders`,
    `${wardle}/proxy/namespaces/default/flunders/a`,
    "/apis/wardle.example.com%2fv1alpha1/namespaces/default/flunders/a",
    "/apis/wardle.example.com/v1alpha1;x/namespaces/default/flunders/a",
    "/apis/WARDLE.example.com/v1alpha1/namespaces/default/flunders/a",
    "/apis/wardle.example.com./v1alpha1/namespaces/default/flunders/a",
  ];

  test.each(attempts)("are not asked for %s by users who may not", async (url) => {
    const paths: PolicyRule = { verbs: ["*"], nonResourceURLs: ["*"] };
    const elsewhere = await guarded.user(
      [rule("*", "flunders")],
      [paths, rule("*", "things")],
      "kube-system",
    );
    for (const method of ["GET", "POST", "DELETE"] as const) {
      const before = asked.length;
      const { status } = await guarded.send(
        { method, url, ...(method === "POST" ? { body: {} } : {}) },
        elsewhere,
      );
      expect([403, 404]).toContain(status);
      expect(asked.slice(before).filter(({ path }) => path.includes("flunders"))).toEqual([]);
    }
  });

  test("hear who asks from this one, and from nobody else", async () => {
    const user = await guarded.user([rule("get", "flunders")]);
    const headers = {
      "x-remote-user": "admin",
      "x-remote-group": "system:masters",
      "x-remote-extra-a": "b",
      "x-remote-uid": "0",
      authorization: "Bearer mine",
    };
    await guarded.send({ method: "GET", url: `${flunders}/a`, headers }, user);
    const { headers: told } = asked.at(-1) ?? {};
    expect(told).toMatchObject({ "x-remote-user": user.name, "x-remote-group": "system:authenticated" });
    expect(told).not.toHaveProperty("x-remote-extra-a");
    expect(told).not.toHaveProperty("authorization");
    expect(told?.["x-remote-uid"]).not.toBe("0");
  });

  test("hear of whom someone acts as, if they may", async () => {
    const headers = { "impersonate-user": "jane" };
    const request: Sent = { method: "GET", url: `${flunders}/a`, headers };
    const { status } = await guarded.send(request, await guarded.user([rule("get", "flunders")]));
    expect(status).toBe(403);
    // The administrator may, and then has the rights of the other.
    expect((await guarded.send(request)).status).toBe(403);
    const asMaster = { ...request, headers: { ...headers, "impersonate-group": "system:masters" } };
    expect((await guarded.send(asMaster)).status).toBe(200);
    expect(asked.at(-1)?.headers).toMatchObject({ "x-remote-user": "jane" });
    expect(asked.at(-1)?.headers).not.toHaveProperty("impersonate-user");
  });
});

describe("who one is", () => {
  const secret = "/api/v1/namespaces/default/secrets/x";
  const bare = async (request: Partial<TransportRequest>) => {
    const { status, body } = await guarded.server.handle({ method: "GET", path: secret, ...request }, {});
    return { status, text: JSON.stringify(body) };
  };

  test.each<[string, Partial<TransportRequest>]>([
    [
      "a header for servers behind others",
      { headers: { "x-remote-user": "admin", "x-remote-group": "system:masters" } },
    ],
    [
      "a name and a password",
      { headers: { authorization: `Basic ${Buffer.from("admin:admin").toString("base64")}` } },
    ],
    ["an empty token", { headers: { authorization: "Bearer " } }],
    ["no token", { headers: { authorization: "Bearer" } }],
    ["a token of no algorithm", { headers: { authorization: `Bearer ${unsigned()}` } }],
    ["a token in the query", { query: new URLSearchParams("access_token=admin&token=admin") }],
    [
      "acting as someone",
      { headers: { "impersonate-user": "admin", "impersonate-group": "system:masters" } },
    ],
    ["another method", { headers: { "x-http-method-override": "GET", "x-original-url": secret } }],
  ])("is not told by %s", async (_what, request) => {
    const { status, text } = await bare(request);
    expect([401, 403]).toContain(status);
    expect(text).not.toContain(Buffer.from(secretText).toString("base64"));
  });
});

/** What says of itself that it need not be signed. */
function unsigned(): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = {
    iss: "https://kubernetes.default.svc.cluster.local",
    sub: "system:serviceaccount:kube-system:default",
  };
  return `${part({ alg: "none" })}.${part({ ...claims, aud: [claims.iss], exp: 4_000_000_000 })}.`;
}

describe("signing and approving certificates takes the right to the signer", () => {
  const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
  const csr = rule(
    "*",
    "certificatesigningrequests certificatesigningrequests/approval certificatesigningrequests/status",
  );
  const signers = (verbs: string, name: string): PolicyRule => ({
    ...rule(verbs, "signers"),
    resourceNames: [name],
  });
  const authority = createCertificateAuthority({ commonName: "ca", notBefore: 0, notAfter: 1e12 });
  let user: UserInfo;
  beforeAll(async () => {
    user = await guarded.user(
      [],
      [csr, signers("approve sign", "example.com/other"), signers("approve", "other.com/*")],
    );
  });

  test.each([
    ["approval", { conditions: [{ type: "Approved", status: "True", reason: "a", message: "b" }] }],
    ["status", { certificate: Buffer.from(authority.certificate).toString("base64") }],
  ])("%s", async (subresource, status) => {
    const body = {
      apiVersion: "certificates.k8s.io/v1",
      kind: "CertificateSigningRequest",
      metadata: { name: `csr-${subresource}` },
      spec: {
        signerName: "kubernetes.io/kube-apiserver-client",
        usages: ["client auth"],
        request: Buffer.from(createCertificateRequest({ commonName: "jane" }).request).toString("base64"),
      },
    };
    const made = await guarded.send({ method: "POST", url: path, body }, user);
    expect(made.message).toBe("");
    for (const change of [
      { method: "PUT", body: { ...body, status } },
      { method: "PATCH", body: { status }, headers: { "content-type": "application/merge-patch+json" } },
    ] as const) {
      const url = `${path}/csr-${subresource}/${subresource}`;
      expect((await guarded.send({ url, ...change }, user)).status).toBe(403);
    }
  });
});

describe("a node's own server", () => {
  const get = (url: string): Sent => ({ method: "GET", url });
  const rules = (verb: string, resources: string): PolicyRule[] => [
    { apiGroups: [""], resources: resources.split(" "), verbs: [verb] },
  ];

  test.each([
    "healthz",
    "pods",
    "metrics",
    "containerLogs/default/x/c",
    "run/default/x/c",
    "",
    "..%2f..%2fpods",
  ])("is not reached at /proxy/%s by what a kubelet itself would let through", async (path) => {
    // Kubelets tell these apart; the server that proxies does not, and asks for nodes/proxy.
    const parts =
      "nodes nodes/metrics nodes/stats nodes/log nodes/spec nodes/healthz nodes/pods nodes/configz nodes/status";
    const user = await guarded.user([], rules("*", parts));
    const url = `/api/v1/nodes/node/proxy/${path}`;
    expect((await guarded.send(get(url), user)).status).toBe(403);
    expect((await guarded.send({ method: "POST", url, body: {} }, user)).status).toBe(403);
  });

  test("takes the verb of the method, and the name with its port", async () => {
    const url = "/api/v1/nodes/node/proxy/run/default/x/c";
    const reader = await guarded.user([], rules("get", "nodes/proxy"));
    expect((await guarded.send(get(url), reader)).status).not.toBe(403);
    for (const method of ["POST", "PUT", "PATCH", "DELETE"] as const)
      expect((await guarded.send({ method, url }, reader)).status).toBe(403);
    const named = await guarded.user(
      [],
      rules("get", "nodes/proxy").map((rule) => ({ ...rule, resourceNames: ["node"] })),
    );
    expect((await guarded.send(get(url), named)).status).not.toBe(403);
    for (const name of ["node:10250", "https:node:", "other"])
      expect((await guarded.send(get(url.replace("/node/", `/${name}/`)), named)).status).toBe(403);
  });

  test("is not reached over the paths of before", async () => {
    const user = await guarded.user([], rules("get", "nodes nodes/proxy pods services"));
    for (const path of [
      "proxy/nodes/node/healthz",
      "proxy/namespaces/default/pods/x",
      "proxy/namespaces/default/services/x",
    ])
      expect((await guarded.send(get(`/api/v1/${path}`), user)).status).toBe(403);
  });
});

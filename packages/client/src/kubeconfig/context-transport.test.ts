import { describe, expect, it } from "vitest";
import { resolveContext } from "./context-transport.js";
import { parseKubeConfig } from "./parse-kubeconfig.js";

async function resolve(text: string, options = {}) {
  return resolveContext(await parseKubeConfig(text, "/c"), options);
}

const whole = (user: string, cluster = "server: https://10.0.0.1"): string => `
current-context: x
contexts: [{ name: x, context: { cluster: c, user: u } }]
clusters: [{ name: c, cluster: { ${cluster} } }]
users: [{ name: u, user: { ${user} } }]`;

describe("resolveContext", () => {
  it("follows the context to its cluster and user", async () => {
    const { namespace, transport } = await resolve(whole("token: t"));
    expect(namespace).toBe("default");
    expect(transport).toMatchObject({ server: "https://10.0.0.1", cluster: "cluster c (https://10.0.0.1)" });
    expect(await transport.credentials?.current()).toEqual({ headers: { authorization: "Bearer t" } });
  });

  it.each([
    ["username: ann, password: pw", { headers: { authorization: "Basic YW5uOnB3" } }],
    ["", {}],
    ["client-certificate-data: Yw==, client-key-data: aw==", { certificate: { cert: "c", key: "k" } }],
    [
      "client-certificate-data: Yw==, client-key-data: aw==, token: t",
      { headers: { authorization: "Bearer t" }, certificate: { cert: "c", key: "k" } },
    ],
  ])("reads the user { %s }", async (user, credential) => {
    const { transport } = await resolve(whole(user));
    expect(await transport.credentials?.current()).toEqual(credential);
  });

  it("impersonates a user, set by the file or by the caller", async () => {
    const user = "token: t, as: bob, as-groups: [a, b], as-uid: '7', as-user-extra: { 'x.io/Y': [1a] }";
    expect((await resolve(whole(user))).transport.headers).toEqual({
      "impersonate-user": "bob",
      "impersonate-uid": "7",
      "impersonate-group": ["a", "b"],
      "impersonate-extra-x.io%2fy": ["1a"],
    });
    const { transport } = await resolve(whole(user), { impersonate: { user: "eve" } });
    expect(transport.headers).toEqual({ "impersonate-user": "eve" });
  });

  const mistakes: [string, string, string][] = [
    ["no current context", "contexts: [{ name: a, context: {} }]", "/c: no current-context; choose one of a"],
    ["no contexts", "users: []", "/c: no current-context; it has no contexts"],
    [
      "an unknown context",
      "current-context: b\ncontexts: [{ name: a, context: {} }]",
      '/c: there is no context "b"; choose one of a',
    ],
    [
      "an unknown cluster",
      "current-context: a\ncontexts: [{ name: a, context: { cluster: c } }]",
      '/c: context "a" names the cluster "c", which is not there',
    ],
    [
      "an unknown user",
      "current-context: a\ncontexts: [{ name: a, context: { cluster: c, user: u } }]\nclusters: [{ name: c, cluster: { server: http://x } }]",
      '/c: context "a" names the user "u", which is not there',
    ],
    ["no server", whole("", "proxy-url: http://x"), '/c: cluster "c": server is missing'],
    [
      "a server that is no address",
      whole("", "server: nonsense"),
      '/c: cluster "c": server is not an address',
    ],
    [
      "insecure-skip-tls-verify together with a CA",
      whole("", "server: https://x, insecure-skip-tls-verify: true, certificate-authority: a"),
      '/c: cluster "c": insecure-skip-tls-verify and certificate-authority exclude each other',
    ],
    [
      "two ways to log in",
      whole("token: t, username: u"),
      '/c: user "u": only one of exec, auth-provider, token',
    ],
    [
      "half a certificate",
      whole("client-key: k"),
      '/c: user "u": client-certificate and client-key are needed together',
    ],
    [
      "a provider that is gone",
      whole("auth-provider: { name: gcp }"),
      '/c: user "u": auth-provider gcp is no longer part of Kubernetes; use an exec plugin instead',
    ],
    [
      "an issuer without an address",
      whole("auth-provider: { name: oidc, config: { client-id: a } }"),
      '/c: user "u": auth-provider oidc needs idp-issuer-url and client-id',
    ],
    [
      "an unknown version of exec",
      whole("exec: { apiVersion: client.authentication.k8s.io/v1alpha1, command: c }"),
      "exec plugin c: apiVersion client.authentication.k8s.io/v1alpha1 is not supported",
    ],
    [
      "a plugin that needs a terminal",
      whole("exec: { apiVersion: client.authentication.k8s.io/v1, command: c, interactiveMode: Always }"),
      "exec plugin c needs a terminal (interactiveMode: Always)",
    ],
  ];

  it.each(mistakes)("reports %s", async (_what, text, message) => {
    const failure = resolve(text);
    await expect(failure).rejects.toMatchObject({ name: "ConfigError" });
    await expect(failure).rejects.toThrow(message);
  });
});

import { describe, expect, it } from "vitest";
import { parseKubeConfig } from "./parse-kubeconfig.js";

const path = "/home/ann/.kube/config";
const base64 = (text: string): string => Buffer.from(text).toString("base64");

const complete = `
apiVersion: v1
kind: Config
current-context: dev
contexts:
- name: dev
  context: { cluster: c, user: u, namespace: shop }
clusters:
- name: c
  cluster:
    server: https://10.0.0.1:6443
    certificate-authority: certs/ca.crt
    tls-server-name: api.internal
    proxy-url: http://proxy:3128
    disable-compression: true
    extensions:
    - name: client.authentication.k8s.io/exec
      extension: { audience: x }
users:
- name: u
  user:
    client-certificate-data: ${base64("CERT")}
    client-certificate: ignored.crt
    client-key: /abs/key.pem
    tokenFile: token
    as: bob
    as-uid: "42"
    as-groups: [dev, ops]
    as-user-extra: { scopes: [a, b] }
- name: plugin
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: ./bin/login
      args: [--cluster, c]
      env: [{ name: REGION, value: eu }]
      interactiveMode: Never
      provideClusterInfo: true
      installHint: brew install login
- name: digits
  user: { token: 12345 }
`;

describe("parseKubeConfig", () => {
  it("reads every field, paths counted from the file", async () => {
    const config = await parseKubeConfig(complete, path);
    expect(config.currentContext).toBe("dev");
    expect(config.contexts.get("dev")).toEqual({ cluster: "c", user: "u", namespace: "shop" });
    expect(config.clusters.get("c")).toEqual({
      server: "https://10.0.0.1:6443",
      ca: { path: "/home/ann/.kube/certs/ca.crt" },
      insecureSkipTlsVerify: undefined,
      tlsServerName: "api.internal",
      proxyUrl: "http://proxy:3128",
      disableCompression: true,
      execConfig: { audience: "x" },
    });
    expect(config.users.get("u")).toMatchObject({
      cert: { data: "CERT" },
      key: { path: "/abs/key.pem" },
      tokenFile: "/home/ann/.kube/token",
      impersonate: { user: "bob", uid: "42", groups: ["dev", "ops"], extra: { scopes: ["a", "b"] } },
    });
    expect(config.users.get("plugin")?.exec).toEqual({
      apiVersion: "client.authentication.k8s.io/v1",
      command: "/home/ann/.kube/bin/login",
      args: ["--cluster", "c"],
      env: { REGION: "eu" },
      interactiveMode: "Never",
      provideClusterInfo: true,
      installHint: "brew install login",
    });
    expect(config.users.get("digits")?.token).toBe("12345");
  });

  it("reads JSON, and an empty file", async () => {
    const config = await parseKubeConfig('{"current-context":"x","contexts":[],"users":null}', path);
    expect([config.currentContext, config.users.size]).toEqual(["x", 0]);
    expect((await parseKubeConfig("", path)).contexts.size).toBe(0);
  });

  it("leaves a command without a slash to be looked up", async () => {
    const text = "users: [{ name: u, user: { exec: { apiVersion: v, command: aws } } }]";
    expect((await parseKubeConfig(text, path)).users.get("u")?.exec?.command).toBe("aws");
  });

  it.each([
    ["a mapping", "[1, 2]", `${path} is not a mapping`],
    ["lists", "users: 7", `${path}: users must be a list`],
    ["names", "users: [{ user: {} }]", `${path}: an entry of users: name is missing`],
    ["strings", "users: [{ name: u, user: { token: [a] } }]", `${path}: user "u": token must be a string`],
    [
      "booleans",
      "clusters: [{ name: c, cluster: { insecure-skip-tls-verify: maybe } }]",
      `${path}: cluster "c": insecure-skip-tls-verify must be true or false`,
    ],
    [
      "base64",
      "users: [{ name: u, user: { client-key-data: '***' } }]",
      `${path}: user "u": client-key-data must be base64`,
    ],
    [
      "a user to impersonate",
      "users: [{ name: u, user: { as-groups: [a] } }]",
      `${path}: user "u": as-uid, as-groups and as-user-extra need as`,
    ],
    [
      "a mode",
      "users: [{ name: u, user: { exec: { apiVersion: v, command: c, interactiveMode: Often } } }]",
      `${path}: user "u": exec: interactiveMode must be Never, IfAvailable or Always`,
    ],
    [
      "a command",
      "users: [{ name: u, user: { exec: { apiVersion: v } } }]",
      `${path}: user "u": exec: command is missing`,
    ],
  ])("wants %s", async (_what, text, message) => {
    const failure = parseKubeConfig(text, path);
    await expect(failure).rejects.toMatchObject({ name: "ConfigError" });
    await expect(failure).rejects.toThrow(message);
  });

  it("says where bad YAML is, and repeats nothing of it", async () => {
    const failure = parseKubeConfig("users:\n- name: u\n  user: { token: s3cret-t0ken", path);
    await expect(failure).rejects.toThrow(
      /^\/home\/ann\/\.kube\/config is not valid YAML \(line 3, column \d+\)$/,
    );
    await expect(failure).rejects.not.toThrow("s3cret");
  });

  it("does not let a name reach a prototype", async () => {
    const config = await parseKubeConfig("users: [{ name: __proto__, user: { token: a } }]", path);
    expect(config.users.get("__proto__")?.token).toBe("a");
    expect(({} as { token?: string }).token).toBeUndefined();
  });
});

import { describe, expect, it } from "vitest";
import { kindServer } from "../fixtures/kind-server.js";

const path = "/api/v1/namespaces/test/secrets";
const base64 = (text: string) => Buffer.from(text).toString("base64");
const secret = (rest: object) => ({ apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, ...rest });

describe("Secret", () => {
  it("merges stringData into data and is Opaque by default", async () => {
    const { call, patch } = await kindServer();
    const { body } = await call(
      "POST",
      path,
      secret({ data: { a: base64("old") }, stringData: { a: "new" } }),
    );
    expect(body).toMatchObject({ data: { a: base64("new") }, type: "Opaque" });
    expect(body.stringData).toBeUndefined();
    const patched = await patch(`${path}/s`, { stringData: { ["__proto__x"]: "1" } });
    expect(patched.body.data).toEqual({ a: base64("new"), __proto__x: base64("1") });
  });

  it.each([
    ["kubernetes.io/tls", {}, ["data[tls.crt]: Required value", "data[tls.key]: Required value"]],
    ["kubernetes.io/basic-auth", {}, ["data[username]: Required value", "data[password]: Required value"]],
    ["kubernetes.io/basic-auth", { username: "" }, []],
    ["kubernetes.io/ssh-auth", { "ssh-privatekey": "" }, ["data[ssh-privatekey]: Required value"]],
    ["kubernetes.io/dockercfg", {}, ["data[.dockercfg]: Required value"]],
    [
      "kubernetes.io/dockerconfigjson",
      { ".dockerconfigjson": base64("notjson") },
      [
        `data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": invalid character 'o' in literal null (expecting 'u')`,
      ],
    ],
    [
      "kubernetes.io/dockerconfigjson",
      { ".dockerconfigjson": base64("[]") },
      [
        'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": json: cannot unmarshal array into Go value of type map[string]interface {}',
      ],
    ],
    [
      "kubernetes.io/service-account-token",
      {},
      ["metadata.annotations[kubernetes.io/service-account.name]: Required value"],
    ],
    ["constructor", {}, []],
  ])("of type %s is validated with data %j", async (type, data, problems) => {
    const { call, causes } = await kindServer();
    expect(causes(await call("POST", path, secret({ type, data })))).toEqual(problems);
  });

  it("refuses another type", async () => {
    const { call, patch, causes } = await kindServer();
    await call("POST", path, secret({}));
    expect(causes(await patch(`${path}/s`, { type: "example.com/other" }))).toEqual([
      'type: Invalid value: "example.com/other": field is immutable',
    ]);
  });

  it.each([
    [
      "application/apply-patch+yaml",
      secret({ data: { p: "!!!" } }),
      /: error decoding from json: illegal base64/,
    ],
    [
      "application/strategic-merge-patch+json",
      { data: { p: "!!!" } },
      /": error decoding from json: illegal base64/,
    ],
    ["application/merge-patch+json", { data: { p: "!!!" } }, /": illegal base64/],
  ])("words what is no base64 as kube-apiserver does after %s", async (contentType, body, message) => {
    const { call } = await kindServer();
    await call("POST", path, secret({ data: { p: base64("a") } }));
    const query = { fieldManager: "test", ...(contentType.includes("apply") ? { force: "true" } : {}) };
    const refused = await call("PATCH", `${path}/s`, body, { contentType, query });
    expect(refused.body.message).toMatch(message);
  });

  it("can be selected by type", async () => {
    const { call } = await kindServer();
    await call("POST", path, secret({}));
    const list = (fieldSelector: string) => call("GET", path, undefined, { query: { fieldSelector } });
    expect((await list("type=Opaque")).body.items).toHaveLength(1);
    expect((await list("type!=Opaque")).body.items).toHaveLength(0);
  });
});

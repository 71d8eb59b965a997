import { beforeAll, describe, expect, it } from "vitest";
import { cronTab, cronTabs, defineCronTabs } from "./cron-tabs.js";
import { configMap, configMaps, patchTypes, requestServer, said } from "./request-server.js";

const nowhere = "404 the server could not find the requested resource";
const notAllowed = "405 the server does not allow this method on the requested resource";
let server: Awaited<ReturnType<typeof requestServer>>;
beforeAll(async () => {
  server = await requestServer();
  await server.call("POST", configMaps, configMap({ name: "a" }));
  await defineCronTabs(server);
});

describe("paths that lead nowhere", () => {
  it.each([
    ["GET", "/api/v1/configmaps/a"],
    ["DELETE", "/api/v1/configmaps/a"],
    ["GET", "/api/v1/watch/configmaps/a"],
    ["GET", "/api/v1/namespaces/test/nodes"],
    ["GET", "/api/v1//namespaces/test/configmaps"],
    ["GET", `${configMaps}/a/status`],
    ["GET", "/apis/apps/v1/namespaces/test/deployments/a/status/more"],
    ["GET", "/apis/apps/v1/namespaces/test/deployments/a/scale/more"],
    ["POST", "/api/v1/namespaces/test/pods/a/exec/more"],
    ["PUT", "/api/v1/namespaces/test/finalize/more"],
    ["GET", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews/a"],
    ["POST", "/apis/authorization.k8s.io/v1/localsubjectaccessreviews"],
    ["POST", "/api/v1/bindings"],
    ["GET", "/api/v1/unicorns"],
    ["GET", "/api/v2/configmaps"],
    ["OPTIONS", "/api/v1/unicorns"],
    ["GET", "/apis/apps/v9/deployments"],
    ["GET", "/api/v1/watch/selfsubjectaccessreviews"],
    ["GET", "/api/v1/proxy/namespaces/test/pods/a"],
  ] as const)("%s %s", async (method, path) => {
    const answer = await server.call(method, path, method === "POST" ? {} : undefined);
    expect(said(answer)).toBe(nowhere);
    expect(answer.body.details).toEqual({});
  });

  it.each([
    "//api/v1/pods",
    "/apis/none.example.com/v1/things",
    "/apis/stable.example.com/v1/things",
    "/apis/stable.example.com/v2/crontabs",
    "/apis/stable.example.com/v1/crontabs/a",
    "/apiss",
  ])("GET %s is not even a Status", async (path) => {
    const { status, headers, body } = await server.call("GET", path);
    expect([status, headers["content-type"], body]).toEqual([
      404,
      "text/plain; charset=utf-8",
      "404 page not found\n",
    ]);
  });
});

describe("methods that lead nowhere", () => {
  it.each([
    ["POST", `${configMaps}/a`],
    ["PUT", configMaps],
    ["PATCH", configMaps],
    ["HEAD", configMaps],
    ["HEAD", `${configMaps}/a`],
    ["OPTIONS", `${configMaps}/a`],
    ["POST", "/api/v1/configmaps"],
    ["DELETE", "/api/v1/configmaps"],
    ["DELETE", "/api/v1/namespaces"],
    ["POST", "/api/v1/watch/configmaps"],
    ["DELETE", "/api/v1/watch/namespaces/test/configmaps/a"],
    ["GET", "/api/v1/namespaces/test/pods/a/binding"],
    ["PATCH", "/api/v1/namespaces/test/pods/a/eviction"],
    ["DELETE", "/api/v1/namespaces/test/pods/a/exec"],
    ["PUT", "/api/v1/namespaces/test/pods/a/portforward"],
    ["POST", "/api/v1/namespaces/test/pods/a/log"],
    ["GET", "/api/v1/namespaces/test/serviceaccounts/default/token"],
    ["GET", "/api/v1/namespaces/test/finalize"],
    ["DELETE", "/apis/apps/v1/namespaces/test/deployments/a/scale"],
    ["GET", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"],
  ] as const)("%s %s", async (method, path) => {
    const answer = await server.call(method, path);
    expect(said(answer)).toBe(notAllowed);
    expect(answer.body.details).toEqual({});
  });

  it("are named where a list cannot be watched", async () => {
    const answer = await server.call("GET", "/api/v1/componentstatuses?watch=1");
    expect(said(answer)).toBe('405 watch is not supported on resources of kind "componentstatuses"');
    expect(answer.body.details).toEqual({ kind: "componentstatuses" });
  });
});

describe("names that could lead elsewhere", () => {
  it.each([
    ["GET", `${configMaps}/a%25b`, `400 Name parameter invalid: "a%b": may not contain '%'`],
    ["DELETE", `${configMaps}/..`, `400 Name parameter invalid: "..": may not be '..'`],
    ["GET", `${configMaps}/.`, `400 Name parameter invalid: ".": may not be '.'`],
    ["GET", "/api/v1/namespaces//configmaps/a", "400 Namespace parameter required."],
    ["GET", `${cronTabs}/a%25b`, `400 Name parameter invalid: "a%b": may not contain '%'`],
  ] as const)("%s %s", async (method, path, expected) => {
    expect(said(await server.call(method, path))).toBe(expected);
  });

  it("are looked at after what is written to them", async () => {
    const put = (name: string) => server.call("PUT", `${configMaps}/a%25b`, configMap({ name }));
    expect(said(await put("a"))).toMatch(/^400 the name of the object/);
    expect(said(await put("a%b"))).toBe(`400 Name parameter invalid: "a%b": may not contain '%'`);
  });
});

describe("paths that lead somewhere all the same", () => {
  it.each([
    [`${configMaps}/`, 200],
    [`${configMaps}/a/`, 200],
    ["/api/v1/namespaces//configmaps", 200],
    ["/api/v1/namespaces/test%2Fconfigmaps/a", 200],
    ["/api/v1/namespaces/test/status", 200],
    ["/api/v1/namespaces/none/configmaps", 200],
  ])("%s", async (path, status) => {
    expect((await server.call("GET", path)).status).toBe(status);
  });
});

describe("custom resources have their own words", () => {
  const patch = (type: string) => server.call("PATCH", `${cronTabs}/a`, {}, { "content-type": type });

  it.each([
    ["POST", cronTabs, "201"],
    ["PUT", cronTabs, "400 name must be provided"],
    ["PATCH", cronTabs, "400 name must be provided"],
    ["OPTIONS", cronTabs, '405  is not supported on resources of kind "crontabs.stable.example.com"'],
    ["GET", `${cronTabs}/a/unicorn`, '404 crontabs.stable.example.com "a" not found'],
    [
      "POST",
      `${cronTabs}/b/status`,
      '405 create is not supported on resources of kind "crontabs.stable.example.com"',
    ],
    ["GET", `${cronTabs}/c/status/more`, "200"],
    ["HEAD", `${cronTabs}/c`, "200"],
  ] as const)("%s %s", async (method, path, expected) => {
    const body = method === "GET" ? undefined : cronTab({ name: "c" });
    expect(said(await server.call(method, path, body))).toBe(expected);
  });

  it.each([patchTypes.strategic, "application/json", ""])("for patches of type %j", async (type) => {
    const answer = await patch(type);
    expect(said(answer)).toBe(
      "415 the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
    );
    expect(answer.body.details).toBeUndefined();
  });
});

describe("what a client understands", () => {
  const objects = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
  const streams = "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
  const accepting = (path: string, accept: string, method: "GET" | "POST" = "GET", body?: unknown) =>
    server.call(method, path, body, { accept });

  it.each([
    [configMaps, "text/html", `406 406: Not Acceptable\n\nAvailable representations: ${objects}, ${streams}`],
    [`${configMaps}/a`, "text/html", `406 406: Not Acceptable\n\nAvailable representations: ${objects}`],
    [`${configMaps}/a`, "application/*", `406 406: Not Acceptable\n\nAvailable representations: ${objects}`],
    [`${configMaps}/a`, "text/html, */*;q=0.1", "200"],
    [`${configMaps}/none`, "text/html", `406 406: Not Acceptable\n\nAvailable representations: ${objects}`],
    [cronTabs, "text/html", `406 only the following media types are accepted: ${objects}`],
    [`${cronTabs}/c`, "text/html", `406 only the following media types are accepted: ${objects}`],
    [cronTabs, "application/*", "200"],
  ])("%s as %s", async (path, accept, expected) => {
    expect(said(await accepting(path, accept))).toBe(expected);
  });

  it("of a write that writes nothing, it is the body that is missed", async () => {
    expect(said(await accepting(configMaps, "text/html", "POST"))).toBe(
      `415 415: Unsupported Media Type\n\nAvailable representations: ${objects}`,
    );
    expect(said(await accepting(configMaps, "text/html", "POST", {}))).toMatch(/^406 /);
  });
});

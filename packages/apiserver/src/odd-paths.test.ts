// Paths, methods and media types that few clients send: the answers are those of kube-apiserver 1.36.4.
import type { TransportRequest } from "@kubewright/api";
import { admin } from "@kubewright/kinds";
import { beforeAll, describe, expect, it } from "vitest";
import { kindServer } from "./kinds/fixtures/kind-server.js";

let ask: (method: string, target: string, accept?: string) => Promise<string>;

beforeAll(async () => {
  const { server, call } = await kindServer();
  await call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "foos.odd.example.com" },
    spec: {
      group: "odd.example.com",
      names: { kind: "Foo", plural: "foos" },
      scope: "Namespaced",
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
      ],
    },
  });
  /** The status, the media type, and the message of a Status or the first line of a text. */
  ask = async (method, target, accept) => {
    const [path = "", search] = target.split("?");
    const { status, headers, body } = await server.handle(
      {
        method: method as TransportRequest["method"],
        path,
        query: new URLSearchParams(search),
        headers: accept === undefined ? {} : { accept },
      },
      { user: admin },
    );
    const type = headers["content-type"] ?? "nothing";
    const text = body.kind === "bytes" ? Buffer.from(body.bytes).toString() : "";
    const value = body.kind === "object" ? body.value : text.startsWith("{") ? JSON.parse(text) : undefined;
    if (value !== undefined) {
      const { kind, message } = value as { kind?: string; message?: string };
      return `${status} ${type} ${kind === "Status" ? message?.replaceAll("\n", " ") : kind}`;
    }
    return `${status} ${type} ${text.split("\n")[0]}`.trim();
  };
});

const page404 = "404 text/plain; charset=utf-8 404 page not found";
const none404 = "404 application/json the server could not find the requested resource";
const method405 = "405 application/json the server does not allow this method on the requested resource";
const ok = "200 text/plain; charset=utf-8 ok";

describe("odd paths", () => {
  it.each([
    ["GET", "/healthz/", page404],
    ["GET", "/readyz/", page404],
    ["GET", "/metrics/", page404],
    ["GET", "/openapi/v2/", page404],
    ["GET", "//", page404],
    ["GET", "/version/x", none404],
    ["GET", "/nope", page404],
    ["GET", "/openapi/v3/", "404 nothing"],
    ["GET", "/openapi/v3/nope", "404 nothing"],
    ["POST", "/healthz/ping", ok],
    ["GET", "/healthz/nope", page404],
    ["GET", "/livez/loopback-serving-certificate", ok],
    ["GET", "/readyz/loopback-serving-certificate", page404],
    ["POST", "/api/v2", none404],
    ["POST", "/apis/apps/v2", none404],
    ["POST", "/apis/apps/v1", method405],
    ["POST", "/apis/apiregistration.k8s.io", method405],
    ["POST", "/apis/apps", "200 application/json APIGroup"],
    ["GET", "/apis/apps/v1/", "200 application/json APIResourceList"],
    ["OPTIONS", "/api/v1/pods?watch=true", method405],
    ["OPTIONS", "/apis/odd.example.com/v1/foos", page404],
    [
      "OPTIONS",
      "/apis/odd.example.com/v1/namespaces/test/foos",
      '405 application/json  is not supported on resources of kind "foos.odd.example.com"',
    ],
    ["GET", "/api/v1/componentstatuses/x", '404 application/json componentstatus "x" not found'],
    [
      "GET",
      "/api/v1/watch",
      '500 text/plain; charset=utf-8 Internal Server Error: "/api/v1/watch": failed to create RequestInfo: unable to determine kind and namespace from url, /api/v1/watch',
    ],
    [
      "DELETE",
      "/apis/apps/v1/proxy/?a=b",
      '500 text/plain; charset=utf-8 Internal Server Error: "/apis/apps/v1/proxy/?a=b": failed to create RequestInfo: unable to determine kind and namespace from url, /apis/apps/v1/proxy/?a=b',
    ],
  ])("%s %s", async (method, path, answer) => {
    expect(await ask(method, path)).toBe(answer);
  });

  it("lists its paths at /index.html, too", async () => {
    expect(await ask("GET", "/index.html")).toBe(await ask("GET", "/"));
  });
});

describe("Accept headers of paths that are no resources", () => {
  const only = (type: string): string =>
    `406 application/json 406: Not Acceptable  Available representations: ${type}`;
  const log = "/api/v1/namespaces/test/pods/x/log";

  it.each([
    ["/openid/v1/jwks", "application/json", only("application/jwk-set+json")],
    ["/openid/v1/jwks", "application/jwk-set+json", "200 application/jwk-set+json undefined"],
    ["/openid/v1/jwks", "*/*", "200 application/jwk-set+json undefined"],
    ["/.well-known/openid-configuration", "text/html", only("application/json")],
    ["/.well-known/openid-configuration", "application/*", only("application/json")],
    ["/version", "text/html", only("application/json")],
    ["/healthz", "text/html", ok],
    ["/openapi/v3/api/v1", "text/html", "406 nothing"],
    ["/openapi/v3/version", "garbage", "200 application/json undefined"],
    [
      log,
      "text/html",
      only("text/plain, application/json, application/yaml, application/vnd.kubernetes.protobuf"),
    ],
    [
      log,
      "text/plain",
      "406 application/json only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    ],
    [log, "*/*", '404 application/json pods "x" not found'],
  ])("%s as %s", async (path, accept, answer) => {
    expect(await ask("GET", path, accept)).toBe(answer);
  });

  it("returns the escaping scheme of metric names to scrapers", async () => {
    expect(await ask("GET", "/metrics", "application/openmetrics-text; version=1.0.0")).toMatch(
      /^200 text\/plain; version=0\.0\.4; charset=utf-8; escaping=underscores # HELP/,
    );
  });
});

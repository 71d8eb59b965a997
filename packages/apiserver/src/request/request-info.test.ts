import { describe, expect, test } from "vitest";
import { parseRequestInfo } from "./request-info.js";

const parse = (path: string, method: "GET" | "DELETE" = "GET", query = "") =>
  parseRequestInfo({ method, path, query: new URLSearchParams(query) });

describe("paths of resources", () => {
  test.each([
    ["/api/v1/pods", { verb: "list", group: "", resource: "pods", namespace: undefined }],
    ["/api/v1/namespaces/a", { verb: "get", resource: "namespaces", name: "a", namespace: "a" }],
    ["/api/v1/namespaces/a/pods/b/log", { verb: "get", resource: "pods", name: "b", subresource: "log" }],
    ["/api/v1/namespaces/a/pods/b/proxy/x/y", { verb: "connect", subresource: "proxy", subpath: "x/y" }],
    ["/apis/apps/v1/namespaces/a/deployments/", { group: "apps", resource: "deployments", name: undefined }],
    ["/api/v1/watch/namespaces/a/pods", { verb: "watch", resource: "pods", namespace: "a" }],
    ["/api/v1/namespaces/a/secrets/..", { resource: "secrets", namespace: "a", name: ".." }],
    ["/api/v1/namespaces/a%2Fsecrets/b", { resource: "secrets", namespace: "a", name: "b" }],
    ["/api/v1/namespaces/system%3Ax/pods", { namespace: "system:x" }],
  ])("%s", (path, expected) => {
    expect(parse(path)).toMatchObject({ kind: "resource", ...expected });
  });

  test.each([
    ["watch=true", "watch"],
    ["watch", "watch"],
    ["watch=false", "list"],
    ["watch=0", "list"],
  ])("?%s is a %s", (query, verb) => {
    expect(parse("/api/v1/pods", "GET", query)).toMatchObject({ verb });
  });

  test("without a name are about the collection", () => {
    expect(parse("/api/v1/pods", "DELETE")).toMatchObject({ verb: "deletecollection" });
    expect(parse("/api/v1/namespaces/a/pods/b", "DELETE")).toMatchObject({ verb: "delete", name: "b" });
  });
});

test.each([
  ["//api/v1/pods", { verb: "list", resource: "pods", hasDoubleSlash: true }],
  ["/api/v1/secrets/%ff", { verb: "get", resource: "secrets", name: "\ufffd" }],
  ["/api/v1/proxy/namespaces/a/pods/b", { verb: "proxy", resource: "pods", namespace: "a", name: "b" }],
])("%s is judged as what it seems to ask for", (path, expected) => {
  expect(parse(path)).toMatchObject({ kind: "resource", ...expected });
});

test("other paths are decoded too", () => {
  expect(parse("/metric%73")).toEqual({ kind: "path", verb: "get", path: "/metrics" });
});

test.each(["/", "/api", "/apis/apps/v1", "/healthz", "*", ""])("%j is no resource", (path) => {
  expect(parse(path)).toEqual({ kind: "path", verb: "get", path });
});

import { expect, it } from "vitest";
import { requestInfo } from "./request-info.js";

it.each([
  ["GET", "/api/v1/pods", "", { verb: "list", group: "", version: "v1", resource: "pods" }],
  ["GET", "/api/v1/pods", "watch=true", { verb: "watch", resource: "pods" }],
  ["GET", "/api/v1/namespaces/a", "", { verb: "get", resource: "namespaces", name: "a" }],
  ["GET", "/api/v1/namespaces/a/pods", "", { verb: "list", resource: "pods", namespace: "a" }],
  [
    "GET",
    "/api/v1/namespaces/a/pods/b/log",
    "",
    { verb: "get", resource: "pods/log", namespace: "a", name: "b" },
  ],
  ["POST", "/apis/apps/v1/namespaces/a/deployments", "", { verb: "create", group: "apps" }],
  [
    "PUT",
    "/apis/apps/v1/namespaces/a/deployments/b/status",
    "",
    { verb: "update", resource: "deployments/status" },
  ],
  ["PATCH", "/apis/apps/v1/namespaces/a/deployments/b", "", { verb: "patch", name: "b" }],
  ["DELETE", "/api/v1/namespaces/a/pods", "", { verb: "deletecollection" }],
  ["DELETE", "/api/v1/namespaces/a/pods/b", "", { verb: "delete" }],
  ["GET", "/api/v1/nodes/a%3Ab", "", { name: "a:b" }],
  ["GET", "/api/v1/nodes/%zz", "", { name: "%zz" }],
  ["GET", "/version", "", { verb: "get" }],
  ["GET", "/apis/apps/v1", "", { verb: "get" }],
] as const)("request info: %s %s?%s", (method, path, query, expected) => {
  expect(requestInfo({ method, path, query: new URLSearchParams(query) })).toMatchObject(expected);
});

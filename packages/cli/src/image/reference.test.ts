import { describe, expect, test } from "vitest";
import { originOf, parseReference, parseTarget, referenceText } from "./reference.js";

const digest = `sha256:${"a".repeat(64)}`;

describe("a reference", () => {
  test.each([
    ["node", { registry: "docker.io", repository: "library/node" }],
    ["node:22-slim", { registry: "docker.io", repository: "library/node", tag: "22-slim" }],
    ["me/shop:1", { registry: "docker.io", repository: "me/shop", tag: "1" }],
    ["docker.io/node", { registry: "docker.io", repository: "library/node" }],
    ["gcr.io/a/b_c:x", { registry: "gcr.io", repository: "a/b_c", tag: "x" }],
    ["localhost/a:1", { registry: "localhost", repository: "a", tag: "1" }],
    ["[::1]:5000/a:1", { registry: "[::1]:5000", repository: "a", tag: "1" }],
    [`r.example:5000/a/b--c@${digest}`, { registry: "r.example:5000", repository: "a/b--c", digest }],
    [`r.example/a:1@${digest}`, { registry: "r.example", repository: "a", tag: "1", digest }],
  ])("%s has its parts", (text, parts) => {
    expect(parseReference(text)).toEqual({ tag: undefined, digest: undefined, ...parts });
  });

  test.each([
    "",
    "UPPER",
    "a b",
    "r.example/",
    "r.example/a:",
    "r.example/../a",
    "r.example/a@sha256:12",
    "r.example/a@md5:00",
    "https://r.example/a",
  ])("%j is none", (text) => {
    expect(parseReference(text)).toBeUndefined();
  });

  test("is written as it was read", () => {
    for (const text of ["gcr.io/a/b:1", `gcr.io/a/b:1@${digest}`, `gcr.io/a/b@${digest}`])
      expect(referenceText(parseReference(text)!)).toBe(text);
  });
});

test.each(["operator", "operator:1", "UPPER.example/x:1", "r.example/operator", `r.example/a:1@${digest}`])(
  "a push to %s is refused",
  (name) => expect(() => parseTarget(name)).toThrow("a registry, a name and a tag are needed"),
);

test.each([
  ["localhost:5000", "http://localhost:5000"],
  ["127.0.0.1:5000", "http://127.0.0.1:5000"],
  ["[::1]:5000", "http://[::1]:5000"],
  ["registry.example.com", "https://registry.example.com"],
  ["localhost.example.com", "https://localhost.example.com"],
  ["127.0.0.1.example.com", "https://127.0.0.1.example.com"],
  ["plain.example:5000", "http://plain.example:5000"],
  ["docker.io", "https://registry-1.docker.io"],
])("the registry %s is at %s", (registry, origin) => {
  expect(originOf(registry, new Set(["plain.example:5000"]))).toBe(origin);
});

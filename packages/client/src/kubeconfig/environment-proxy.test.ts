import { expect, it } from "vitest";
import { environmentProxy } from "./environment-proxy.js";

const env = { HTTPS_PROXY: "http://secure:1", http_proxy: "plain:2" };

it.each([
  ["https://api.example.com", "", "http://secure:1"],
  ["http://api.example.com", "", "http://plain:2"],
  ["https://api.example.com", "*", undefined],
  ["https://api.example.com", "other, API.example.com", undefined],
  ["https://api.example.com", "example.com", undefined],
  ["https://example.com", ".example.com", "http://secure:1"],
  ["https://api.example.com", ".example.com", undefined],
  ["https://api.example.com:6443", "api.example.com:443", "http://secure:1"],
  ["https://api.example.com", "api.example.com:443", undefined],
  ["https://notexample.com", "example.com", "http://secure:1"],
  ["https://10.1.2.3:6443", "10.0.0.0/8", undefined],
  ["https://11.1.2.3:6443", "10.0.0.0/8", "http://secure:1"],
  ["https://[fd00::1]:6443", "fd00::/8", undefined],
  ["https://10.1.2.3", "nonsense/99,10.0.0.0/99", "http://secure:1"],
  ["https://127.0.0.1:6443", "", undefined],
  ["https://localhost:6443", "", undefined],
  ["https://[::1]:6443", "", undefined],
])("proxy from the environment: %s with NO_PROXY=%s", (server, noProxy, expected) => {
  expect(environmentProxy(server, { ...env, NO_PROXY: noProxy })).toBe(expected);
});

it("proxy from the environment: none without a variable", () => {
  expect(environmentProxy("https://api.example.com", {})).toBeUndefined();
});

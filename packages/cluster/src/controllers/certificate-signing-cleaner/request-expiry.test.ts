import type { CertificateSigningRequest } from "@kubewright/api";
import { expect, test } from "vitest";
import { requestExpiry } from "./request-expiry.js";

const start = Date.UTC(2026, 0, 1);
const request = (type?: string, certificate?: string): CertificateSigningRequest => ({
  metadata: { name: "r", creationTimestamp: new Date(start).toISOString() },
  spec: { request: "", signerName: "example.com/s" },
  status: {
    conditions: type
      ? [{ type, status: "True", lastUpdateTime: new Date(start + 60_000).toISOString() }]
      : [],
    ...(certificate ? { certificate } : {}),
  },
});

test.each([
  ["undecided", request(), 24 * 60],
  ["approved but not issued", request("Approved"), 24 * 60],
  ["issued", request("Approved", "pem"), 61],
  ["denied", request("Denied"), 61],
  ["failed", request("Failed"), 61],
])("certificate signing cleaner: when a request expires that is %s", (_, one, minutes) => {
  expect(requestExpiry(one)).toBe(start + minutes * 60_000);
});

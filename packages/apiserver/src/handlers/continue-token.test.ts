import { expect, test } from "vitest";
import { decodeContinue, encodeContinue } from "./continue-token.js";

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

test("a token comes back as it was", () => {
  const token = { revision: 42, after: "default/web" };
  expect(decodeContinue(encodeContinue(token))).toEqual(token);
});

test.each([
  ["!!", "illegal base64 data at input byte 0"],
  ["ab.c", "illegal base64 data at input byte 2"],
  [Buffer.from("a").toString("base64url"), "invalid character 'a' looking for beginning of value"],
  [encoded({ v: "v9", rv: 1, start: "a" }), 'server does not recognize this encoded version "v9"'],
  [
    encoded({ v: "meta.k8s.io/v1", rv: 0, start: "a" }),
    "incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
  ],
  [encoded({ v: "meta.k8s.io/v1", rv: 1, start: "" }), "encoded start key empty (version meta.k8s.io/v1)"],
  [encoded({ v: "meta.k8s.io/v1", rv: 1, start: "../secrets/a" }), "../secrets/a"],
])("%s is refused", (text, why) => {
  expect(() => decodeContinue(text)).toThrow(`invalid continue token: continue key is not valid: ${why}`);
});

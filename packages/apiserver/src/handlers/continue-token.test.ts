import { expect, test } from "vitest";
import { decodeContinue, encodeContinue } from "./continue-token.js";

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const v = "meta.k8s.io/v1";

test.each([
  ["", "default/web", "/default/web\u0000"],
  ["default/", "default/web", "/web\u0000"],
  ["", "node-1", "/node-1\u0000"],
])("continue token: one under %j is decoded as it was encoded", (prefix, after, start) => {
  const token = { revision: 42, after };
  const text = encodeContinue(token, prefix);
  expect(text).toBe(encoded({ v, rv: 42, start }));
  expect(decodeContinue(text, prefix)).toEqual(token);
});

test("continue token: the leading slash may be missing", () => {
  const text = encoded({ v, rv: -1, start: "web\u0000" });
  expect(decodeContinue(text, "default/")).toEqual({ revision: -1, after: "default/web" });
});

test.each([
  ["!!", "illegal base64 data at input byte 0"],
  ["ab.c", "illegal base64 data at input byte 2"],
  ["abcde", "illegal base64 data at input byte 4"],
  [Buffer.from("a").toString("base64url"), "invalid character 'a' looking for beginning of value"],
  [encoded([]), "json: cannot unmarshal array into Go value of type storage.continueToken"],
  [encoded({ v: 1 }), "json: cannot unmarshal number into Go struct field continueToken.v of type string"],
  [
    encoded({ v, rv: "1" }),
    "json: cannot unmarshal string into Go struct field continueToken.rv of type int64",
  ],
  [
    encoded({ v, rv: 1.5 }),
    "json: cannot unmarshal number 1.5 into Go struct field continueToken.rv of type int64",
  ],
  [encoded({}), "server does not recognize this encoded version "],
  [encoded({ v: "v9", rv: 1, start: "a" }), "server does not recognize this encoded version v9"],
  [encoded({ v, rv: 0, start: "a" }), `incorrect encoded start resourceVersion (version ${v})`],
  [encoded({ v, rv: 1, start: "" }), `encoded start key empty (version ${v})`],
  [encoded({ v, rv: 1, start: "../secrets/a" }), "../secrets/a"],
  [encoded({ v, rv: 1, start: "/a//b" }), "/a//b"],
  [encoded({ v, rv: 1, start: "//a" }), "//a"],
])("continue token: %s is refused", (text, why) => {
  expect(() => decodeContinue(text, "")).toThrow(
    new RegExp(
      `^invalid continue token: continue key is not valid: ${why.replace(/[.*+?^$()[\]{}|\\]/g, "\\$&")}$`,
    ),
  );
});

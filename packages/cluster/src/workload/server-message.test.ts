import { ApiError } from "@kubewright/api";
import { expect, test } from "vitest";
import { serverMessage } from "./server-message.js";

test.each([
  [
    new ApiError('create Pod shop: pods "a-" is forbidden: exceeded quota: q', {
      code: 403,
      reason: "Forbidden",
    }),
    'pods "a-" is forbidden: exceeded quota: q',
  ],
  [new ApiError("gone", { code: 410, reason: "Gone" }), "gone"],
  [new Error("dial: refused"), "dial: refused"],
  ["text", "text"],
])("message in Events: %s reads %s", (error, expected) => {
  expect(serverMessage(error)).toBe(expected);
});

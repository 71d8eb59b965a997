import { describe, expect, it } from "vitest";
import {
  ApiError,
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isForbidden,
  isGone,
  isInternalError,
  isInvalid,
  isMethodNotSupported,
  isNotAcceptable,
  isNotFound,
  isRequestEntityTooLarge,
  isServerTimeout,
  isServiceUnavailable,
  isTimeout,
  isTooManyRequests,
  isUnauthorized,
  isUnsupportedMediaType,
  retryAfterSeconds,
  type StatusReason,
  TerminalError,
  TimeoutError,
  ValidationError,
} from "./errors.js";

const api = (code: number, reason: StatusReason): ApiError => new ApiError("failed", { code, reason });

/** Each predicate with its reason, and the code that means the same where there is no reason. */
const predicates: readonly [(error: unknown) => boolean, StatusReason, number | undefined][] = [
  [isNotFound, "NotFound", 404],
  [isAlreadyExists, "AlreadyExists", undefined],
  [isConflict, "Conflict", 409],
  [isInvalid, "Invalid", 422],
  [isBadRequest, "BadRequest", 400],
  [isForbidden, "Forbidden", 403],
  [isUnauthorized, "Unauthorized", 401],
  [isTooManyRequests, "TooManyRequests", 429],
  [isGone, "Gone", 410],
  [isTimeout, "Timeout", 504],
  [isServerTimeout, "ServerTimeout", undefined],
  [isServiceUnavailable, "ServiceUnavailable", 503],
  [isInternalError, "InternalError", 500],
  [isMethodNotSupported, "MethodNotAllowed", 405],
  [isNotAcceptable, "NotAcceptable", 406],
  [isUnsupportedMediaType, "UnsupportedMediaType", 415],
  [isRequestEntityTooLarge, "RequestEntityTooLarge", 413],
];

describe("ApiError predicates", () => {
  it.each(predicates)(
    "%# go by the reason %s, and by the code %s where there is none",
    (is, reason, code) => {
      expect(is(api(299, reason))).toBe(true);
      expect(is(api(299, "StoreReadError"))).toBe(false);
      if (code !== undefined) {
        expect(is(api(code, "Unknown"))).toBe(true);
        expect(is(api(code, "SomethingNew"))).toBe(true);
      }
      expect(is(new Error(reason))).toBe(false);
      expect(is({ code, reason })).toBe(false);
      expect(is(undefined)).toBe(false);
    },
  );

  it.each(predicates)("%# exclude each other", (is, reason) => {
    const others = predicates.filter(([other]) => other !== is && other(api(299, reason)));
    expect(others).toEqual([]);
  });

  it("distinguish an existing object from a conflict, though both are 409", () => {
    expect(isConflict(api(409, "AlreadyExists"))).toBe(false);
    expect(isAlreadyExists(api(409, "Unknown"))).toBe(false);
  });

  it("take an expired version for gone", () => {
    expect(isGone(api(410, "Expired"))).toBe(true);
  });

  it("trust these codes whatever the reason", () => {
    expect(isTooManyRequests(api(429, "InternalError"))).toBe(true);
    expect(isRequestEntityTooLarge(api(413, "InternalError"))).toBe(true);
  });
});

describe("retryAfterSeconds", () => {
  const after = (reason: StatusReason, seconds?: number): ApiError =>
    new ApiError("wait", { code: 500, reason, details: { retryAfterSeconds: seconds } });
  it.each<[unknown, number | undefined]>([
    [after("TooManyRequests", 3), 3],
    [after("TooManyRequests", 0), undefined],
    [after("Conflict"), undefined],
    [after("ServerTimeout"), 0],
    [api(429, "TooManyRequests"), undefined],
    [new Error("wait"), undefined],
  ])("%#: %s", (error, expected) => {
    expect(retryAfterSeconds(error)).toBe(expected);
  });
});

describe("error classes", () => {
  it("carry a name, a message and a cause", () => {
    const cause = new Error("socket closed");
    const error = new ApiError("pods is forbidden", { code: 403, reason: "Forbidden", cause });
    expect(error).toBeInstanceOf(Error);
    expect([error.name, error.message, error.cause]).toEqual(["ApiError", "pods is forbidden", cause]);
    expect("cause" in api(400, "BadRequest")).toBe(false);

    const terminal = new TerminalError("bad spec", { cause });
    expect([terminal.name, terminal.cause]).toEqual(["TerminalError", cause]);
    const timeout = new TimeoutError("too slow", { cause });
    expect([timeout.name, timeout.cause]).toEqual(["TimeoutError", cause]);
  });

  it("list every field that is wrong", () => {
    const errors = [
      { field: "spec.a", reason: "FieldValueRequired", message: "Required value" },
      { field: "spec.b", reason: "FieldValueInvalid", message: "Invalid value: 0: too small" },
    ] as const;
    const error = new ValidationError("ModelBox shop/web", errors);
    expect(error.message).toBe(
      "ModelBox shop/web: spec.a: Required value; spec.b: Invalid value: 0: too small",
    );
    expect(error.errors).toBe(errors);
    expect(error.name).toBe("ValidationError");
  });
});

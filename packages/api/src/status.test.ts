import { describe, expect, it } from "vitest";
import { ApiError } from "./errors.js";
import { fromStatus, isFailureStatus, toStatus } from "./status.js";

const notFound = new ApiError('pods "web" not found', {
  code: 404,
  reason: "NotFound",
  details: { kind: "pods", name: "web", group: "", causes: [], retryAfterSeconds: 0 },
});

describe("toStatus", () => {
  it("prints what the API server prints, in its order", () => {
    expect(JSON.stringify(toStatus(notFound))).toBe(
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"pods \\"web\\" not found",' +
        '"reason":"NotFound","details":{"name":"web","kind":"pods"},"code":404}',
    );
  });

  it("leaves out an unknown reason and missing details", () => {
    const error = new ApiError("teapot", { code: 418, reason: "Unknown" });
    expect(toStatus(error)).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: "teapot",
      code: 418,
    });
  });

  it("prints causes", () => {
    const error = new ApiError("no", {
      code: 422,
      reason: "Invalid",
      details: { causes: [{ field: "spec.a", reason: "FieldValueRequired", message: "Required value" }, {}] },
    });
    expect(JSON.stringify(toStatus(error).details)).toBe(
      '{"causes":[{"reason":"FieldValueRequired","message":"Required value","field":"spec.a"},{}]}',
    );
  });
});

describe("fromStatus", () => {
  it("gives back the error a status was made from", () => {
    const error = fromStatus(toStatus(notFound));
    expect(error).toBeInstanceOf(ApiError);
    expect([error.message, error.code, error.reason]).toEqual(['pods "web" not found', 404, "NotFound"]);
    expect(error.details).toEqual({ kind: "pods", name: "web" });
  });

  it("makes do with little", () => {
    const error = fromStatus({ code: 503 });
    expect(error.message).toBe(
      "the server responded with the status code 503 but did not return more information",
    );
    expect(error.reason).toBe("Unknown");
    expect(fromStatus({}).code).toBe(500);
  });
});

describe("isFailureStatus", () => {
  it.each<[unknown, boolean]>([
    [toStatus(notFound), true],
    [{ kind: "Status", apiVersion: "v1", status: "Success" }, false],
    [{ kind: "Pod", apiVersion: "v1", status: "Failure" }, false],
    [null, false],
    ["Failure", false],
  ])("%j: %s", (value, expected) => {
    expect(isFailureStatus(value)).toBe(expected);
  });
});

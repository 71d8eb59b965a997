import { describe, expect, test } from "vitest";
import { OwnFields } from "./own-fields.js";

const entry = (manager: string, operation: string, fieldsV1: object, subresource?: string) => ({
  manager,
  operation,
  apiVersion: "apps/v1",
  fieldsType: "FieldsV1",
  time: "2026-01-01T00:00:00Z",
  fieldsV1: fieldsV1 as never,
  ...(subresource ? { subresource } : {}),
});

describe("our managed fields of an object", () => {
  const spec = { "f:spec": { "f:replicas": {}, "f:ports": { 'k:{"port":80}': { ".": {}, "f:port": {} } } } };
  const status = { "f:status": { "f:ready": {} } };

  test("are the ones our field manager applied, for the object and for each subresource", () => {
    const own = new OwnFields("ours");
    const object = {};
    own.keep(object, [
      entry("kubectl", "Apply", { "f:data": {} }),
      entry("ours", "Apply", spec),
      entry("ours", "Update", { "f:metadata": {} }),
      entry("ours", "Apply", status, "status"),
    ]);
    expect(own.of(object)).toEqual([
      { apiVersion: "apps/v1", subresource: "", fields: spec },
      { apiVersion: "apps/v1", subresource: "status", fields: status },
    ]);
  });

  test("are none where we applied nothing, or managedFields are missing", () => {
    const own = new OwnFields("ours");
    const object = {};
    own.keep(object, [entry("kubectl", "Apply", spec)]);
    expect(own.of(object)).toEqual([]);
    expect(own.of({})).toEqual([]);
  });

  test("are decoded once for objects with equal sets", () => {
    const own = new OwnFields("ours");
    const [one, other] = [{}, {}];
    own.keep(one, [entry("ours", "Apply", spec)]);
    own.keep(other, [entry("ours", "Apply", structuredClone(spec))]);
    expect(own.of(one)).toBe(own.of(other));
  });
});

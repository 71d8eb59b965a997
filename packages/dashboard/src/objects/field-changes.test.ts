import { describe, expect, test } from "vitest";
import { fieldChanges } from "./field-changes.js";
import { fieldOwners, managerOf } from "./managed-fields.js";

describe("changes between two versions", () => {
  test("items with names are compared by name", () => {
    const before = { spec: { containers: [{ name: "web", image: "a:1" }] } };
    const after = {
      spec: {
        containers: [
          { name: "sidecar", image: "s:1" },
          { name: "web", image: "a:2" },
        ],
      },
    };
    expect(fieldChanges(before, after)).toEqual([
      { path: "spec.containers[name=web].image", before: "a:1", after: "a:2" },
      { path: "spec.containers[name=sidecar]", before: undefined, after: '{"name":"sidecar","image":"s:1"}' },
    ]);
  });

  test("resource versions and managed fields are no change", () => {
    expect(
      fieldChanges({ metadata: { resourceVersion: "1" } }, { metadata: { resourceVersion: "2" } }),
    ).toEqual([]);
  });

  test("long values are cut", () => {
    expect(fieldChanges({ a: "x" }, { a: "y".repeat(1_000) })[0]?.after).toHaveLength(201);
  });
});

describe("owners of fields", () => {
  const owners = fieldOwners([
    {
      manager: "operator",
      operation: "Apply",
      time: "2026-01-01T00:00:00Z",
      fieldsV1: {
        "f:spec": { "f:containers": { 'k:{"name":"web"}': { ".": {}, "f:image": {} } }, "f:replicas": {} },
      },
    },
    {
      manager: "kubectl",
      operation: "Update",
      time: "2026-01-02T00:00:00Z",
      fieldsV1: { "f:spec": { "f:replicas": {} } },
    },
  ]);

  test("paths are written as people write them", () => {
    expect(owners[0]?.fields).toEqual(["spec.containers[name=web].image", "spec.replicas"]);
  });

  test("of two managers the one that wrote last is named", () => {
    expect(managerOf(owners, "spec.replicas")).toBe("kubectl");
    expect(managerOf(owners, "spec.containers[name=web].image")).toBe("operator");
    expect(managerOf(owners, "spec.other")).toBeUndefined();
  });
});

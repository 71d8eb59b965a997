import type { JsonObject, ManagedFieldsEntry } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { parentEntries, scaleEntries } from "./scale-managed-fields.js";

const entry = (
  manager: string,
  operation: string,
  fields: JsonObject,
  more: object = {},
): ManagedFieldsEntry => ({
  manager,
  operation,
  apiVersion: "apps/v1",
  time: "2026-01-02T12:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:spec": fields },
  ...more,
});

const paths = { "apps/v1": ".spec.replicas" };
const parent = [
  entry("alice", "Apply", { "f:replicas": {}, "f:paused": {} }),
  entry("bob", "Update", { "f:paused": {} }),
];

describe("managedFields through the scale subresource", () => {
  it("show the field manager of replicas", () => {
    expect(scaleEntries(parent, paths)).toEqual([
      { ...entry("alice", "Apply", { "f:replicas": {} }), apiVersion: "autoscaling/v1" },
    ]);
  });

  it("come back unchanged when nothing changed hands", () => {
    const scale = scaleEntries(parent, paths);
    expect(parentEntries(parent, scale, paths, "apps/v1")).toBe(parent);
  });

  it("move replicas to the field manager that set it through scale", () => {
    const scale = [
      entry("hpa", "Apply", { "f:replicas": {} }, { apiVersion: "autoscaling/v1", subresource: "scale" }),
    ];
    const { time: _lost, ...taken } = entry("hpa", "Apply", { "f:replicas": {} }, { subresource: "scale" });
    expect(parentEntries(parent, scale, paths, "apps/v1")).toEqual([
      taken,
      entry("alice", "Apply", { "f:paused": {} }),
      entry("bob", "Update", { "f:paused": {} }),
    ]);
  });

  it("forget versions the parent no longer has, and keep those without a scale", () => {
    const entries = [
      entry("old", "Update", { "f:x": {} }, { apiVersion: "apps/v0" }),
      entry("bob", "Update", { "f:x": {} }),
    ];
    expect(parentEntries(entries, undefined, { "apps/v1": null }, "apps/v1")).toEqual([entries[1]]);
  });
});

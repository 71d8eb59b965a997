import type { JsonObject } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { deepFreeze } from "./example-kind.js";
import { ignoreTimestamps, withManagedFields } from "./object-managed-fields.js";

const entry = {
  manager: "a",
  operation: "Update",
  apiVersion: "v1",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:a": {} },
};
const object = (time: string, data: object = { k: "v" }, fieldsV1: JsonObject = entry.fieldsV1) =>
  deepFreeze({ metadata: { name: "x", managedFields: [{ ...entry, time, fieldsV1 }] }, data });

describe("managedFields of an object", () => {
  it("are set and taken away without touching the object", () => {
    const before = object("1");
    expect(withManagedFields(before, undefined)).toEqual({ metadata: { name: "x" }, data: { k: "v" } });
    expect(withManagedFields(before, [])).toEqual({
      metadata: { name: "x", managedFields: [] },
      data: { k: "v" },
    });
    expect(withManagedFields(before, before.metadata.managedFields)).toBe(before);
    expect(withManagedFields({}, [entry])).toEqual({ metadata: { managedFields: [entry] } });
  });

  it("that differ only in their times are no change", () => {
    const live = object("1");
    expect(ignoreTimestamps(object("2"), live)).toBe(live);
    expect(ignoreTimestamps(structuredClone(live), live)).toBe(live);
  });

  it.each([
    ["content", object("2", { k: "w" })],
    ["owners", object("2", { k: "v" }, { "f:b": {} })],
    ["the number of entries", withManagedFields(object("1"), undefined)],
  ])("that come with other %s are a change", (_what, updated) => {
    expect(ignoreTimestamps(updated, object("1"))).toBe(updated);
  });
});

it("managedFields of a large object: finds the one change", () => {
  const data = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`key-${index}`, "value"]));
  const live = { metadata: { name: "a" }, data };
  expect(ignoreTimestamps(structuredClone(live), live)).toBe(live);
  const changed = { ...structuredClone(live), data: { ...data, "key-4999": "other" } };
  expect(ignoreTimestamps(changed, live)).toBe(changed);
});

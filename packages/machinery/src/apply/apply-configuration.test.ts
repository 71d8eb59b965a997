import { ApiError } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { applyConfiguration } from "./apply-configuration.js";
import type { AnyObject, ApplyOptions } from "./apply-types.js";
import { deepFreeze, example, exampleApiVersion, exampleTypeInfo } from "./example-kind.js";
import { withManagedFields } from "./object-managed-fields.js";
import { trackUpdate } from "./track-update.js";

type Json = Record<string, unknown>;
type Options = Partial<ApplyOptions>;

const noon = "2026-01-02T12:00:00Z";
const later = "2026-01-02T12:00:05Z";

function apply(
  live: AnyObject | undefined,
  manager: string,
  applied: AnyObject,
  options: Options = {},
): AnyObject {
  return deepFreeze(
    applyConfiguration({
      live,
      applied: deepFreeze(applied),
      typeInfo: exampleTypeInfo,
      kind: "Example",
      apiVersion: exampleApiVersion,
      manager,
      force: false,
      time: noon,
      ...options,
    }).object,
  );
}

/** As the server does, an object that is stored has a uid. */
const stored = (object: AnyObject): AnyObject =>
  deepFreeze({ ...object, metadata: { ...(object["metadata"] as Json), uid: "u" } });

function update(live: AnyObject, manager: string, updated: AnyObject, options: Json = {}): AnyObject {
  const typeInfo = exampleTypeInfo;
  const managedFields = trackUpdate({
    live,
    updated: deepFreeze(updated),
    typeInfo,
    manager,
    apiVersion: exampleApiVersion,
    time: noon,
    ...options,
  });
  return deepFreeze(withManagedFields(updated, managedFields));
}

const specOf = (object: AnyObject) => object["spec"] as Json;
const entriesOf = (object: AnyObject) => ((object["metadata"] as Json)["managedFields"] ?? []) as Json[];
const fieldsOf = (object: AnyObject, manager: string) =>
  entriesOf(object).find((entry) => entry["manager"] === manager)?.["fieldsV1"];

function failureOf(act: () => unknown): ApiError {
  try {
    act();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  return expect.fail("should fail");
}

describe("server-side apply", () => {
  it("creates an object its manager owns", () => {
    const object = apply(undefined, "alice", example({ replicas: 1, set: ["a"] }, { labels: { l: "x" } }));
    expect(entriesOf(object)).toEqual([
      {
        manager: "alice",
        operation: "Apply",
        apiVersion: exampleApiVersion,
        time: noon,
        fieldsType: "FieldsV1",
        fieldsV1: {
          "f:metadata": { "f:labels": { "f:l": {} } },
          "f:spec": { "f:replicas": {}, "f:set": { 'v:"a"': {} } },
        },
      },
    ]);
  });

  it("gives the live object itself back when nothing changes", () => {
    const applied = example({ replicas: 1, map: [{ name: "a", value: 1 }] });
    const live = apply(undefined, "alice", applied);
    expect(apply(live, "alice", structuredClone(applied), { time: later })).toBe(live);
  });

  it("moves the time only when it changes the object", () => {
    const live = apply(undefined, "alice", example({ replicas: 1 }));
    const changed = apply(live, "alice", example({ replicas: 2 }), { time: later });
    expect(entriesOf(changed)).toMatchObject([{ manager: "alice", time: later }]);
    const shared = apply(changed, "bob", example({ replicas: 2 }), { time: later });
    expect(entriesOf(shared)).toMatchObject([{ manager: "bob" }, { manager: "alice", time: later }]);
    expect(entriesOf(shared)[0]).not.toHaveProperty("time");
  });

  it("shares what several apply alike, and removes it when the last lets go", () => {
    let object = apply(undefined, "alice", example({ mode: "a", replicas: 1 }));
    object = apply(object, "bob", example({ mode: "a" }));
    object = apply(object, "alice", example({ replicas: 1 }));
    expect(specOf(object)).toEqual({ mode: "a", replicas: 1 });
    object = apply(object, "bob", example({}));
    expect(specOf(object)).toEqual({ replicas: 1 });
  });

  it("refuses to change what others own, naming every field", () => {
    let object = apply(
      undefined,
      "alice",
      example({ replicas: 1, plain: [1], map: [{ name: "a", value: 1 }] }),
    );
    object = update(stored(object), "kubectl-edit", { ...object, spec: { ...specOf(object), mode: "b" } });
    const error = failureOf(() =>
      apply(object, "carol", example({ replicas: 2, plain: [2], mode: "c", map: [{ name: "a", value: 2 }] })),
    );
    expect(error).toMatchObject({ code: 409, reason: "Conflict" });
    expect(error.message).toBe(
      [
        'Apply failed with 4 conflicts: conflicts with "alice":',
        "- .spec.plain",
        "- .spec.replicas",
        '- .spec.map[name="a"].value',
        'conflicts with "kubectl-edit" using example.com/v1:',
        "- .spec.mode",
      ].join("\n"),
    );
    expect(error.details?.causes).toContainEqual({
      reason: "FieldManagerConflict",
      message: 'conflict with "kubectl-edit" using example.com/v1',
      field: ".spec.mode",
    });
  });

  it("takes fields over by force", () => {
    const live = apply(undefined, "alice", example({ replicas: 1, mode: "a" }));
    const object = apply(live, "bob", example({ replicas: 2 }), { force: true });
    expect(specOf(object)).toEqual({ replicas: 2, mode: "a" });
    expect(fieldsOf(object, "alice")).toEqual({ "f:spec": { "f:mode": {} } });
    expect(fieldsOf(object, "bob")).toEqual({ "f:spec": { "f:replicas": {} } });
  });

  it("forgets managers that are left with nothing", () => {
    const live = apply(undefined, "alice", example({ replicas: 1 }));
    const object = apply(live, "bob", example({ replicas: 2 }), { force: true });
    expect(entriesOf(object).map((entry) => entry["manager"])).toEqual(["bob"]);
    const { spec: _spec, ...nothing } = example({});
    expect(apply(object, "bob", nothing)).toEqual(nothing);
  });

  it("removes list items and map keys no longer applied, but not what nobody applied", () => {
    let object = apply(
      undefined,
      "alice",
      example({ map: [{ name: "a", value: 1 }, { name: "b" }], free: { k: "v", l: "w" }, obj: { a: "1" } }),
    );
    object = stored({ ...object, spec: { ...specOf(object), mode: "defaulted", plain: [7] } });
    object = apply(object, "alice", example({ map: [{ name: "b" }], free: { l: "w" } }));
    expect(specOf(object)).toEqual({ map: [{ name: "b" }], free: { l: "w" }, mode: "defaulted", plain: [7] });
  });

  it("leaves null of a map that is left with nothing", () => {
    const live = apply(undefined, "alice", example({ replicas: 1, free: { k: "v" }, set: ["a"] }));
    const object = apply(live, "alice", example({ replicas: 1, free: {}, set: [] }));
    expect(specOf(object)).toEqual({ replicas: 1, free: null });
  });

  it("keeps what an updater owns in a struct the applier lets go of", () => {
    let object = stored(apply(undefined, "alice", example({ obj: { a: "1" } })));
    object = update(object, "bob", { ...object, spec: { obj: { a: "1", b: "2" } } });
    object = apply(object, "alice", example({}));
    expect(specOf(object)).toEqual({ obj: { b: "2" } });
  });

  it("removes a list item with what an updater added to it, as nobody else owns the item", () => {
    let object = stored(apply(undefined, "alice", example({ map: [{ name: "a" }, { name: "b" }] })));
    object = update(object, "bob", { ...object, spec: { map: [{ name: "a", extra: "x" }, { name: "b" }] } });
    object = apply(object, "alice", example({ map: [{ name: "b" }] }));
    expect(specOf(object)).toEqual({ map: [{ name: "b" }] });
  });

  it("lets everything an object had before belong to nobody's apply", () => {
    const live = stored(example({ replicas: 1, mode: "a" }));
    expect(failureOf(() => apply(live, "alice", example({ replicas: 2 }))).message).toBe(
      'Apply failed with 1 conflict: conflict with "before-first-apply" using example.com/v1: .spec.replicas',
    );
    const object = apply(live, "alice", example({ replicas: 1 }));
    expect(fieldsOf(object, "before-first-apply")).toEqual({
      "f:spec": { ".": {}, "f:mode": {}, "f:replicas": {} },
    });
  });

  it("tracks a subresource apart and ignores what it resets", () => {
    let object = stored(apply(undefined, "alice", example({ replicas: 1 })));
    const status = { ...example({ replicas: 9 }), status: { phase: "Ready" } };
    object = apply(object, "alice", status, { subresource: "status", resetFields: ["spec"] });
    expect(entriesOf(object)).toMatchObject([
      { manager: "alice", fieldsV1: { "f:spec": { "f:replicas": {} } } },
      { manager: "alice", subresource: "status", fieldsV1: { "f:status": { "f:phase": {} } } },
    ]);
    const conflict = { ...example({}), status: { phase: "Gone" } };
    const error = failureOf(() => apply(object, "bob", conflict, { subresource: "status" }));
    expect(error.message).toMatch(/conflict with "alice" with subresource "status": \.status\.phase$/);
  });

  it("owns as a whole what has become atomic since", () => {
    const object = apply(undefined, "alice", example({ atomicObj: { a: "1" } }));
    const [entry] = entriesOf(object);
    const granular = { ...entry, fieldsV1: { "f:spec": { "f:atomicObj": { ".": {}, "f:a": {} } } } };
    const live = stored({ ...object, metadata: { name: "x", managedFields: [granular] } });
    const error = failureOf(() => apply(live, "bob", example({ atomicObj: { b: "2" } })));
    expect(error.message).toBe('Apply failed with 1 conflict: conflict with "alice": .spec.atomicObj');
  });

  it.each([
    ["another kind", { kind: "Other" }, 400, "invalid object type: example.com/v1, Kind=Other"],
    ["no kind", { apiVersion: undefined, kind: undefined }, 400, "invalid object type: /, Kind="],
    [
      "managedFields",
      { metadata: { name: "x", managedFields: [] } },
      400,
      "metadata.managedFields must be nil",
    ],
    [
      "a wrong type",
      { spec: { replicas: "x" } },
      500,
      "failed to create typed patch object (/x; example.com/v1, Kind=Example): .spec.replicas: expected numeric (int or float), got string",
    ],
  ])("refuses %s", (_what, part, code, message) => {
    const error = failureOf(() => apply(undefined, "alice", { ...example({}), ...part }));
    expect([error.code, error.message]).toEqual([code, message]);
  });

  it("takes what others wrote in another version, through conversion", () => {
    // In v2 `replicas` is called `size`.
    const rename = (object: AnyObject, from: string, to: string, apiVersion: string) => {
      const { [from]: value, ...spec } = specOf(object) ?? {};
      return { ...object, apiVersion, spec: value === undefined ? spec : { ...spec, [to]: value } };
    };
    const convert: ApplyOptions["convert"] = (object, apiVersion) => {
      if (apiVersion === "example.com/v0") return undefined;
      const renamed =
        apiVersion === "example.com/v2"
          ? rename(object, "replicas", "size", apiVersion)
          : rename(object, "size", "replicas", apiVersion);
      return { object: renamed, typeInfo: exampleTypeInfo };
    };
    const live = stored(apply(undefined, "alice", example({ replicas: 1 })));
    const entry = (manager: string, apiVersion: string, field: string) => ({
      ...entriesOf(live)[0],
      manager,
      apiVersion,
      fieldsV1: { "f:spec": { [field]: {} } },
    });
    const entries = [entry("old", "example.com/v0", "f:mode"), entry("new", "example.com/v2", "f:size")];
    const shared = withManagedFields(live, [...entries, ...entriesOf(live)]);
    const error = failureOf(() => apply(shared, "carol", example({ replicas: 2 }), { convert }));
    expect(error.details?.causes?.map(({ field }) => field)).toEqual([".spec.replicas", ".spec.size"]);
    const given = apply(shared, "alice", example({}), { convert });
    expect(specOf(given)).toEqual({ replicas: 1 });
    expect(entriesOf(given).map(({ manager }) => manager)).toEqual(["alice", "new"]);
  });
});

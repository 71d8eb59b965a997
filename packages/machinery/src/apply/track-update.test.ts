import type { ManagedFieldsEntry } from "@kubewright/api";
import { kindTypeInfo } from "@kubewright/api/type-info";
import { describe, expect, it } from "vitest";
import type { AnyObject, TrackUpdateOptions } from "./apply-types.js";
import { deepFreeze, example, exampleApiVersion, exampleTypeInfo } from "./example-kind.js";
import { managedFieldsProblem } from "./managed-fields.js";
import { withManagedFields } from "./object-managed-fields.js";
import { trackUpdate } from "./track-update.js";

type Json = Record<string, unknown>;

const noon = "2026-01-02T12:00:00Z";
const later = "2026-01-02T12:00:05Z";

function track(
  live: AnyObject | undefined,
  manager: string,
  updated: AnyObject,
  options: Partial<TrackUpdateOptions> = {},
) {
  const shared = { typeInfo: exampleTypeInfo, apiVersion: exampleApiVersion, time: noon, ...options };
  return trackUpdate({ live: deepFreeze(live), updated: deepFreeze(updated), manager, ...shared });
}

/** A stored object after an update. */
function write(
  live: AnyObject | undefined,
  manager: string,
  updated: AnyObject,
  options?: Partial<TrackUpdateOptions>,
): AnyObject {
  const entries = track(live, manager, updated, options);
  const { metadata } = updated as { metadata: Json };
  return deepFreeze(withManagedFields({ ...updated, metadata: { ...metadata, uid: "u" } }, entries));
}

const entriesOf = (object: AnyObject) =>
  (object["metadata"] as { managedFields?: ManagedFieldsEntry[] }).managedFields;
const managersOf = (entries: readonly ManagedFieldsEntry[] | undefined) =>
  entries?.map(({ manager }) => manager);
const spec = (entries: readonly ManagedFieldsEntry[] | undefined, manager: string) =>
  (entries?.find((entry) => entry.manager === manager)?.fieldsV1 as Json | undefined)?.["f:spec"];

describe("managed fields of updates", () => {
  it("gives a new object to its creator, but not what names it or what the server sets", () => {
    const system = { uid: "u", namespace: "n", resourceVersion: "1", generation: 1, creationTimestamp: noon };
    const entries = track(undefined, "alice", example({ replicas: 1 }, { ...system, labels: { l: "x" } }));
    expect(entries).toEqual([
      {
        manager: "alice",
        operation: "Update",
        apiVersion: exampleApiVersion,
        time: noon,
        fieldsType: "FieldsV1",
        fieldsV1: {
          "f:metadata": { "f:labels": { ".": {}, "f:l": {} } },
          "f:spec": { ".": {}, "f:replicas": {} },
        },
      },
    ]);
  });

  it("does not give a native object's creator what is printed unasked", () => {
    const typeInfo = kindTypeInfo({ group: "apps", version: "v1", kind: "Deployment" });
    const deployment = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d" },
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [] } },
        strategy: {},
      },
      status: {},
    };
    expect(
      typeInfo && track(undefined, "alice", deployment, { typeInfo, apiVersion: "apps/v1" }),
    ).toMatchObject([
      {
        fieldsV1: {
          "f:spec": {
            "f:selector": {},
            "f:template": { "f:metadata": { "f:labels": { ".": {}, "f:a": {} } } },
          },
        },
      },
    ]);
  });

  it("moves changed fields to the field manager that changes them", () => {
    const live = write(undefined, "alice", example({ replicas: 1, mode: "a" }));
    const entries = track(live, "bob", example({ replicas: 2, mode: "a", set: ["x"] }), { time: later });
    expect(spec(entries, "alice")).toEqual({ ".": {}, "f:mode": {} });
    expect(spec(entries, "bob")).toEqual({ "f:replicas": {}, "f:set": { ".": {}, 'v:"x"': {} } });
    expect(managersOf(entries)).toEqual(["alice", "bob"]);
  });

  it("adds to what the same manager owns already, and moves its time", () => {
    const live = write(undefined, "alice", example({ replicas: 1 }));
    const entries = track(live, "alice", example({ replicas: 1, mode: "a" }), { time: later });
    expect(entries).toMatchObject([
      { manager: "alice", time: later, fieldsV1: { "f:spec": { "f:mode": {}, "f:replicas": {} } } },
    ]);
  });

  it("gives the very list back when nothing changes", () => {
    const live = write(undefined, "alice", example({ replicas: 1 }));
    const same = structuredClone(live) as AnyObject;
    expect(track(live, "bob", same, { time: later })).toBe(entriesOf(live));
    expect(track(live, "bob", withManagedFields(same, undefined), { time: later })).toBe(entriesOf(live));
  });

  it("drops removed fields from everyone, and managers left with nothing", () => {
    let live = write(undefined, "alice", example({ replicas: 1 }));
    live = write(live, "bob", example({ replicas: 1, mode: "a" }));
    const entries = track(live, "carol", example({ replicas: 1 }), { time: later });
    expect(managersOf(entries)).toEqual(["alice"]);
    expect(entries?.[0]?.time).toBe(noon);
  });

  it("keeps subresources apart and ignores what the endpoint resets", () => {
    const live = write(
      undefined,
      "alice",
      { ...example({ replicas: 1 }), status: { phase: "x" } },
      { resetFields: ["status"] },
    );
    expect(entriesOf(live)?.[0]?.fieldsV1).not.toHaveProperty("f:status");
    const updated = { ...example({ replicas: 9 }), status: { phase: "Ready" } };
    const entries = track(live, "alice", updated, {
      subresource: "status",
      resetFields: ["spec"],
      time: later,
    });
    expect(entries?.map(({ subresource }) => subresource)).toEqual([undefined, "status"]);
    expect(spec(entries, "alice")).toEqual({ ".": {}, "f:replicas": {} });
  });

  it.each([
    ["an empty list", []],
    ["one empty entry", [{}]],
  ])("stops tracking when a client sends %s, until the next apply", (_what, managedFields) => {
    const live = write(undefined, "alice", example({ replicas: 1 }));
    const reset = write(live, "bob", withManagedFields(example({ replicas: 2 }), managedFields));
    expect(entriesOf(reset)).toBeUndefined();
    expect(track(reset, "bob", example({ replicas: 3 }))).toBeUndefined();
  });

  it("takes managedFields a client writes, in the server's spelling", () => {
    const live = write(undefined, "alice", example({ replicas: 1, map: [{ name: "a" }] }));
    const entry = {
      ...entriesOf(live)?.[0],
      manager: "migrated",
      fieldsV1: { "f:spec": { "f:map": { 'k:{ "name" : "a" }': {} } } },
    };
    const entries = track(
      live,
      "bob",
      withManagedFields(example({ replicas: 1, map: [{ name: "a" }] }), [entry]),
    );
    expect(managersOf(entries)).toEqual(["migrated"]);
    expect(spec(entries, "migrated")).toEqual({ "f:map": { 'k:{"name":"a"}': {} } });
  });

  it.each([
    ["an unknown operation", { operation: "Create" }],
    ["no version", { apiVersion: "" }],
    ["another fieldsType", { fieldsType: "FieldsV2" }],
    ["broken fields", { fieldsV1: { spec: {} } }],
  ])("ignores managedFields with %s", (_what, part) => {
    const live = write(undefined, "alice", example({ replicas: 1 }));
    const broken = [{ ...entriesOf(live)?.[0], ...part }];
    expect(track(live, "bob", withManagedFields(example({ replicas: 1 }), broken))).toBe(entriesOf(live));
    expect(managedFieldsProblem(broken)).toBeTypeOf("string");
    expect(managedFieldsProblem(entriesOf(live))).toBeUndefined();
  });

  it("ignores managedFields sent through a subresource", () => {
    const live = write(undefined, "alice", example({ replicas: 1 }));
    const updated = withManagedFields(example({ replicas: 1 }), []);
    expect(track(live, "bob", updated, { subresource: "status" })).toBe(entriesOf(live));
  });

  it("never fails a write over list items without their keys, and forgets what it knew, as kube-apiserver does", () => {
    const live = write(undefined, "alice", example({ replicas: 1 }));
    expect(track(live, "bob", example({ replicas: 2, map: [{ value: 1 }] }))).toBeUndefined();
  });

  it("merges the oldest updaters when there are more than ten", () => {
    let live = write(undefined, "m00", example({ free: {} }));
    const free: Record<string, string> = {};
    for (let second = 1; second <= 12; second++) {
      const name = `m${String(second).padStart(2, "0")}`;
      free[name] = "x";
      live = write(live, name, example({ free: { ...free } }), {
        time: `2026-01-02T12:00:${String(second + 10)}Z`,
      });
    }
    const entries = entriesOf(live) ?? [];
    expect(managersOf(entries)).toEqual([
      "ancient-changes",
      "m04",
      "m05",
      "m06",
      "m07",
      "m08",
      "m09",
      "m10",
      "m11",
      "m12",
    ]);
    expect(entries[0]?.time).toBe("2026-01-02T12:00:13Z");
    expect(spec(entries, "ancient-changes")).toMatchObject({
      "f:free": { "f:m01": {}, "f:m02": {}, "f:m03": {} },
    });
  });
});

describe("managed fields of updates with a great many fields", () => {
  const many = (count: number, text: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, text]));
  const options = (updated: AnyObject, live?: AnyObject) => ({
    live,
    updated,
    typeInfo: exampleTypeInfo,
    manager: "alice",
    apiVersion: "v1",
    time: noon,
  });

  it("are tracked", () => {
    const entries = trackUpdate(options(example({ replicas: 1 }, { labels: many(3000, "x") })));
    const fields = entries?.[0]?.fieldsV1 as Record<string, Record<string, object>>;
    expect(Object.keys(fields["f:metadata"]?.["f:labels"] ?? {})).toHaveLength(3001);
    expect(fields["f:spec"]).toEqual({ ".": {}, "f:replicas": {} });
  });

  it("change hands one by one", () => {
    const before = example({}, { labels: many(2000, "x") });
    const live = withManagedFields(before, trackUpdate(options(before)));
    const after = example({}, { labels: { ...many(2000, "x"), "key-7": "y" } });
    const entries = trackUpdate({ ...options(after, live), manager: "bob" });
    const labelsOf = (manager: string): string[] => {
      const entry = entries?.find((candidate) => candidate.manager === manager);
      const fields = entry?.fieldsV1 as Record<string, Record<string, object>>;
      return Object.keys(fields["f:metadata"]?.["f:labels"] ?? {});
    };
    expect(labelsOf("bob")).toEqual(["f:key-7"]);
    expect(labelsOf("alice")).not.toContain("f:key-7");
    expect(labelsOf("alice")).toContain("f:key-1999");
  });
});

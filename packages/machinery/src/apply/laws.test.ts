// Laws that hold for any two objects of a kind with every sort of list and map. All inputs are frozen: an engine that
// changes one throws.
import { ApiError } from "@kubewright/api";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyConfiguration } from "./apply-configuration.js";
import type { AnyObject } from "./apply-types.js";
import { compare } from "./compare.js";
import { deepFreeze, example, exampleApiVersion, exampleTypeInfo } from "./example-kind.js";
import { withNamedFields } from "./field-set-type.js";
import { merge } from "./merge.js";
import { withManagedFields } from "./object-managed-fields.js";
import { removeItems } from "./remove-items.js";
import { toFieldSet, toFieldSetWithNamed } from "./to-field-set.js";
import { trackUpdate } from "./track-update.js";
import { typeProblems } from "./validate-typed.js";

type Json = Readonly<Record<string, unknown>>;

const word = fc.constantFrom("a", "b", "c", "d", "__proto__", "constructor", "1");
const dictionary = <T>(value: fc.Arbitrary<T>) =>
  fc.array(fc.tuple(word, value), { maxLength: 3 }).map((entries) => Object.fromEntries(entries));
const optional = { requiredKeys: [] };

const anything = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 2 }, word, fc.integer({ max: 3 }), fc.boolean(), tie("list"), tie("map")),
  list: fc.array(tie("value"), { maxLength: 2 }),
  map: dictionary(tie("value")),
})).value;

/** Any spec the schema of the example kind allows. */
const specs: fc.Arbitrary<Json> = fc.record(
  {
    replicas: fc.integer({ min: 0, max: 3 }),
    mode: word,
    paused: fc.boolean(),
    map: fc.uniqueArray(
      fc.record({ name: word, value: fc.integer({ max: 3 }), extra: word }, { requiredKeys: ["name"] }),
      { maxLength: 3, selector: ({ name }) => name },
    ),
    ports: fc.uniqueArray(
      fc.record(
        { port: fc.integer({ min: 1, max: 3 }), protocol: fc.constantFrom("TCP", "UDP") },
        { requiredKeys: ["port"] },
      ),
      { maxLength: 3, selector: ({ port, protocol = "TCP" }) => `${port} ${protocol}` },
    ),
    set: fc.uniqueArray(word, { maxLength: 3 }),
    plain: fc.array(fc.integer({ max: 3 }), { maxLength: 3 }),
    obj: fc.record({ a: word, b: word, inner: fc.record({ c: word }, optional) }, optional),
    atomicObj: fc.record({ a: word, b: word }, optional),
    free: dictionary(word),
    nested: dictionary(fc.record({ a: word }, optional)),
    any: anything,
  },
  optional,
);

const law = (check: (a: AnyObject, b: AnyObject) => void) =>
  fc.assert(fc.property(specs, specs, (a, b) => check(deepFreeze(example(a)), deepFreeze(example(b)))));

const noon = "2026-01-02T12:00:00Z";
const later = "2026-01-02T12:00:05Z";
const common = {
  typeInfo: exampleTypeInfo,
  kind: "Example",
  apiVersion: exampleApiVersion,
  force: false,
  time: noon,
};

function apply(
  live: AnyObject | undefined,
  manager: string,
  applied: AnyObject,
  options: object = {},
): AnyObject {
  return deepFreeze(applyConfiguration({ ...common, live, manager, applied, ...options }).object);
}

const specOf = (object: AnyObject) => object["spec"] as Json;

describe("laws of merging", () => {
  it("a comparison is symmetric, and finds nothing between equal objects", () => {
    law((before, after) => {
      const forth = compare(before, after, exampleTypeInfo);
      const back = compare(after, before, exampleTypeInfo);
      expect(forth.added.equals(back.removed)).toBe(true);
      expect(forth.removed.equals(back.added)).toBe(true);
      expect(forth.modified.equals(back.modified)).toBe(true);
      const same = compare(before, structuredClone(before), exampleTypeInfo);
      expect([same.added.size, same.modified.size, same.removed.size]).toEqual([0, 0, 0]);
    });
  });

  it("a merge holds all that was applied, removes nothing, and is the live object when nothing changes", () => {
    law((live, applied) => {
      expect(typeProblems(applied, exampleTypeInfo)).toBeUndefined();
      const merged = merge(live, applied, exampleTypeInfo);
      const { modified, added } = compare(merged, applied, exampleTypeInfo);
      expect([modified.size, added.leaves().size]).toEqual([0, 0]);
      const { removed } = compare(live, merged, exampleTypeInfo);
      expect(removed.isEmpty || "any" in specOf(applied)).toBe(true);
      expect(merge(merged, applied, exampleTypeInfo)).toBe(merged);
      expect(merge(live, structuredClone(live), exampleTypeInfo)).toBe(live);
    });
  });

  it("named fields are the same however they are collected", () => {
    law((object) => {
      const added = withNamedFields(toFieldSet(object, exampleTypeInfo), exampleTypeInfo);
      expect(toFieldSetWithNamed(object, exampleTypeInfo).equals(added)).toBe(true);
    });
  });

  it("removing items leaves none of them", () => {
    law((object, other) => {
      const items = toFieldSet(other, exampleTypeInfo);
      const rest = removeItems(object, items, exampleTypeInfo) ?? {};
      expect(toFieldSet(rest, exampleTypeInfo).leaves().intersection(items.leaves()).isEmpty).toBe(true);
    });
  });
});

describe("server-side apply laws", () => {
  it("an update that changes nothing changes no owner", () => {
    law((a, b) => {
      const track = (live: AnyObject | undefined, manager: string, updated: AnyObject, time: string) =>
        trackUpdate({ ...common, live, manager, updated, time });
      const live = withManagedFields(a, track(undefined, "alice", a, noon));
      const entries = track(live, "bob", b, noon);
      const stored = deepFreeze(withManagedFields(b, entries));
      expect(track(stored, "carol", structuredClone(b), later)).toBe(entries);
    });
  });

  it("applying is idempotent", () => {
    law((a, b) => {
      const live = apply(undefined, "alice", a);
      const once = apply(live, "bob", b, { force: true });
      expect(apply(once, "bob", structuredClone(b), { force: true, time: later })).toBe(once);
      expect(apply(once, "bob", b)).toBe(once);
    });
  });

  it("applying and then applying nothing restores what was there", () => {
    law((applied) => {
      const { any: _any, replicas: _replicas, paused: _paused, ...mine } = specOf(applied);
      const live = apply(undefined, "alice", example({ replicas: 7, paused: true }));
      const both = apply(live, "bob", example(mine));
      const after = apply(both, "bob", example({}));
      const left = Object.entries(specOf(after)).filter(([, value]) => !isHollow(value));
      expect(Object.fromEntries(left)).toEqual({ replicas: 7, paused: true });
    });
  });
});

describe("server-side apply of any JSON", () => {
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      word,
      fc.integer(),
      fc.constant(null),
      fc.boolean(),
      tie("list"),
      tie("map"),
    ),
    list: fc.array(tie("value"), { maxLength: 3 }),
    map: fc
      .array(
        fc.tuple(fc.oneof(word, fc.constantFrom("name", "map", "set", "obj", "free", "any")), tie("value")),
        { maxLength: 4 },
      )
      .map((entries) => Object.fromEntries(entries)),
  }));
  const hostile = json.map.map((spec) => deepFreeze(example(spec as Json, { uid: "u" })));
  const managedFields = fc.array(
    fc.oneof(
      json.value,
      fc.record({
        operation: fc.constantFrom("Apply", "Update"),
        apiVersion: fc.constant(exampleApiVersion),
        fieldsType: fc.constant("FieldsV1"),
        fieldsV1: fc.dictionary(fc.constantFrom("f:spec", "k:{}", "v:1", ".", "x"), json.value),
      }),
    ),
    { maxLength: 2 },
  );

  it("is applied, or refused with an ApiError", () => {
    fc.assert(
      fc.property(hostile, hostile, managedFields, (live, applied, entries) => {
        const tracked = deepFreeze(withManagedFields(live, entries as never));
        try {
          apply(tracked, "kubectl", withManagedFields(applied, undefined), { force: true });
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
        }
      }),
    );
  });

  it("is tracked without fail", () => {
    fc.assert(
      fc.property(hostile, hostile, managedFields, (live, updated, entries) => {
        const sent = deepFreeze(withManagedFields(updated, entries as never));
        trackUpdate({ ...common, live, manager: "bob", updated: sent });
        trackUpdate({ ...common, live: sent, manager: "bob", updated: live });
      }),
    );
  });
});

/** Empty lists have no manager, so nothing removes them. */
const isHollow = (value: unknown) => Array.isArray(value) && value.length === 0;

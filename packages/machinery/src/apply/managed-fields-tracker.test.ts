import { kindTypeInfo } from "@kubewright/api/type-info";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TrackUpdateOptions } from "./apply-types.js";
import { example, exampleApiVersion, exampleTypeInfo } from "./example-kind.js";
import { ManagedFieldsTracker } from "./managed-fields-tracker.js";
import { trackUpdate } from "./track-update.js";

const word = fc.constantFrom("", "a", "b", "__proto__", "0", "k:");
const leaf = fc.oneof(word, fc.constantFrom(0, 1, 2, null, true, false));
const anything = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 2 }, leaf, tie("list"), tie("map")),
  list: fc.array(tie("value"), { maxLength: 2 }),
  map: fc.dictionary(word, tie("value"), { maxKeys: 2 }),
})).value;
const optional = { requiredKeys: [] };
const specs = fc.record(
  {
    replicas: fc.constantFrom(0, 1, 2),
    mode: word,
    paused: fc.boolean(),
    map: fc.array(fc.record({ name: word, value: leaf }, { requiredKeys: ["name"] }), { maxLength: 3 }),
    ports: fc.array(
      fc.record({ port: fc.constantFrom(1, 2), protocol: fc.constantFrom("TCP", "UDP") }, optional),
      { maxLength: 2 },
    ),
    set: fc.array(leaf, { maxLength: 3 }),
    plain: fc.array(leaf, { maxLength: 2 }),
    obj: fc.record({ a: word, inner: fc.record({ c: word }, optional) }, optional),
    atomicObj: fc.record({ a: word, b: word }, optional),
    free: fc.dictionary(word, word, { maxKeys: 2 }),
    any: anything,
  },
  optional,
);

const options = (updated: object, manager = "me") => ({
  live: undefined,
  updated: updated as Readonly<Record<string, unknown>>,
  typeInfo: exampleTypeInfo,
  manager,
  apiVersion: exampleApiVersion,
  time: "2026-01-01T00:00:00Z",
});

function tracked(owners: ManagedFieldsTracker, of: TrackUpdateOptions) {
  const found = owners.track(of);
  return found;
}

describe("the managed fields of new objects", () => {
  it("are those a comparison finds, whatever was created before", () => {
    const owners = new ManagedFieldsTracker();
    fc.assert(
      fc.property(specs, (spec) => {
        const created = options(example(spec));
        expect(tracked(owners, created)).toEqual(trackUpdate(created));
        expect(tracked(owners, created)).toEqual(trackUpdate(created));
      }),
      { numRuns: 700 },
    );
  });

  it.each([
    { spec: {} },
    {
      spec: {
        replicas: 0,
        selector: {},
        template: { metadata: { creationTimestamp: null }, spec: { containers: null } },
      },
    },
    {
      spec: { replicas: 1, selector: {}, template: { spec: { containers: [{ name: "a", resources: {} }] } } },
      status: {},
    },
    { spec: { replicas: 1, template: { spec: { containers: [{ name: "b", image: "", resources: {} }] } } } },
  ])("are right where empty objects are not empty (%#)", (object) => {
    const typeInfo = kindTypeInfo({ group: "apps", version: "v1", kind: "Deployment" });
    if (!typeInfo) throw new Error("no typeInfo");
    const owners = new ManagedFieldsTracker();
    const created = { ...options({ metadata: { name: "x" }, ...object }), typeInfo };
    expect(tracked(owners, created)).toEqual(trackUpdate(created));
    expect(tracked(owners, created)).toEqual(trackUpdate(created));
  });

  it("share what they own", () => {
    const owners = new ManagedFieldsTracker();
    const [a] = tracked(owners, options(example({ mode: "a", plain: [1] }), "one")) ?? [];
    const [b] = tracked(owners, options(example({ mode: "b", plain: [2, 3] }), "two")) ?? [];
    expect(b?.fieldsV1).toBe(a?.fieldsV1);
    expect(b?.manager).toBe("two");
  });

  it("are compared where clients say who owns what, and where there is an object already", () => {
    const owners = new ManagedFieldsTracker();
    const live = example({ mode: "a" });
    const update = { ...options(example({ mode: "b" })), live };
    expect(tracked(owners, update)).toEqual(trackUpdate(update));
    const sent = options(example({ mode: "a" }, { managedFields: tracked(owners, options(live, "other")) }));
    expect(tracked(owners, sent)).toEqual(trackUpdate(sent));
  });
});

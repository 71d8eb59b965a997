import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FieldSet } from "./field-set.js";
import { parseFieldsV1, printFieldsV1 } from "./fields-v1.js";
import { SharedFieldSets } from "./shared-field-sets.js";

const element = fc.constantFrom("f:a", "f:b", "f:__proto__", 'k:{"name":"x"}', 'k:{"name":"y"}', "v:1");
const sets = fc
  .array(fc.array(element, { minLength: 1, maxLength: 4 }), { maxLength: 6 })
  .map((paths) => FieldSet.of(...paths));

describe("shared field sets", () => {
  it("are written as they would be alone, whatever was written before", () => {
    const shared = new SharedFieldSets();
    fc.assert(
      fc.property(sets, (set) => {
        const record = shared.print(set);
        expect(JSON.stringify(record)).toBe(JSON.stringify(printFieldsV1(set)));
        expect(parseFieldsV1(record).equals(set)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("are one record when they are equal, and share the parts that are", () => {
    const shared = new SharedFieldSets();
    const status = (ip: string) =>
      FieldSet.of(
        ["f:status", "f:phase"],
        ["f:status", "f:conditions", 'k:{"type":"Ready"}'],
        ["f:status", "f:conditions", 'k:{"type":"Ready"}', "f:status"],
        ["f:status", "f:podIPs", `k:{"ip":"${ip}"}`],
      );
    const [one, again, other] = [status("10.0.0.1"), status("10.0.0.1"), status("10.0.0.2")].map((set) =>
      shared.print(set),
    );
    expect(again).toBe(one);
    expect(other).not.toBe(one);
    expect(other?.["f:status"]?.["f:conditions"]).toBe(one?.["f:status"]?.["f:conditions"]);
  });

  it("hold on to no more than the latest", () => {
    const shared = new SharedFieldSets();
    const first = shared.print(FieldSet.of(["f:data", "f:0"]));
    for (let index = 1; index < 100; index++) shared.print(FieldSet.of(["f:data", `f:${index}`]));
    const again = shared.print(FieldSet.of(["f:data", "f:0"]));
    expect(again).toEqual(first);
    expect(again).not.toBe(first);
  });

  it("do not hold on to large ones either", () => {
    const shared = new SharedFieldSets();
    const wide = () => FieldSet.of(...Array.from({ length: 60_000 }, (_, at) => ["f:data", `f:${at}`]));
    const first = shared.print(wide());
    shared.print(FieldSet.of(["f:data", "f:x"]));
    const again = shared.print(wide());
    expect(again).toEqual(first);
    expect(again).not.toBe(first);
  });
});

import { describe, expect, it } from "vitest";
import { LiteralStore, roundedInteger, wouldBeRounded } from "./number-literals.js";
import { parseJson } from "./parse-json.js";

const big = "9007199254740993";

describe("literals of numbers", () => {
  it("are found by holder and key, however many there are", () => {
    const store = new LiteralStore();
    expect(store.ifAny).toBeUndefined();
    const holders = Array.from({ length: 80_000 }, (_, index) => (index % 2 === 0 ? [] : {}));
    for (const [index, holder] of holders.entries()) {
      const keys = Array.isArray(holder) ? [1, 5] : ["b", "f"];
      for (const key of keys) store.keep(holder, key, `${index}.${key}`);
    }
    expect(store.get(holders[0] ?? {})?.get(5)).toBe("0.5");
    expect(store.get(holders[70_000] ?? {})?.get(1)).toBe("70000.1");
    expect(store.get(holders[70_000] ?? {})?.get(2)).toBeUndefined();
    expect([...(store.get(holders[70_001] ?? {}) ?? [])]).toEqual([
      ["b", "70001.b"],
      ["f", "70001.f"],
    ]);
    expect([...(store.get(holders[2] ?? {}) ?? [])]).toEqual([
      [1, "2.1"],
      [5, "2.5"],
    ]);
    expect([...store.values()]).toHaveLength(80_000);
    expect(store.get({})).toBeUndefined();
  });

  it("are those of what stands there in the end", () => {
    const { value, literals } = parseJson(Buffer.from('{"a":1.0,"b":2.0,"a":1}'), true);
    expect(literals?.get(value as object)?.get("a")).toBeUndefined();
    expect(literals?.get(value as object)?.get("b")).toBe("2.0");
  });

  it("name the first that would be rounded, unless it was written over", () => {
    const said = (text: string) => roundedInteger(parseJson(Buffer.from(text), true).literals);
    expect(said(`{"a":{"b":[1.5,${big}]},"c":9007199254740995}`)).toContain(`field "1": integer ${big}`);
    expect(said(`{"a":${big},"c":1.0,"a":1}`)).toBeUndefined();
  });

  it.each([
    [big, true],
    [`-${big}`, true],
    ["9223372036854775808", false],
    ["-9223372036854775809", false],
    ["7".repeat(100_000), false],
    ["1e30", false],
  ])("say whether something would be lost: %# ", (literal, lost) => {
    expect(wouldBeRounded(literal)).toBe(lost);
    // What is no finite number is refused before.
    if (literal.length > 300) return;
    const { literals } = parseJson(Buffer.from(`{"a":[1,${literal}]}`), false);
    expect(roundedInteger(literals) !== undefined).toBe(lost);
  });
});

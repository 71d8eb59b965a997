import { expect, it } from "vitest";
import { LiteralStore } from "./number-literals.js";
import { parseJson } from "./parse-json.js";

it("number literals are found by holder and key", () => {
  const store = new LiteralStore();
  expect(store.ifAny).toBeUndefined();
  const [list, object] = [[], {}];
  store.keep(list, 1, "1.0");
  store.keep(list, 5, "5.0");
  store.keep(object, "a", "1e3");
  expect(store.get(list)?.get(5)).toBe("5.0");
  expect(store.get(list)?.get(2)).toBeUndefined();
  expect(store.get(object)?.get("a")).toBe("1e3");
  expect(store.get({})).toBeUndefined();
});

it("number literals are those of the last of two keys", () => {
  const { value, literals } = parseJson(Buffer.from('{"a":1.0,"b":2.0,"a":1}'), true);
  expect(literals?.get(value as object)?.get("a")).toBeUndefined();
  expect(literals?.get(value as object)?.get("b")).toBe("2.0");
});

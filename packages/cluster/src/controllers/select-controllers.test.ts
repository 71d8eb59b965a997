import { expect, test } from "vitest";
import { selectControllers } from "./select-controllers.js";

const known = ["a", "b", "c"];

test.each([
  { selection: "all", selected: ["a", "b", "c"] },
  { selection: "none", selected: [] },
  { selection: ["b"], selected: ["b"] },
  { selection: ["-b"], selected: ["a", "c"] },
  { selection: ["*", "-a"], selected: ["b", "c"] },
  { selection: [], selected: [] },
] as const)("controllers: $selection selects $selected", ({ selection, selected }) => {
  expect([...selectControllers(known, selection)]).toEqual(selected);
});

test.each([["x"], ["-x"]])("controllers: an unknown name is refused with the known ones: %s", (name) => {
  expect(() => selectControllers(known, [name])).toThrow('there is no controller "x"; there are: a, b, c');
});

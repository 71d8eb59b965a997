import { expect, test } from "vitest";
import { namedOnce } from "./once-name.js";

const owner = (uid: string) => ({ metadata: { uid } });
const child = (generateName: string) => ({ metadata: { generateName, labels: { app: "web" } } });
const nameOf = (generateName: string, uid: string, word: string) =>
  namedOnce(child(generateName), owner(uid), word).metadata?.name;

test("the same owner and word give the same name, others another", () => {
  const name = nameOf("job-", "1", "first");
  expect(name).toMatch(/^job-[a-z0-9]{10}$/);
  expect(nameOf("job-", "1", "first")).toBe(name);
  expect(nameOf("job-", "1", "second")).not.toBe(name);
  expect(nameOf("job-", "2", "first")).not.toBe(name);
});

test("a long prefix is shortened, the rest of the child stays", () => {
  expect(nameOf("x".repeat(200), "1", "first")).toHaveLength(63);
  expect(namedOnce(child("job-"), owner("1"), "first").metadata?.labels).toEqual({ app: "web" });
});

test("a child that has a name, or no prefix, is refused", () => {
  expect(() => namedOnce({ metadata: { name: "a" } }, owner("1"), "first")).toThrow(TypeError);
  expect(() => namedOnce({ metadata: {} }, owner("1"), "first")).toThrow("generateName");
});

import { expect, test } from "vitest";
import { namedOnce } from "./once-name.js";

const owner = (uid: string) => ({ metadata: { uid } });
const child = (generateName: string) => ({ metadata: { generateName, labels: { app: "web" } } });
const nameOf = (generateName: string, uid: string, word: string) =>
  namedOnce(child(generateName), owner(uid), word).metadata?.name;

test("a once name is the same for the same owner and key, and differs for others", () => {
  const name = nameOf("job-", "1", "first");
  expect(name).toMatch(/^job-[a-z0-9]{10}$/);
  expect(nameOf("job-", "1", "first")).toBe(name);
  expect(nameOf("job-", "1", "second")).not.toBe(name);
  expect(nameOf("job-", "2", "first")).not.toBe(name);
});

test("a once name shortens a long prefix and leaves the rest of the child unchanged", () => {
  expect(nameOf("x".repeat(200), "1", "first")).toHaveLength(63);
  expect(namedOnce(child("job-"), owner("1"), "first").metadata?.labels).toEqual({ app: "web" });
});

test("a once name is refused for a child with a name, or without a generateName", () => {
  expect(() => namedOnce({ metadata: { name: "a" } }, owner("1"), "first")).toThrow(TypeError);
  expect(() => namedOnce({ metadata: {} }, owner("1"), "first")).toThrow("generateName");
});

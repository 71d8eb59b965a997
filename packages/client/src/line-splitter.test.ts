import { expect, it } from "vitest";
import { LineSplitter } from "./line-splitter.js";

it("LineSplitter: returns views of the chunk, and copies only a line of several chunks", () => {
  const splitter = new LineSplitter();
  const chunk = Buffer.from("one\ntwo\nthr");
  const [one, two] = splitter.push(chunk);
  expect([one, two].map(String)).toEqual(["one", "two"]);
  expect(two?.buffer).toBe(chunk.buffer);
  expect(splitter.push(Buffer.from("ee\n")).map(String)).toEqual(["three"]);
  expect(splitter.end()).toHaveLength(0);
});

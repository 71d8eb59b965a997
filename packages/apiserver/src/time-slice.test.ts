import { expect, test } from "vitest";
import { yieldToEventLoop } from "./time-slice.js";

test("TimeSlice: of all work that has yielded, one piece runs in each round of the event loop, in order", async () => {
  const rounds: string[] = [""];
  const work = async (name: string): Promise<void> => {
    for (let step = 0; step < 3; step++) {
      await yieldToEventLoop();
      rounds[rounds.length - 1] += name;
    }
  };
  const all = Promise.all(["a", "b", "c"].map(work));
  let isOver = false;
  const round = (): void => {
    rounds.push("");
    if (!isOver) setImmediate(round);
  };
  setImmediate(round);
  await all;
  isOver = true;
  expect(rounds.filter((ran) => ran !== "")).toEqual(["a", "b", "c", "a", "b", "c", "a", "b", "c"]);
});

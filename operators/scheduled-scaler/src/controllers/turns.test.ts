import { expect, test } from "vitest";
import { Turns } from "./turns.js";

test("so many work at once, in the order they came, whatever becomes of them", async () => {
  const turns = new Turns(2);
  const begun: number[] = [];
  let [active, most] = [0, 0];
  const work = (index: number) => async () => {
    begun.push(index);
    active += 1;
    most = Math.max(most, active);
    await Promise.resolve();
    active -= 1;
    if (index % 3 === 0) throw new Error("no");
    return index;
  };
  for (let round = 0; round < 2; round++) {
    const results = await Promise.allSettled(
      Array.from({ length: 7 }, (_, index) => turns.take(work(index))),
    );
    expect(results.map(({ status }) => status === "fulfilled")).toEqual([
      false,
      true,
      true,
      false,
      true,
      true,
      false,
    ]);
  }
  expect(most).toBe(2);
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6]);
});

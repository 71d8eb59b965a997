import fc from "fast-check";
import { expect, test } from "vitest";
import { Turns } from "./turns.js";

test("so many are at work at once, in the order they came, and all come to it", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.integer({ min: 1, max: 4 })),
      async (limit, works) => {
        const turns = new Turns(limit);
        const begun: number[] = [];
        let atWork = 0;
        let most = 0;
        const work = async (length: number, index: number): Promise<void> => {
          await turns.take();
          begun.push(index);
          most = Math.max(most, ++atWork);
          for (let step = 0; step < length; step++) await Promise.resolve();
          atWork -= 1;
          turns.pass();
        };
        // Twice, so that nothing is left of the first time.
        for (let time = 0; time < 2; time++) {
          begun.length = 0;
          await Promise.all(works.map(work));
          expect(begun).toEqual(works.map((_, index) => index));
          expect(most).toBe(Math.min(limit, works.length));
        }
      },
    ),
  );
});

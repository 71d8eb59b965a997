import { expect, test } from "vitest";
import { Turnstile } from "./turnstile.js";

test("Turnstile: lets so many in at once, in the order they came, failures or not", async () => {
  const turnstile = new Turnstile(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const all = [0, 1, 2, 3].map((number) =>
    turnstile.pass(async () => {
      begun.push(number);
      await new Promise<void>((resolve, reject) =>
        ends.push(number === 1 ? () => reject(new Error("no")) : resolve),
      );
    }),
  );
  const settled = Promise.allSettled(all);
  expect(begun).toEqual([0, 1]);
  ends[1]?.();
  await expect(all[1]).rejects.toThrow("no");
  expect(begun).toEqual([0, 1, 2]);
  ends[0]?.();
  await all[0];
  expect(begun).toEqual([0, 1, 2, 3]);
  for (const end of ends) end();
  expect((await settled).map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "fulfilled",
    "fulfilled",
  ]);
});

// A slice of the campaigns that `npm run fuzz` runs at length.
import { expect, test } from "vitest";
import { Campaign } from "./campaign.js";
import { Requests } from "./requests.js";

const options = { seed: 20_261, requests: 4_000, largeShare: 0.002 };

test("hostile requests are answered, one after the other, and change nothing they should not", {
  timeout: 300_000,
}, async () => {
  const { problems, tally } = await new Campaign(options).run();
  const told = problems.map(({ index, what, detail }) => `${what} at request ${index}: ${detail}`);
  expect(told).toEqual([]);
  // Enough of them are understood, and enough are not.
  expect(tally.statuses.get(200) ?? 0).toBeGreaterThan(options.requests / 20);
  expect(tally.statuses.get(422) ?? 0).toBeGreaterThan(options.requests / 40);
});

test("the same seed makes the same requests", () => {
  const make = (seed: number) => {
    const requests = new Requests(seed, options);
    return Array.from({ length: 300 }, (_, index) => JSON.stringify(requests.at(index)));
  };
  expect(make(7)).toEqual(make(7));
  expect(make(7)).not.toEqual(make(8));
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { RequestSlots } from "./request-slots.js";

/** A request that ends when the test ends it. */
function held(log: string[], name: string) {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const send = (): Promise<void> => {
    log.push(name);
    return ended;
  };
  return { end: () => end(), send };
}
const settled = async (): Promise<void> => {
  for (let step = 0; step < 10; step++) await Promise.resolve();
};

test("request slots: never more requests in flight than allowed, and every request is sent", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.nat({ max: 3 }), { maxLength: 40 }),
      async (limit, owners) => {
        const slots = new RequestSlots(limit);
        const keys = [{}, {}, {}, {}];
        let inFlight = 0;
        let most = 0;
        const requests = owners.map((owner, index) =>
          slots.use(keys[owner] ?? {}, async () => {
            most = Math.max(most, ++inFlight);
            for (let step = 0; step <= index % 3; step++) await Promise.resolve();
            inFlight -= 1;
            if (index % 7 === 3) throw new Error("refused");
          }),
        );
        await Promise.allSettled(requests);
        expect(inFlight).toBe(0);
        expect(most).toBeLessThanOrEqual(limit);
        if (owners.length >= limit) expect(most).toBe(limit);
      },
    ),
  );
});

test("request slots: a reconcile with many requests delays another by one request at a time", async () => {
  const slots = new RequestSlots(1);
  const [busy, other] = [{}, {}];
  const log: string[] = [];
  const requests = ["a1", "a2", "a3", "b1", "b2"].map((name) => held(log, name));
  for (const [index, { send }] of requests.entries()) void slots.use(index < 3 ? busy : other, send);
  for (const name of ["a1", "a2", "b1", "a3", "b2"]) {
    await settled();
    expect(log.at(-1)).toBe(name);
    requests.find((_, index) => ["a1", "a2", "a3", "b1", "b2"][index] === name)?.end();
  }
});

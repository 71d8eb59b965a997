import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { pour } from "./sink.js";

/** A client that takes every piece at the same moment as all the others, when the function is called. */
function clients(count: number) {
  let waiting: (() => void)[] = [];
  const sinks = Array.from(
    { length: count },
    () => new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => void waiting.push(done) }),
  );
  const takeAll = (): void => {
    const ready = waiting;
    waiting = [];
    for (const done of ready) done();
  };
  return { sinks, takeAll };
}

test("pour: of many clients that are ready for more at once, one is served in each round of the event loop", async () => {
  const { sinks, takeAll } = clients(50);
  let made = 0;
  function* pieces(): Iterable<string> {
    for (let index = 0; index < 4; index++) {
      made += 1;
      yield "piece";
    }
  }
  const sent = Promise.all(sinks.map((sink) => pour(pieces(), sink, 10_000)));
  let [isOver, longest] = [false, 0];
  void sent.then(() => (isOver = true));
  // The first pieces are made where the requests are answered.
  for (let before = made; !isOver; before = made) {
    takeAll();
    await new Promise((resolve) => setImmediate(resolve));
    longest = Math.max(longest, made - before);
  }
  expect(made).toBe(200);
  expect(longest).toBeLessThanOrEqual(2);
});

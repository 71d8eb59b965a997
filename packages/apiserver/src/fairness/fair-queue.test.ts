import { describe, expect, test } from "vitest";
import { FairQueue, QueueFull } from "./fair-queue.js";

/** A queue whose requests take a millisecond each, and whose rounds are run by hand. */
function setUp() {
  let now = 0;
  const rounds: (() => void)[] = [];
  const served: string[] = [];
  const queue = new FairQueue({ now: () => now, nextRound: (callback) => rounds.push(callback) });
  const ask = (flow: string, isLimited = true, takes = 1): void => {
    const serve = (): void => {
      now += takes;
      served.push(flow);
    };
    const turn = queue.enter(flow, isLimited);
    if (turn) void turn.then(serve);
    else serve();
  };
  const round = async (): Promise<void> => {
    for (const callback of rounds.splice(0)) callback();
    await new Promise((resolve) => setImmediate(resolve));
  };
  const drain = async (): Promise<void> => {
    while (rounds.length > 0) await round();
  };
  const wait = (milliseconds: number): void => {
    now += milliseconds;
  };
  return { queue, ask, round, drain, served, wait };
}

describe("FairQueue", () => {
  test("serves requests at once while there are few", () => {
    const { ask, served, queue } = setUp();
    for (const flow of ["a", "b", "a", "a"]) ask(flow);
    expect(served).toEqual(["a", "b", "a", "a"]);
    expect(queue.size).toBe(0);
  });

  test("serves the requests of a small flow before those of a large one", async () => {
    const { ask, served, drain, round } = setUp();
    for (let index = 0; index < 300; index++) ask("noisy");
    ask("quiet");
    await round();
    await round();
    const begun = served.length;
    ask("quiet");
    await drain();
    expect(served).toHaveLength(302);
    expect(served.indexOf("quiet")).toBeLessThan(12);
    expect(served.indexOf("quiet", begun)).toBeLessThan(begun + 10);
  });

  test("lets requests begin that have little to do, however long other work takes in each round", async () => {
    const { ask, served, round, wait } = setUp();
    for (let index = 0; index < 100; index++) ask("many", true, 0.1);
    let rounds = 0;
    for (; served.length < 100; rounds++) {
      // A slice of a long list.
      wait(20);
      await round();
    }
    expect(rounds).toBeLessThan(10);
  });

  test("serves several large flows in turn", async () => {
    const { ask, served, drain } = setUp();
    for (const flow of ["a", "b", "c"]) for (let index = 0; index < 50; index++) ask(flow);
    await drain();
    const middle = served.slice(20, 110);
    for (const flow of ["a", "b", "c"]) expect(middle.filter((each) => each === flow)).toHaveLength(30);
  });

  test("refuses requests beyond the queue length, except for exempt ones", async () => {
    const { ask, drain, served, queue } = setUp();
    for (let index = 0; index < 405; index++) ask("noisy");
    expect(() => ask("noisy")).toThrow(QueueFull);
    ask("other");
    for (let index = 0; index < 1000; index++) ask("admin", false);
    await drain();
    expect(served).toHaveLength(405 + 1 + 1000);
    expect(queue.size).toBe(0);
  });
});

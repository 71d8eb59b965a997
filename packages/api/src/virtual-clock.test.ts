import { describe, expect, it } from "vitest";
import { sleep, withTimeout } from "./clock.js";
import { TimeoutError } from "./errors.js";
import { VirtualClock } from "./virtual-clock.js";

describe("VirtualClock time", () => {
  it("stands still until moved", async () => {
    const clock = new VirtualClock({ start: 1000 });
    await clock.settle();
    expect([clock.now(), clock.monotonic()]).toEqual([1000, 0]);
    await clock.advance(250);
    expect([clock.now(), clock.monotonic()]).toEqual([1250, 250]);
  });

  it("can jump on the wall without anybody's timer noticing", async () => {
    const clock = new VirtualClock({ start: 0 });
    let ran = false;
    clock.setTimer(100, () => {
      ran = true;
    });
    clock.jump(-5000);
    expect([clock.now(), clock.monotonic()]).toEqual([-5000, 0]);
    await clock.advance(99);
    expect(ran).toBe(false);
    await clock.advance(1);
    expect(ran).toBe(true);
  });

  it("is moved by one hand at a time", async () => {
    const clock = new VirtualClock();
    const first = clock.advance(10);
    await expect(clock.advance(10)).rejects.toThrow("the clock is being moved already");
    await first;
    await clock.advance(10);
    expect(clock.monotonic()).toBe(20);
  });
});

describe("VirtualClock timers", () => {
  it("run by due time, then in the order they were set, each at its own time", async () => {
    const clock = new VirtualClock({ start: 0 });
    const log: string[] = [];
    for (const [name, delay] of [
      ["c", 30],
      ["a", 10],
      ["b1", 20],
      ["b2", 20],
      ["zero", 0],
      ["past", -5],
      ["odd", Number.NaN],
    ] as const) {
      clock.setTimer(delay, () => log.push(`${name}@${clock.now()}`));
    }
    expect(log).toEqual([]);
    await clock.advance(25);
    expect(log).toEqual(["zero@0", "past@0", "odd@0", "a@10", "b1@20", "b2@20"]);
    expect(clock.pending).toBe(1);
    await clock.advance(5);
    expect(log.at(-1)).toBe("c@30");
    expect(clock.pending).toBe(0);
  });

  it("may set and cancel others", async () => {
    const clock = new VirtualClock({ start: 0 });
    const log: string[] = [];
    const doomed = clock.setTimer(10, () => log.push("doomed"));
    clock.setTimer(5, () => {
      doomed.cancel();
      clock.setTimer(5, () => log.push(`nested@${clock.now()}`));
    });
    await clock.advance(10);
    expect(log).toEqual(["nested@10"]);
    doomed.cancel();
    expect(clock.pending).toBe(0);
  });

  it("let promises settle before the next one runs", async () => {
    const clock = new VirtualClock();
    const log: string[] = [];
    const worker = async (): Promise<void> => {
      await sleep(clock, 10);
      for (let i = 0; i < 50; i += 1) await Promise.resolve();
      log.push("work done");
    };
    const work = worker();
    clock.setTimer(10, () => log.push("second timer"));
    await clock.advance(10);
    expect(log).toEqual(["work done", "second timer"]);
    await work;
  });

  it("pass on what they throw, and time can go on", async () => {
    const clock = new VirtualClock();
    clock.setTimer(1, () => {
      throw new Error("broken timer");
    });
    await expect(clock.advance(5)).rejects.toThrow("broken timer");
    await clock.advance(5);
    expect(clock.monotonic()).toBe(6);
  });

  it("leave nothing behind when cancelled by the thousand", async () => {
    const clock = new VirtualClock();
    for (let i = 0; i < 10_000; i += 1) clock.setTimer(1e9, () => undefined).cancel();
    expect(clock.pending).toBe(0);
    await expect(clock.runUntil(() => false)).rejects.toThrow("no timer is set");
  });
});

describe("VirtualClock: work in flight", () => {
  it("holds time until it is done", async () => {
    const clock = new VirtualClock();
    const done = clock.busy("GET /api/v1/pods");
    let seen: number | undefined;
    const moved = clock.advance(100);
    setImmediate(() =>
      setImmediate(() => {
        seen = clock.monotonic();
        done();
      }),
    );
    await moved;
    expect([seen, clock.monotonic()]).toEqual([0, 100]);
  });

  it("counts every mark, and giving one back twice changes nothing", async () => {
    const clock = new VirtualClock({ timeout: 20 });
    const first = clock.busy("reconcile shop/web");
    const second = clock.busy("reconcile shop/web");
    const third = clock.busy("watch");
    first();
    first();
    expect(clock.inFlight).toEqual(["reconcile shop/web", "watch"]);
    second();
    third();
    await clock.settle();
    expect(clock.inFlight).toEqual([]);
  });

  it("may begin again as soon as it ended", async () => {
    const clock = new VirtualClock();
    let turns = 0;
    const again = (): void => {
      const done = clock.busy("chain");
      setImmediate(() => {
        turns += 1;
        done();
        if (turns < 5) again();
      });
    };
    again();
    await clock.advance(1);
    expect(turns).toBe(5);
  });

  it("may take longer than the timeout while it goes on, but not for ever", async () => {
    const clock = new VirtualClock({ timeout: 2 });
    let goesOn = true;
    const never = clock.busy("never done");
    const again = (): void => {
      clock.busy("loop")();
      if (goesOn) setImmediate(again);
    };
    again();
    setTimeout(never, 20);
    await clock.settle();
    clock.busy("never done");
    await expect(clock.settle()).rejects.toThrow("still busy: never done");
    goesOn = false;
  });

  it("is reported by name when it does not end", async () => {
    const clock = new VirtualClock({ timeout: 5 });
    const marks = ["GET /a", "reconcile b", "GET /a"].map((what) => clock.busy(what));
    await expect(clock.advance(1)).rejects.toThrow(
      new TimeoutError("time stood still for 5 ms, still busy: GET /a (2 times), reconcile b"),
    );
    clock.setTimer(1, () => undefined);
    await expect(clock.settle()).rejects.toThrow(
      "1 timers wait; work that waits for one must give its mark back",
    );
    for (const done of marks) done();
    await clock.advance(1);
    expect(clock.monotonic()).toBe(1);
  });
});

describe("VirtualClock: running until", () => {
  it("a condition holds, and no further", async () => {
    const clock = new VirtualClock({ start: 0 });
    let count = 0;
    const tick = (): void => {
      count += 1;
      clock.setTimer(1000, tick);
    };
    clock.setTimer(1000, tick);
    await clock.runUntil(() => count === 3);
    expect(clock.now()).toBe(3000);
    await clock.runUntil(async () => count === 3);
    expect(clock.now()).toBe(3000);
  });

  it("gives up after the limit, or when nothing can change any more", async () => {
    const clock = new VirtualClock();
    const tick = (): void => {
      clock.setTimer(1000, tick);
    };
    const timer = clock.setTimer(7_200_000, tick);
    await expect(clock.runUntil(() => false)).rejects.toThrow(
      "did not hold within 3600000 ms of virtual time",
    );
    await expect(clock.runUntil(() => false, { limit: 5 })).rejects.toThrow("within 5 ms");
    expect(clock.monotonic()).toBe(0);
    timer.cancel();
    await expect(clock.runUntil(() => false)).rejects.toThrow(TimeoutError);
  });

  it("a promise settles, with its outcome", async () => {
    const clock = new VirtualClock();
    const answer = sleep(clock, 90_000).then(() => 42);
    expect(await clock.runUntilSettled(answer)).toBe(42);
    expect(clock.monotonic()).toBe(90_000);

    const never = withTimeout(clock, 30_000, "the answer", new Promise(() => undefined));
    await expect(clock.runUntilSettled(never)).rejects.toThrow("the answer took longer than 30000 ms");
    expect(clock.pending).toBe(0);
  });

  it("gives the same run every time", async () => {
    const run = async (): Promise<string[]> => {
      const clock = new VirtualClock({ start: 0 });
      const log: string[] = [];
      const worker = async (name: string, period: number): Promise<void> => {
        for (let i = 0; i < 20; i += 1) {
          await sleep(clock, period);
          log.push(`${name}@${clock.now()}`);
        }
      };
      await clock.runUntilSettled(Promise.all([worker("a", 7), worker("b", 7), worker("c", 3)]));
      return log;
    };
    const first = await run();
    expect(await run()).toEqual(first);
    expect(first).toHaveLength(60);
  });
});

describe("VirtualClock: waiting for a condition", () => {
  it("sees what asking for it sets off", async () => {
    const clock = new VirtualClock();
    let holds = false;
    await clock.runUntil(() => {
      const held = holds;
      setImmediate(clock.busy("work"));
      setImmediate(() => {
        holds = true;
      });
      return held;
    });
    expect(clock.monotonic()).toBe(0);
  });
});

describe("VirtualClock: work that waits for time in the middle of other work", () => {
  it("does not keep time from moving once it is all there is", async () => {
    const clock = new VirtualClock();
    const log: string[] = [];
    const done = clock.busy("a reconcile");
    const resume = clock.suspend();
    const other = clock.busy("something else");
    setTimeout(() => {
      log.push("the other has finished");
      other();
    }, 20);
    clock.setTimer(1000, () => {
      log.push("time has passed");
      resume();
      done();
    });
    await clock.advance(1000);
    expect(log).toEqual(["the other has finished", "time has passed"]);
    expect(clock.inFlight).toEqual([]);
  });

  it("keeps time from moving again when it goes on", async () => {
    const clock = new VirtualClock({ timeout: 20 });
    clock.busy("a reconcile");
    const resume = clock.suspend();
    await clock.advance(1000);
    resume();
    await expect(clock.advance(1000)).rejects.toThrow("still busy: a reconcile");
  });
});

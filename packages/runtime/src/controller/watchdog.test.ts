import { VirtualClock } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { Watchdog } from "./watchdog.js";

function setUp(limit: number) {
  const clock = new VirtualClock();
  const ended: string[] = [];
  const run = (what: string) => ({
    what,
    end: (reason: Error) => ended.push(`${clock.monotonic()} ${reason.message}`),
  });
  return { clock, ended, run, watchdog: new Watchdog(clock, limit) };
}

describe("the reconcile watchdog", () => {
  test("aborts each reconcile at its own timeout, with one timer for all", async () => {
    const { clock, ended, run, watchdog } = setUp(100);
    for (const [what, wait] of [
      ["a", 30],
      ["b", 30],
      ["c", 0],
    ] as const) {
      watchdog.begin(run(what));
      expect(clock.pending).toBe(1);
      await clock.advance(wait);
    }
    await clock.advance(1_000);
    expect(ended).toEqual([
      "100 a: reconcile took longer than 100 ms",
      "130 b: reconcile took longer than 100 ms",
      "160 c: reconcile took longer than 100 ms",
    ]);
    expect(clock.pending).toBe(0);
  });

  test("leaves reconciles alone that finish in time", async () => {
    const { clock, ended, run, watchdog } = setUp(100);
    const [first, second] = [run("a"), run("b")];
    watchdog.begin(first);
    await clock.advance(50);
    watchdog.begin(second);
    watchdog.finish(first);
    await clock.advance(60);
    watchdog.finish(second);
    await clock.advance(1_000);
    expect(ended).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  test("needs no timer when there is no limit, and leaves none behind", () => {
    const unlimited = setUp(Number.POSITIVE_INFINITY);
    unlimited.watchdog.begin(unlimited.run("a"));
    expect(unlimited.clock.pending).toBe(0);
    const limited = setUp(100);
    limited.watchdog.begin(limited.run("a"));
    limited.watchdog.close();
    expect(limited.clock.pending).toBe(0);
  });
});

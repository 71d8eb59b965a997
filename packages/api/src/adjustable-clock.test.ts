import { describe, expect, test } from "vitest";
import { AdjustableClock } from "./adjustable-clock.js";
import { sleep } from "./clock.js";

describe("AdjustableClock", () => {
  test("goes on as real time does", async () => {
    const clock = new AdjustableClock();
    const begin = clock.monotonic();
    await sleep(clock, 20);
    expect(clock.monotonic() - begin).toBeGreaterThanOrEqual(19);
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(100);
  });

  test("calls what is due on the way, in order, each at its own time", async () => {
    const clock = new AdjustableClock();
    const begin = clock.monotonic();
    const called: [string, number][] = [];
    const note = (name: string) => () => called.push([name, Math.round((clock.monotonic() - begin) / 1_000)]);
    clock.setTimer(60_000, note("minute"));
    clock.setTimer(1_000, note("second"));
    clock.setTimer(3_600_000, note("hour"));
    clock.setTimer(2_000, note("cancelled")).cancel();
    await clock.advance(120_000);
    expect(called).toEqual([
      ["second", 1],
      ["minute", 60],
    ]);
    expect(Math.round((clock.now() - Date.now()) / 1_000)).toBe(120);
  });

  test("a timer that sets the next one is called as often as it is due", async () => {
    const clock = new AdjustableClock();
    let count = 0;
    const tick = (): void => {
      count += 1;
      clock.setTimer(1_000, tick);
    };
    tick();
    await clock.advance(60_500);
    expect(count).toBe(61);
  });

  test("what is left is due sooner by as much as the clock was moved", async () => {
    const clock = new AdjustableClock();
    const fired = sleep(clock, 60_030);
    await clock.advance(60_000);
    await expect(
      Promise.race([fired.then(() => "fired"), sleep(clock, 5_000).then(() => "late")]),
    ).resolves.toBe("fired");
  });
});

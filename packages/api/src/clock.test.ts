import { describe, expect, it, vi } from "vitest";
import { sleep, systemClock, withTimeout } from "./clock.js";
import { TimeoutError } from "./errors.js";
import { VirtualClock } from "./virtual-clock.js";

describe("sleep", () => {
  it("wakes after the delay", async () => {
    const clock = new VirtualClock();
    const nap = sleep(clock, 1000);
    await clock.advance(999);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    await nap;
    expect(clock.pending).toBe(0);
  });

  it("ends early with the reason of the signal, and takes its timer along", async () => {
    const clock = new VirtualClock();
    const controller = new AbortController();
    const nap = sleep(clock, 1000, controller.signal);
    controller.abort(new Error("stopping"));
    await expect(nap).rejects.toThrow("stopping");
    expect(clock.pending).toBe(0);
  });

  it("does not begin when aborted already", async () => {
    const clock = new VirtualClock();
    await expect(sleep(clock, 1000, AbortSignal.abort(new Error("stopped")))).rejects.toThrow("stopped");
    expect(clock.pending).toBe(0);
  });

  it("leaves no listener behind", async () => {
    const clock = new VirtualClock();
    const controller = new AbortController();
    const remove = vi.spyOn(controller.signal, "removeEventListener");
    await clock.runUntilSettled(sleep(clock, 10, controller.signal));
    expect(remove).toHaveBeenCalledWith("abort", expect.any(Function));
  });
});

describe("withTimeout", () => {
  it("settles as the work does, and takes its timer along", async () => {
    const clock = new VirtualClock();
    expect(await withTimeout(clock, 1000, "work", Promise.resolve(7))).toBe(7);
    await expect(withTimeout(clock, 1000, "work", Promise.reject(new Error("failed")))).rejects.toThrow(
      "failed",
    );
    await clock.settle();
    expect(clock.pending).toBe(0);
  });

  it("says what took too long", async () => {
    const clock = new VirtualClock();
    const work = withTimeout(clock, 1000, "cleaning up", new Promise(() => undefined));
    await expect(clock.runUntilSettled(work)).rejects.toThrow(
      new TimeoutError("cleaning up took longer than 1000 ms"),
    );
  });
});

describe("systemClock", () => {
  it("returns real time", () => {
    const before = Date.now();
    expect(systemClock.now()).toBeGreaterThanOrEqual(before);
    const first = systemClock.monotonic();
    expect(systemClock.monotonic()).toBeGreaterThanOrEqual(first);
    expect(systemClock.busy("work")()).toBeUndefined();
  });

  it("calls back, unless cancelled", async () => {
    const log: string[] = [];
    await new Promise<void>((resolve) => {
      systemClock.setTimer(1, () => log.push("cancelled")).cancel();
      systemClock.setTimer(-1, () => log.push("first"));
      systemClock.setTimer(2, resolve);
    });
    expect(log).toEqual(["first"]);
  });

  it("waits out delays that Node.js cannot wait at once", () => {
    vi.useFakeTimers();
    try {
      const month = 31 * 24 * 3_600_000;
      let calls = 0;
      systemClock.setTimer(month, () => {
        calls += 1;
      });
      const cancelled = systemClock.setTimer(month, () => {
        calls += 10;
      });
      vi.advanceTimersByTime(month - 1);
      expect(calls).toBe(0);
      cancelled.cancel();
      vi.advanceTimersByTime(1);
      expect(calls).toBe(1);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});

import { VirtualClock } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { OpenWatches } from "./open-watches.js";
import { WatchLifetime } from "./watch-lifetime.js";

function setUp() {
  const clock = new VirtualClock();
  const watches = new OpenWatches(clock);
  const log: string[] = [];
  const open = (name: string, timeoutSeconds: number, bookmarks = true): (() => void) => {
    const at = (what: string) => log.push(`${name} ${what} ${clock.monotonic() / 1000}`);
    const lifetime = new WatchLifetime({
      now: clock.monotonic(),
      timeoutSeconds,
      random: () => 0.5,
      bookmark: bookmarks ? () => at("bookmark") : undefined,
      close: () => {
        at("end");
        remove?.();
      },
    });
    let remove: (() => void) | undefined;
    remove = watches.add(lifetime);
    return remove;
  };
  return { clock, watches, log, open };
}

describe("open watches", () => {
  test("get a bookmark every minute, a last one just before their end, and end in time", async () => {
    const { clock, log, open } = setUp();
    open("a", 150);
    await clock.advance(200_000);
    expect(log).toEqual(["a bookmark 60", "a bookmark 120", "a bookmark 148", "a end 150"]);
  });

  test("with a timeout of weeks get no more than about a thousand bookmarks", async () => {
    const { clock, log, open } = setUp();
    open("a", 30 * 24 * 60 * 60);
    await clock.advance(31 * 24 * 60 * 60_000);
    expect(log.filter((line) => line.includes("bookmark")).length).toBeLessThanOrEqual(1001);
    expect(log.at(-1)).toMatch(/^a end/);
  });

  test("end by themselves within half an hour to an hour", async () => {
    const { clock, log, open } = setUp();
    open("a", 0, false);
    await clock.advance(60 * 60_000);
    expect(log).toEqual(["a end 2700"]);
  });

  test("end at once with a timeout of zero", async () => {
    const { clock, log, open } = setUp();
    open("a", -1);
    await clock.advance(0);
    expect(log).toEqual(["a end 0"]);
  });

  test("share one timer, also when one that is due earlier joins", async () => {
    const { clock, log, open } = setUp();
    for (let index = 0; index < 1000; index++) open("many", 100);
    open("soon", 5, false);
    expect(clock.pending).toBe(1);
    await clock.advance(10_000);
    expect(log).toEqual(["soon end 5"]);
    await clock.advance(60_000);
    expect(log).toHaveLength(1001);
    expect(clock.pending).toBe(1);
  });

  test("leave no timer behind", () => {
    const { clock, open } = setUp();
    const remove = [open("a", 100), open("b", 50)];
    for (const one of remove) one();
    expect(clock.pending).toBe(0);
  });

  test("end when the server closes, and none begin after it", () => {
    const { clock, watches, log, open } = setUp();
    open("a", 100);
    watches.close();
    open("b", 100);
    expect(log).toEqual(["a end 0", "b end 0"]);
    expect(clock.pending).toBe(0);
    expect(watches.size).toBe(0);
  });
});

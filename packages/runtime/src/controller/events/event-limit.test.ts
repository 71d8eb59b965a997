import { VirtualClock } from "@kubewright/api";
import { expect, test } from "vitest";
import { EventLimit } from "./event-limit.js";

test("event limit: a reason of an object has 25 events at once, then one every five minutes, and others have their own", async () => {
  const clock = new VirtualClock();
  const limit = new EventLimit(clock);
  const allowed = (object: string, times: number) =>
    Array.from({ length: times }, () => limit.allows(object)).filter((isAllowed) => isAllowed).length;
  expect(allowed("a", 100)).toBe(25);
  expect(allowed("b", 10)).toBe(10);
  await clock.advance(299_000);
  expect(allowed("a", 10)).toBe(0);
  await clock.advance(1_000);
  expect(allowed("a", 10)).toBe(1);
  await clock.advance(24 * 60 * 60_000);
  expect(allowed("a", 100)).toBe(25);
});

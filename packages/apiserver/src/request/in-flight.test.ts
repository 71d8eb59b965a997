import { VirtualClock } from "@kubewright/api";
import { expect, test } from "vitest";
import { InFlight, whileParked } from "./in-flight.js";

const work = "GET /";

test("InFlight: a request counts as busy except while it is parked", async () => {
  const clock = new VirtualClock();
  const inFlight = new InFlight(clock, work);
  const resumes = [inFlight.park(), inFlight.park()];
  expect(clock.inFlight).toEqual([]);
  resumes[0]?.();
  expect(clock.inFlight).toEqual([]);
  resumes[1]?.();
  expect(clock.inFlight).toEqual([work]);
  inFlight.end();
  expect(clock.inFlight).toEqual([]);
});

test("InFlight: a wait after the end of a request is not counted", async () => {
  const clock = new VirtualClock();
  const inFlight = new InFlight(clock, work);
  inFlight.end();
  const context = { park: inFlight.park };
  expect(await whileParked(context, Promise.resolve("converted"))).toBe("converted");
  await expect(whileParked(context, Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(clock.inFlight).toEqual([]);
});

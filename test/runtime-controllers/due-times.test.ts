// A controller with a timetable: whatever fails, the next due time is not slept through.
import { ApiError, TerminalError } from "@kubewright/api";
import { defineController, generationChanged, type ReconcileContext } from "@kubewright/runtime";
import { expect, test } from "vitest";
import { Box, boxNamed, Harness } from "./harness.js";

const minute = 60_000;
type Context = ReconcileContext<typeof Box, typeof Box, never>;

/** Records at which second each reconcile ran, for so many minutes. */
async function secondsOf(
  minutes: number,
  reconcile: (ctx: Context, run: number) => { readonly requeueAt?: number } | undefined,
): Promise<readonly number[]> {
  await using harness = await Harness.start();
  const seconds: number[] = [];
  const start = harness.clock.now();
  await harness.manage([
    defineController(Box, {
      // The report of a failure in the status is no reason to reconcile again.
      when: generationChanged,
      reconcile(_box, ctx) {
        seconds.push((ctx.now() - start) / 1_000);
        return reconcile(ctx, seconds.length);
      },
    }),
  ]);
  await harness.client.create(Box, boxNamed("a"));
  await harness.clock.advance(minutes * minute);
  return seconds;
}

/** The next full ten minutes. */
const nextOf = (ctx: Context): number => (Math.floor(ctx.now() / (10 * minute)) + 1) * 10 * minute;

test("requeueAt: a reconcile that keeps failing is called at every due time, although its backoff is longer", async () => {
  const seconds = await secondsOf(60, (ctx) => {
    ctx.requeueAt(nextOf(ctx));
    throw new Error("quota exceeded");
  });
  const due = [600, 1_200, 1_800, 2_400, 3_000, 3_600];
  expect(due.filter((second) => !seconds.includes(second))).toEqual([]);
  expect(seconds.length).toBeLessThan(40);
});

test("requeueAt: a conflict and a TerminalError keep the due time", async () => {
  const seconds = await secondsOf(15, (ctx) => {
    ctx.requeueAt(nextOf(ctx));
    throw new TerminalError("cannot be done before its next run");
  });
  expect(seconds).toEqual([0, 600]);
  const conflict = new ApiError("changed meanwhile", { code: 409, reason: "Conflict" });
  const conflicting = await secondsOf(15, (ctx) => {
    ctx.requeueAt(nextOf(ctx));
    throw conflict;
  });
  expect(conflicting).toContain(600);
});

test("requeueAt: a time that has passed states nothing, so a failure is retried with its backoff", async () => {
  const seconds = await secondsOf(10, (ctx) => {
    ctx.requeueAt(ctx.now() - 1);
    throw new Error("broken");
  });
  expect(seconds.length).toBeLessThan(25);
});

test("requeueAt: counts after a success, and is replaced by what reconcile returns", async () => {
  const stated = await secondsOf(10, (ctx, run) => {
    ctx.requeueAt(run === 1 ? ctx.now() + 5 * minute : undefined);
    return undefined;
  });
  expect(stated).toEqual([0, 300]);
  const returned = await secondsOf(10, (ctx, run) => {
    ctx.requeueAt(ctx.now() + minute);
    return run === 1 ? { requeueAt: ctx.now() + 9 * minute } : { requeueAt: ctx.now() + 60 * minute };
  });
  expect(returned).toEqual([0, 540]);
});

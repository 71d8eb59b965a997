// Many timetables due in the same second: 32 are carried out at a time, with no gap between them, minute after minute.
import { expect, test } from "vitest";
import { HolidayCalendar } from "../../operators/scheduled-scaler/src/api/v1/holiday-calendar.js";
import { Hpa } from "../../operators/scheduled-scaler/src/api/v1/hpa.js";
import { hpaController } from "../../operators/scheduled-scaler/src/controllers/hpa.js";
import { Counter, counterTarget } from "./counter.js";
import { startWorld } from "./world.js";

const namespace = "default";
const count = 200;
const minute = 60_000;
const start = Date.UTC(2026, 0, 1) - 5_000;
/** From midnight on; the clock starts five seconds before. */
const minutes = 2;
/** The time of one reconcile on a server that takes its time. */
const duration = 200;
const concurrency = 32;

test("200 timetables of one second, 200 ms each, begin 32 at a time, so that the last has begun after 1.2 s", {
  timeout: 60_000,
}, async () => {
  /** Reconciles of timetables that were due, by how many milliseconds after the full minute they began. */
  const begun = new Map<number, number>();
  const controller: typeof hpaController = {
    ...hpaController,
    async reconcile(object, ctx) {
      const late = ctx.now() % minute;
      if (ctx.reasons.includes("scheduled")) begun.set(late, (begun.get(late) ?? 0) + 1);
      const result = await hpaController.reconcile(object, ctx);
      await ctx.sleep(duration);
      return result;
    },
  };
  await using world = await startWorld({
    start,
    kinds: [Hpa, HolidayCalendar, Counter],
    controllers: [controller],
    async objects(client) {
      for (let index = 0; index < count; index++) {
        const name = `s-${index}`;
        await client.create(Counter, { metadata: { name, namespace }, spec: {} });
        const jobs = [
          { name: "even", schedule: "*/2 * * * *", size: 3 },
          { name: "odd", schedule: "1/2 * * * *", size: 5 },
        ];
        await client.create(Hpa, {
          metadata: { name, namespace },
          spec: { scaleTarget: counterTarget(name), jobs },
        });
      }
    },
  });
  await world.clock.advance((minutes - 1) * minute + 10_000);
  const rounds = Array.from({ length: Math.ceil(count / concurrency) }, (_, round) => round);
  const inRound = (round: number) => Math.min(concurrency, count - round * concurrency);
  expect([...begun]).toEqual(rounds.map((round) => [round * duration, minutes * inRound(round)]));
  const { items } = await world.client.list(Counter, { namespace });
  expect(items.map(({ metadata, spec }) => [metadata?.generation, spec.count])).toEqual(
    items.map(() => [4, 5]),
  );
  expect(world.errors).toEqual([]);
});

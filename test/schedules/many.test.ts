// Many timetables due in the same second: all begin within a second of it, minute after minute, and each does its work.
import { expect, test } from "vitest";
import { HolidayCalendar } from "../../operators/scheduled-scaler/src/api/v1/holiday-calendar.js";
import { Hpa } from "../../operators/scheduled-scaler/src/api/v1/hpa.js";
import { hpaController } from "../../operators/scheduled-scaler/src/controllers/hpa.js";
import { Counter, counterTarget } from "./counter.js";
import { startWorld } from "./world.js";

const namespace = "default";
const count = 300;
const minute = 60_000;
const start = Date.UTC(2026, 0, 1) - 5_000;

test("300 timetables begin within a second of their time, though each takes 50 ms", {
  timeout: 60_000,
}, async () => {
  const begun: { readonly late: number; readonly name: string }[] = [];
  const controller: typeof hpaController = {
    ...hpaController,
    async reconcile(object, ctx) {
      const late = ctx.now() % minute;
      if (ctx.reasons.includes("scheduled")) begun.push({ late, name: object.metadata?.name ?? "" });
      const result = await hpaController.reconcile(object, ctx);
      // A server that takes its time.
      await ctx.sleep(50);
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
  await world.clock.advance(3 * minute + 10_000);
  expect(begun.length).toBeGreaterThanOrEqual(3 * count);
  expect(Math.max(...begun.map(({ late }) => late))).toBeLessThan(1_000);
  const { items } = await world.client.list(Counter, { namespace });
  expect(items.map(({ metadata, spec }) => [metadata?.generation, spec.count])).toEqual(
    items.map(() => [6, 5]),
  );
  expect(world.errors).toEqual([]);
});

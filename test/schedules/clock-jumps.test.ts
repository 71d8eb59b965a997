// A clock that is set, forward or back, makes nothing run twice and nothing wait longer than it must.
import { Job } from "@kubewright/api";
import fc from "fast-check";
import { expect, test } from "vitest";
import { CronTab } from "../../operators/crontab/src/api/v1/cron-tab.js";
import { cronTabController } from "../../operators/crontab/src/controllers/cron-tab.js";
import { HolidayCalendar } from "../../operators/scheduled-scaler/src/api/v1/holiday-calendar.js";
import { Hpa } from "../../operators/scheduled-scaler/src/api/v1/hpa.js";
import { hpaController } from "../../operators/scheduled-scaler/src/controllers/hpa.js";
import { Counter, counterTarget } from "./counter.js";
import { startWorld, type World } from "./world.js";

const minute = 60_000;
const hour = 60 * minute;
const namespace = "default";
const start = Date.UTC(2026, 0, 1, 11, 30);
const jobs = [
  { name: "noon", schedule: "0 12 * * *", size: 9 },
  { name: "quarter", schedule: "*/15 * * * *", size: 4 },
];

const world = () =>
  startWorld({
    start,
    kinds: [Hpa, HolidayCalendar, CronTab, Counter],
    controllers: [hpaController, cronTabController],
    async objects(client) {
      await client.create(Counter, { metadata: { name: "web", namespace }, spec: {} });
      const spec = { scaleTarget: counterTarget("web"), historyLimit: 100, jobs };
      await client.create(Hpa, { metadata: { name: "plan", namespace }, spec });
      const tick = { cronSpec: "*/15 * * * *", image: "busybox", successfulJobsHistoryLimit: 100 };
      await client.create(CronTab, { metadata: { name: "tick", namespace }, spec: tick });
    },
  });

const times = async ({ client }: World) => {
  const { status } = await client.get(Hpa, "plan", { namespace });
  return (status?.history ?? []).map(({ time }) => time.slice(11, 16)).reverse();
};
const ticks = async ({ client }: World) => {
  const { items } = await client.list(Job, { namespace });
  return items
    .map(({ metadata }) => metadata?.annotations?.["stable.example.com/scheduled-at"]?.slice(11, 16))
    .sort();
};

test("set forward past a run, the run is carried out within half a minute", async () => {
  await using here = await world();
  await here.clock.advance(1_000);
  here.clock.jump(20 * minute); // 11:50
  await here.clock.advance(31_000);
  expect([await times(here), await ticks(here)]).toEqual([["11:30", "11:45"], ["11:45"]]);
  here.clock.jump(9 * minute); // 11:59:32
  await here.clock.advance(31_000); // 12:00:03
  expect([await times(here), await ticks(here)]).toEqual([
    ["11:30", "11:45", "12:00"],
    ["11:45", "12:00"],
  ]);
  here.clock.jump(110 * minute); // 13:50, and noon is past: only the latest is made up for
  await here.clock.advance(31_000);
  expect(await times(here)).toEqual(["11:30", "11:45", "12:00", "13:45"]);
  const { status } = await here.client.get(Hpa, "plan", { namespace });
  expect(status?.jobs?.map(({ missed }) => missed)).toEqual([undefined, 6]);
  const { status: ticked } = await here.client.get(CronTab, "tick", { namespace });
  expect([ticked?.missed, ticked?.nextRun]).toEqual([6, "2026-01-01T14:00:00Z"]);
  expect(here.errors).toEqual([]);
});

test("set back a little, no run is carried out twice, and the next one in time", async () => {
  await using here = await world();
  await here.clock.advance(16 * minute); // 11:46
  here.clock.jump(-2 * minute);
  await here.clock.advance(14 * minute); // 11:58
  expect([await times(here), await ticks(here)]).toEqual([["11:30", "11:45"], ["11:45"]]);
  await here.clock.advance(2 * minute + 2_000);
  expect([await times(here), await ticks(here)]).toEqual([
    ["11:30", "11:45", "12:00"],
    ["11:45", "12:00"],
  ]);
});

test("set back a lot, the timetable goes on from the present", async () => {
  await using here = await world();
  await here.clock.advance(31 * minute); // 12:01
  expect(await times(here)).toEqual(["11:30", "11:45", "12:00"]);
  here.clock.jump(-3 * hour); // 09:01
  await here.clock.advance(minute);
  expect(await times(here)).toEqual(["11:30", "11:45", "12:00"]);
  await here.clock.advance(15 * minute);
  expect(await times(here)).toEqual(["11:30", "11:45", "12:00", "09:15"]);
  expect(await ticks(here)).toEqual(["09:15", "11:45", "12:00"]);
});

test("however it is set, no run is carried out twice, and the next one comes in time", {
  timeout: 120_000,
}, async () => {
  // No further back than what is remembered is believed: five minutes in all.
  const step = fc.record({
    pass: fc.integer({ min: 0, max: 25 * minute }),
    jump: fc.integer({ min: -2 * minute, max: 40 * minute }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
      await using here = await world();
      let latest = here.clock.now();
      let back = 0;
      for (const { pass, jump } of steps) {
        await here.clock.advance(pass);
        latest = Math.max(latest, here.clock.now());
        const allowed = Math.max(jump, -(4 * minute - back));
        if (allowed < 0) back -= allowed;
        here.clock.jump(allowed);
      }
      // Until it is as late as it ever was, the jump was noticed, and two further quarters have passed.
      const caughtUp = Math.max(latest - here.clock.now(), 31_000);
      await here.clock.advance(caughtUp);
      const quarter = 15 * minute;
      const next = Math.ceil((here.clock.now() + 1) / quarter) * quarter;
      await here.clock.advance(next + quarter + 1_000 - here.clock.now());
      const [runs, jobs] = [await times(here), await ticks(here)];
      expect(new Set(runs).size).toBe(runs.length);
      expect(new Set(jobs).size).toBe(jobs.length);
      const expected = [next, next + quarter].map((time) => new Date(time).toISOString().slice(11, 16));
      expect(runs.slice(-2)).toEqual(expected);
      expect(jobs.slice(-2)).toEqual(expected);
      expect(here.errors).toEqual([]);
    }),
    { numRuns: 20 },
  );
});

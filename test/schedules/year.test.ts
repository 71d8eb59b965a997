// A whole year of the operators, in four zones at once: each run at its moment, counted and compared with a table.
// KUBEWRIGHT_LONG_TESTS=1 has a second year, with days of rest, and a whole one of CronTabs instead of four months.
import { Job } from "@kubewright/api";
import { expect, test } from "vitest";
import { CronTab } from "../../operators/crontab/src/api/v1/cron-tab.js";
import { cronTabController } from "../../operators/crontab/src/controllers/cron-tab.js";
import { dueAt } from "../../operators/crontab/src/controllers/runs.js";
import { HolidayCalendar } from "../../operators/scheduled-scaler/src/api/v1/holiday-calendar.js";
import { Hpa } from "../../operators/scheduled-scaler/src/api/v1/hpa.js";
import { hpaController } from "../../operators/scheduled-scaler/src/controllers/hpa.js";
import { dueIn } from "../../packages/runtime/src/schedule/fixtures/brute-force.js";
import { Counter, counterTarget } from "./counter.js";
import { startWorld } from "./world.js";

const isLong = Boolean(process.env["KUBEWRIGHT_LONG_TESTS"]);
const day = 86_400_000;
const namespace = "default";
const year = Date.UTC(2026, 0, 1);
/** 02:15 on every day, and what the clocks do to it where they are changed. */
const zones: Readonly<Record<string, readonly string[]>> = {
  "Asia/Shanghai": [],
  "Europe/Berlin": ["2026-03-29T01:00:00Z", "2026-10-25T00:15:00Z"],
  "America/New_York": ["2026-03-08T07:00:00Z", "2026-11-01T07:15:00Z"],
  "Australia/Lord_Howe": ["2026-04-04T15:45:00Z", "2026-10-03T15:30:00Z"],
};
const allowed = { minutes: new Set([15]), hours: new Set([2]), isDay: () => true };
const shown = (time: number): string => new Date(time).toISOString().replace(".000Z", "Z");
/** Nobody sets this clock, so nobody has to look whether somebody did: a million times in a year. */
const controllers = [hpaController, cronTabController].map((each) => ({ ...each, sources: [] }));
const names = Object.keys(zones).map((zone) => zone.toLowerCase().replace(/[^a-z]/g, "-"));

/** A year of timetables, one for each zone. Returns when each of them ran, and which job. */
async function yearOf(spec: (timeZone: string) => object): Promise<readonly ReadonlyMap<string, string>[]> {
  await using world = await startWorld({
    start: year - day,
    kinds: [Hpa, HolidayCalendar, CronTab, Counter],
    controllers,
    async objects(client) {
      for (const [index, timeZone] of Object.keys(zones).entries()) {
        const name = names[index] ?? "";
        await client.create(Counter, { metadata: { name, namespace }, spec: {} });
        // Counters are not watched: kept up, each would be looked at half a million times.
        const about = { scaleTarget: counterTarget(name), timeZone, historyLimit: 35, enforce: "AtStart" };
        const whole = { ...about, ...spec(timeZone) };
        await client.create(Hpa, { metadata: { name, namespace }, spec: whole as never });
      }
    },
  });
  const runs = names.map(() => new Map<string, string>());
  // Before the history forgets the first of them.
  for (let passed = 0; passed < 366; passed += 31) {
    await world.clock.advance(Math.min(31, 366 - passed) * day);
    for (const [index, name] of names.entries()) {
      const { status } = await world.client.get(Hpa, name, { namespace });
      for (const { time, job } of status?.history ?? []) runs[index]?.set(time, job);
    }
  }
  expect(world.errors).toEqual([]);
  return runs;
}

/** What of it was in 2026, in order. */
const times = (runs: ReadonlyMap<string, string> | undefined): readonly string[] =>
  [...(runs?.keys() ?? [])].filter((time) => time >= "2026").toSorted();

test("every day of 2026 has its run in every zone", { timeout: 240_000 }, async () => {
  const runs = await yearOf(() => ({ jobs: [{ name: "daily", schedule: "15 2 * * *", size: 3 }] }));
  for (const [index, [timeZone, changed]] of Object.entries(zones).entries()) {
    const expected = dueIn(timeZone, year, year + 365 * day, allowed).map(shown);
    expect(times(runs[index])).toEqual(expected);
    expect(expected).toHaveLength(365);
    for (const instant of changed) expect(expected).toContain(instant);
  }
});

test.skipIf(!isLong)(
  "days of rest, dates and jobs that run once are those of their zone",
  { timeout: 240_000 },
  async () => {
    const runs = await yearOf(() => ({
      excludeDates: ["2026-03-29", "2026-12-24..2026-12-26", "* * * * SUN", "* * 1 * *"],
      jobs: [
        { name: "daily", schedule: "15 2 * * *", size: 3 },
        { name: "party", schedule: "@date 2026-07-04 18:00", size: 9 },
        { name: "never", schedule: "@date 2026-12-25 18:00", size: 9 },
        { name: "once", schedule: "30 8 2-31 * *", size: 5, runOnce: true },
      ],
    }));
    const isDay = (date: number, month: number, weekday: number): boolean =>
      weekday !== 0 && date !== 1 && !(month === 12 && date >= 24 && date <= 26);
    for (const [index, timeZone] of Object.keys(zones).entries()) {
      const within = (each: typeof allowed | object) =>
        dueIn(timeZone, year, year + 365 * day, { ...allowed, isDay, ...each }).map(shown);
      const party = within({
        minutes: new Set([0]),
        hours: new Set([18]),
        isDay: (date: number, month: number) => month === 7 && date === 4,
      });
      const daily = within({});
      const found = runs[index] ?? new Map<string, string>();
      // 313 days are no Sunday; of those, 9 are the first of a month and 3 are at Christmas.
      expect([daily.length, party.length]).toEqual([301, 1]);
      expect(times(found).filter((time) => found.get(time) === "daily")).toEqual(daily);
      expect([...found].filter(([, job]) => job === "party").map(([time]) => time)).toEqual(party);
      expect([...found.values()]).not.toContain("never");
      const once = [...found].filter(([, job]) => job === "once");
      // Begun on the last day of 2025, which is no day of rest.
      expect(once).toHaveLength(1);
    }
  },
);

test("every day has its Job in every zone, where clocks are changed, too", { timeout: 240_000 }, async () => {
  // Until the end of April all of these zones have changed their clocks once.
  const days = isLong ? 365 : 120;
  const begun = new Map(names.map((name) => [name, new Set<string>()]));
  const recording: typeof cronTabController = {
    ...cronTabController,
    sources: [],
    async reconcile(object, ctx) {
      const result = await cronTabController.reconcile(object, ctx);
      for (const job of ctx.children(Job))
        begun.get(object.metadata?.name ?? "")?.add(shown(dueAt(job) ?? 0));
      return result;
    },
  };
  await using world = await startWorld({
    start: year - 60_000,
    kinds: [CronTab],
    controllers: [recording],
    async objects(client) {
      for (const [index, timeZone] of Object.keys(zones).entries()) {
        // Nothing here runs Jobs, so none ends by itself.
        const run = { image: "busybox", concurrencyPolicy: "Replace" } as const;
        const spec = { ...run, cronSpec: "15 2 * * *", timeZone };
        await client.create(CronTab, { metadata: { name: names[index] ?? "", namespace }, spec });
      }
    },
  });
  await world.clock.advance(days * day);
  for (const [index, timeZone] of Object.keys(zones).entries()) {
    const name = names[index] ?? "";
    const expected = dueIn(timeZone, year, year + days * day, allowed).map(shown);
    expect([...(begun.get(name) ?? [])]).toEqual(expected);
    const { status } = await world.client.get(CronTab, name, { namespace });
    expect([status?.active, status?.missed, status?.lastScheduleTime]).toEqual([
      1,
      undefined,
      expected.at(-1),
    ]);
  }
  expect(world.errors).toEqual([]);
});

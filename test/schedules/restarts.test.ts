// The operators are stopped at every second of busy minutes, in order and by crashes: each run is carried out once, or told of
// as missed. KUBEWRIGHT_LONG_TESTS=1 has a whole hour of them.
import { Job, type TransportRequest } from "@kubewright/api";
import type { Middleware } from "@kubewright/client";
import { type TestCluster, testCluster } from "@kubewright/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { CronTab } from "../../operators/crontab/src/api/v1/cron-tab.js";
import { cronTabController } from "../../operators/crontab/src/controllers/cron-tab.js";
import { dueAt } from "../../operators/crontab/src/controllers/runs.js";
import { HolidayCalendar } from "../../operators/scheduled-scaler/src/api/v1/holiday-calendar.js";
import { Hpa } from "../../operators/scheduled-scaler/src/api/v1/hpa.js";
import { hpaController } from "../../operators/scheduled-scaler/src/controllers/hpa.js";
import { Counter, counterTarget } from "./counter.js";

/** Nothing but the API server and the operators: a Job that nobody looks at stays as it is. */
const options = {
  resources: [Hpa, HolidayCalendar, CronTab, Counter],
  controllers: [hpaController, cronTabController],
  cluster: { controllers: "none" },
  nodes: 0,
  leaks: "ignore",
} as const;
const start = Date.UTC(2026, 0, 1);
const minute = 60_000;
/** Schedules begin again after two minutes. */
const period = 120;
const isLong = Boolean(process.env["KUBEWRIGHT_LONG_TESTS"]);

/** Three jobs, 90 runs an hour, each with another size than the one before. */
const jobs = [
  { name: "even", schedule: "0 */2 * * * *", size: 3 },
  { name: "half", schedule: "30 */2 * * * *", size: 7 },
  { name: "odd", schedule: "0 1/2 * * * *", size: 5 },
];

/** Seconds from one run of the CronTab to the next. */
const tick = 20;

/** What is due from the start on, up to a moment: worked out by hand, minute by minute. */
function dueUntil(
  end: number,
): readonly { readonly time: number; readonly job: string; readonly size: number }[] {
  const due = [];
  for (let at = start; at <= end; at += minute) {
    const isEven = ((at - start) / minute) % 2 === 0;
    due.push({ time: at, ...(isEven ? { job: "even", size: 3 } : { job: "odd", size: 5 }) });
    if (isEven) due.push({ time: at + minute / 2, job: "half", size: 7 });
  }
  return due.filter(({ time }) => time <= end);
}

async function prepare(cluster: TestCluster): Promise<void> {
  await cluster.create(Counter, { name: "web", spec: {} });
  const spec = { scaleTarget: counterTarget("web"), historyLimit: 100, jobs };
  await cluster.create(Hpa, { name: "plan", spec });
  await cluster.create(CronTab, {
    name: "tick",
    spec: { cronSpec: `*/${tick} * * * * *`, image: "busybox" },
  });
}

/** Each due run of the CronTab has one Job, or was counted as missed; only seconds that are due have one. */
async function checkTicks(cluster: TestCluster): Promise<readonly number[]> {
  const seconds = (await cluster.list(Job)).map((job) => ((dueAt(job) ?? 0) - start) / 1_000);
  const { status } = await cluster.get(CronTab, "tick");
  expect(new Set(seconds).size).toBe(seconds.length);
  expect(seconds.filter((second) => second % tick !== 0)).toEqual([]);
  expect(seconds.length + (status?.missed ?? 0)).toBe(Math.floor((cluster.now() - start) / 1_000 / tick));
  return seconds;
}

/** Each due run is in the history once, or was counted as missed; the counter was changed exactly as often as they say. */
async function check(cluster: TestCluster): Promise<void> {
  const { status } = await cluster.get(Hpa, "plan");
  const due = dueUntil(cluster.now());
  const bySecond = new Map(due.map(({ time, job, size }) => [time, `${job} ${size}`]));
  const carriedOut = (status?.history ?? []).toReversed();
  const missed = (status?.jobs ?? []).reduce((sum, each) => sum + (each.missed ?? 0), 0);
  expect(new Set(carriedOut.map(({ time }) => time)).size).toBe(carriedOut.length);
  for (const { time, job, to } of carriedOut) expect(`${job} ${to}`).toBe(bySecond.get(Date.parse(time)));
  expect(carriedOut.length + missed).toBe(due.length);
  const { metadata, spec } = await cluster.get(Counter, "web");
  const changes = carriedOut.filter(({ to }, index) => to !== (carriedOut[index - 1]?.to ?? 1)).length;
  expect((metadata?.generation ?? 0) - 1).toBe(changes);
  expect(spec.count).toBe(due.at(-1)?.size ?? 1);
}

/** What crashes at a second of one period is stopped in order at that of the next. */
async function restartEverySecond(cluster: TestCluster, seconds: number): Promise<void> {
  for (let second = 1; second <= seconds; second++) {
    await cluster.advance("1s");
    if ((second + Math.floor(second / period)) % 2 === 0) await cluster.restartManager();
    else {
      cluster.crashManager();
      await cluster.startManager();
    }
  }
  await cluster.settle();
}

test("no run of a timetable is lost or done twice, restarting every second", {
  timeout: 300_000,
}, async () => {
  await using cluster = await testCluster({ ...options, controllers: [hpaController] });
  await prepare(cluster);
  await restartEverySecond(cluster, isLong ? 3_600 : 6 * period);
  await check(cluster);
  const { status } = await cluster.get(Hpa, "plan");
  expect(status?.history).toHaveLength(dueUntil(cluster.now()).length);
});

test("nor is one of a CronTab", { timeout: 300_000 }, async () => {
  await using cluster = await testCluster({ ...options, controllers: [cronTabController] });
  await prepare(cluster);
  const seconds = isLong ? 600 : 2 * period;
  await restartEverySecond(cluster, seconds);
  expect(await checkTicks(cluster)).toHaveLength(seconds / tick);
});

/** A write of the operators; nothing waits for events. */
const isChange = ({ method, path }: TransportRequest): boolean =>
  method !== "GET" && !path.endsWith("/events");

test("nor with any times of rest, however they begin", { timeout: 120_000 }, async () => {
  const rest = fc.record({
    after: fc.integer({ min: 1, max: 150_000 }),
    for: fc.integer({ min: 0, max: 400_000 }),
    /** Right after a write, in the middle of a reconcile; or at rest. */
    how: fc.constantFrom("stop", "crash", "crash at a write"),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(rest, { minLength: 1, maxLength: 6 }), async (rests) => {
      let left = Number.POSITIVE_INFINITY;
      const crashing: Middleware = (next) => async (request) => {
        const response = await next(request);
        if (isChange(request) && --left === 0) cluster.manager?.crashAndRestart();
        return response;
      };
      await using cluster = await testCluster({ ...options, middleware: [crashing] });
      await prepare(cluster);
      await cluster.settle();
      for (const { after, for: pause, how } of rests) {
        const { manager } = cluster;
        if (how === "crash at a write") left = 1 + (after % 3);
        await cluster.advance(after);
        if (how === "stop") await cluster.run(manager?.stop() ?? Promise.resolve());
        else cluster.crashManager();
        await cluster.advance(pause);
        await cluster.startManager();
      }
      await cluster.advance(1_000);
      await check(cluster);
      await checkTicks(cluster);
    }),
    { numRuns: 25 },
  );
});

test("intervals go on in step, wherever a restart falls", { timeout: 120_000 }, async () => {
  await using cluster = await testCluster(options);
  await cluster.create(Counter, { name: "web", spec: {} });
  const every = [{ name: "often", schedule: "@every 7m", size: 3 }];
  await cluster.create(Hpa, { name: "plan", spec: { scaleTarget: counterTarget("web"), jobs: every } });
  await cluster.create(CronTab, { name: "tick", spec: { cronSpec: "@every 7m", image: "busybox" } });
  const { metadata } = await cluster.get(Hpa, "plan");
  const began = Date.parse(metadata.creationTimestamp ?? "");
  // Before, at and right after a run; 20 minutes in all, and then without a stop.
  for (const seconds of [400, 19, 1, 1, 60, 358, 2, 359]) {
    await cluster.advance(`${seconds}s`);
    await cluster.restartManager();
  }
  await cluster.advance("10m");
  const expected = [7, 14, 21, 28].map((each) => began + each * minute);
  const { status } = await cluster.get(Hpa, "plan");
  expect(status?.history?.map(({ time }) => Date.parse(time)).toReversed()).toEqual(expected);
  const due = (await cluster.list(Job)).map((job) => dueAt(job) ?? 0);
  expect(due.toSorted((one, other) => one - other)).toEqual(expected);
  expect(cluster.errors).toEqual([]);
});

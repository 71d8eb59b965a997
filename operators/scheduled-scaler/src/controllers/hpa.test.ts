import { everyCrashPoint, type TestCluster, testCluster } from "@kubewright/testing";
import { describe, expect, test } from "vitest";
import { Hpa } from "../api/v1/hpa.js";
import {
  timetable as anyTimetable,
  change,
  deploy,
  namespace,
  notes,
  options,
  replicas,
  statusOf,
} from "./fixtures/timetables.js";

/** Begins with its first run, so that the effect of a run differs from what was in force before. */
const timetable = (cluster: TestCluster, spec: object) =>
  anyTimetable(cluster, { catchUpPolicy: "None", ...spec });

describe("Hpa: a timetable", () => {
  test("scales its target and reports the last and next runs", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster);
    await timetable(cluster, { jobs: [{ name: "up", schedule: "*/1 * * * *", size: 3 }] });
    await cluster.advance("59s");
    expect(await replicas(cluster)).toBe(1);
    expect(await statusOf(cluster)).toMatchObject({
      target: "Deployment/web",
      currentSize: 1,
      nextJob: "up",
      nextRun: "2026-01-01T00:01:00Z",
      conditions: [{ type: "Ready", status: "True", reason: "Scheduled" }],
    });
    await cluster.advance("2s");
    expect(await replicas(cluster)).toBe(3);
    const status = await statusOf(cluster);
    expect(status).toMatchObject({
      currentSize: 3,
      nextRun: "2026-01-01T00:02:00Z",
      jobs: [
        { name: "up", state: "Scheduled", lastRun: "2026-01-01T00:01:00Z", lastResult: "Scaled", size: 3 },
      ],
      history: [{ time: "2026-01-01T00:01:00Z", job: "up", from: 1, to: 3, result: "Scaled" }],
    });
    expect(status.upcoming).toHaveLength(5);
    expect(status.upcoming?.[4]).toEqual({ time: "2026-01-01T00:06:00Z", job: "up", size: 3 });
    expect(await notes(cluster)).toEqual(["Scaled: Deployment web from 1 to 3 (job up)"]);
    expect(cluster.errors).toEqual([]);
  });

  test("reports a run as it was also when the operator crashes after any write", {
    timeout: 60_000,
  }, async () => {
    const { writes } = await everyCrashPoint(options, async (cluster) => {
      await deploy(cluster);
      await timetable(cluster, { jobs: [{ name: "up", schedule: "*/2 * * * *", size: 3 }] });
      await cluster.advance("5m");
      const { history, jobs } = await statusOf(cluster);
      expect(history).toEqual([
        { time: "2026-01-01T00:04:00Z", job: "up", from: 3, to: 3, result: "Unchanged" },
        { time: "2026-01-01T00:02:00Z", job: "up", from: 1, to: 3, result: "Scaled" },
      ]);
      expect(jobs?.[0]?.lastResult).toBe("Unchanged");
      expect(await notes(cluster)).toContain("Scaled: Deployment web from 1 to 3 (job up)");
    });
    expect(writes.length).toBeGreaterThanOrEqual(4);
  });

  test("is printed with target, size, next job, next run and whether it is suspended", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster);
    await timetable(cluster, { jobs: [{ name: "up", schedule: "0 9 * * *", size: 3 }] });
    await cluster.advance("1s");
    const { columnDefinitions, rows } = await cluster.client.table(Hpa, { namespace });
    expect(columnDefinitions.map(({ name }) => name)).toEqual([
      "Name",
      "Target",
      "Current",
      "Next Job",
      "Next Run",
      "Suspended",
      "Active",
      "Age",
    ]);
    expect(rows[0]?.cells.slice(0, 6)).toEqual([
      "plan",
      "Deployment/web",
      1,
      "up",
      "2026-01-01T09:00:00Z",
      false,
    ]);
  });

  test("has a time zone for each job", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster);
    await timetable(cluster, {
      timeZone: "Asia/Shanghai",
      jobs: [
        { name: "east", schedule: "0 9 * * *", size: 5 },
        { name: "west", schedule: "0 9 * * *", size: 2, timeZone: "America/New_York" },
      ],
    });
    await cluster.advance("1h1m");
    expect(await replicas(cluster)).toBe(5);
    await cluster.advance("13h");
    expect(await replicas(cluster)).toBe(2);
  });

  test("runs the last in the list of jobs due at the same moment", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster);
    const jobs = ["a", "b"].map((name, index) => ({ name, schedule: "0 1 * * *", size: 4 + index }));
    await timetable(cluster, { jobs });
    await cluster.advance("61m");
    expect(await replicas(cluster)).toBe(5);
    expect((await statusOf(cluster)).jobs).toMatchObject([
      { lastResult: "Superseded" },
      { lastResult: "Scaled" },
    ]);
  });

  test("keeps sizes within its bounds", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster);
    await timetable(cluster, {
      minSize: 2,
      maxSize: 6,
      jobs: [
        { name: "up", schedule: "0 1 * * *", size: 100 },
        { name: "down", schedule: "0 2 * * *", size: 0 },
      ],
    });
    await cluster.advance("61m");
    expect(await replicas(cluster)).toBe(6);
    await cluster.advance("1h");
    expect(await replicas(cluster)).toBe(2);
  });

  test("keeps as much history as asked", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster);
    await timetable(cluster, { historyLimit: 2, jobs: [{ name: "up", schedule: "* * * * *", size: 3 }] });
    await cluster.advance("5m1s");
    expect((await statusOf(cluster)).history?.map(({ time }) => time)).toEqual([
      "2026-01-01T00:05:00Z",
      "2026-01-01T00:04:00Z",
    ]);
  });

  test("with catchUpPolicy None does not make up for what fell due before a job was added or changed", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster);
    await timetable(cluster, { jobs: [{ name: "up", schedule: "0 12 * * *", size: 3 }] });
    await cluster.advance("3h");
    await change(cluster, { jobs: [{ name: "up", schedule: "0 2 * * *", size: 9 }] });
    await cluster.advance("1h");
    expect(await replicas(cluster)).toBe(1);
    await cluster.advance("22h1m");
    expect(await replicas(cluster)).toBe(9);
  });

  test.each([
    ["in time", "2h50m", 25 * 60, 5, [{ lastResult: "Scaled", missed: 2 }, {}]],
    ["too late", "2h50m", 10 * 60, 1, [{ lastResult: "Missed", missed: 3 }, {}]],
    ["in time, of another job", "3h10m", 25 * 60, 9, [{ missed: 3 }, { lastResult: "Scaled" }]],
  ])(
    "makes up for the latest run missed without an operator, if it is %s",
    async (_, away, startingDeadlineSeconds, size, jobs) => {
      await using cluster = await testCluster(options);
      await deploy(cluster);
      await timetable(cluster, {
        catchUpPolicy: "Latest",
        startingDeadlineSeconds,
        jobs: [
          { name: "half", schedule: "30 * * * *", size: 5 },
          { name: "noonish", schedule: "0 3 * * *", size: 9 },
        ],
      });
      await cluster.settle();
      cluster.crashManager();
      await cluster.advance(away);
      await cluster.startManager();
      await cluster.advance("1s");
      expect(await replicas(cluster)).toBe(size);
      expect(await statusOf(cluster)).toMatchObject({ jobs });
      expect(cluster.errors).toEqual([]);
    },
  );

  test("scales nothing while suspended, and with catchUpPolicy None makes up for no missed run", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster);
    await timetable(cluster, { suspend: true, jobs: [{ name: "up", schedule: "0 * * * *", size: 3 }] });
    await cluster.advance("150m");
    expect(await replicas(cluster)).toBe(1);
    expect(await statusOf(cluster)).toMatchObject({
      suspended: true,
      upcoming: [],
      jobs: [{ state: "Suspended" }],
      conditions: [{ type: "Ready", status: "True", reason: "Suspended" }],
    });
    await change(cluster, { suspend: false });
    await cluster.advance("29m");
    expect(await replicas(cluster)).toBe(1);
    await cluster.advance("2m");
    expect(await replicas(cluster)).toBe(3);
  });

  test("runs a job once with runOnce, and an @date job always once", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster);
    await timetable(cluster, {
      jobs: [
        { name: "once", schedule: "0 1 * * *", size: 3, runOnce: true },
        { name: "date", schedule: "@date 2026-01-01 02:00", size: 4 },
      ],
    });
    await cluster.advance("61m");
    expect(await replicas(cluster)).toBe(3);
    await cluster.advance("1h");
    expect(await replicas(cluster)).toBe(4);
    await cluster.advance("48h");
    expect(await replicas(cluster)).toBe(4);
    const { jobs, nextRun, conditions } = await statusOf(cluster);
    expect(jobs).toMatchObject([{ state: "Completed" }, { state: "Finished" }]);
    expect(nextRun).toBeUndefined();
    expect(conditions).toMatchObject([{ status: "True", reason: "Finished" }]);
  });

  test.each([
    [["2026-01-02"], [1, 3]],
    [["2026-01-02..2026-01-04"], [1, 5]],
    [["* * * * SAT"], [1, 2, 4]],
    [["* * * 2 * *"], [1, 3]],
  ])("scales nothing on the excluded days %j", async (excludeDates, days) => {
    await using cluster = await testCluster(options);
    await deploy(cluster);
    await timetable(cluster, { excludeDates, jobs: [{ name: "up", schedule: "0 12 * * *", size: 3 }] });
    await cluster.advance(`${days.at(-1)! * 24}h`);
    const { history = [] } = await statusOf(cluster);
    expect(history.map(({ time }) => Number(time.slice(8, 10))).reverse()).toEqual(days);
  });
});

describe("Hpa: a job that cannot run is reported and stops no other", () => {
  test.each([
    [{ schedule: "0 0 30 2 *" }, "never comes"],
    [{ schedule: "every day" }, "not 2"],
    [{ schedule: "@date 2026-02-30 10:00" }, "never comes"],
    [{ schedule: "0 9 * * 1-9" }, 'day of week: "9" is not 0 to 7 or sun to sat (column 11)'],
    [{ schedule: "@every noon", timeZone: "Mars/Olympus" }, "; "],
    [{ timeZone: "Mars/Olympus" }, "no time zone"],
    [{ name: "good" }, "an earlier job is called good"],
  ])("%o", async (wrong, message) => {
    await using cluster = await testCluster(options);
    await deploy(cluster);
    const good = { name: "good", schedule: "0 1 * * *", size: 3 };
    await timetable(cluster, { jobs: [good, { name: "bad", schedule: "0 1 * * *", size: 9, ...wrong }] });
    await cluster.advance("61m");
    expect(await replicas(cluster)).toBe(3);
    const { jobs, conditions } = await statusOf(cluster);
    expect(jobs).toMatchObject([
      { state: "Scheduled" },
      { state: "Invalid", message: expect.stringContaining(message) },
    ]);
    expect(conditions).toMatchObject([
      { status: "False", reason: "Invalid", message: expect.stringContaining(message) },
    ]);
    expect(cluster.errors).toEqual([]);
  });

  test("because its excludeDates are invalid", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster);
    await timetable(cluster, {
      excludeDates: ["2026-02-30"],
      jobs: [{ name: "up", schedule: "0 1 * * *", size: 3 }],
    });
    await cluster.advance("61m");
    expect(await replicas(cluster)).toBe(3);
    expect((await statusOf(cluster)).conditions).toMatchObject([
      { reason: "Invalid", message: expect.stringContaining("excludeDates[0]") },
    ]);
  });
});

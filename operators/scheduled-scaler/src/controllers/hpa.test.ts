// Timetables on a cluster in virtual time, which begins at midnight of 1 January 2026, a Thursday.
import {
  Deployment,
  Event,
  HorizontalPodAutoscaler,
  ReplicationController,
  StatefulSet,
} from "@kubewright/api";
import { defineResource, z } from "@kubewright/schema";
import { everyCrashPoint, type TestCluster, testCluster } from "@kubewright/testing";
import { describe, expect, test } from "vitest";
import { Hpa } from "../api/v1/hpa.js";
import { hpaController } from "./hpa.js";
import { windowController } from "./window.js";

const options = {
  resources: [Hpa],
  controllers: [hpaController, windowController],
  nodes: 0,
  leaks: "ignore",
} as const;
const namespace = "default";
const scaleTarget = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
const labels = { app: "web" };
const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx:1.27" }] } };

const deploy = (cluster: TestCluster, replicas = 1) =>
  cluster.create(Deployment, {
    name: "web",
    spec: { replicas, selector: { matchLabels: labels }, template },
  });
const replicas = async (cluster: TestCluster) => (await cluster.get(Deployment, "web")).spec?.replicas;
const timetable = (cluster: TestCluster, spec: object) =>
  cluster.create(Hpa, { name: "plan", spec: { scaleTarget, ...spec } as never });
const statusOf = async (cluster: TestCluster) => (await cluster.get(Hpa, "plan")).status!;
const change = (cluster: TestCluster, spec: object) =>
  cluster.client.patch(Hpa, "plan", { merge: { spec } as never }, { namespace });
const notes = async (cluster: TestCluster) =>
  (await cluster.client.list(Event, { namespace })).items
    .filter(({ involvedObject }) => involvedObject?.kind === "Hpa")
    .map(({ reason, message }) => `${reason}: ${message}`);

describe("a timetable", () => {
  test("scales its target and says what it did and will do", async () => {
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
    expect(await notes(cluster)).toEqual([
      "Scaled: Deployment web from 1 to 3 (job up, due at 2026-01-01T00:01:00Z)",
    ]);
    expect(cluster.errors).toEqual([]);
  });

  test("is printed with target, size, next job, next run and whether it rests", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster);
    await timetable(cluster, { suspend: false, jobs: [{ name: "up", schedule: "0 9 * * *", size: 3 }] });
    await cluster.advance("1s");
    const { columnDefinitions, rows } = await cluster.client.table(Hpa, { namespace });
    expect(columnDefinitions.map(({ name }) => name)).toEqual([
      "Name",
      "Target",
      "Current",
      "Next Job",
      "Next Run",
      "Suspended",
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

  test("gives way to the last in the list of jobs due at the same moment", async () => {
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

  test("does not make up for what fell due before a job was added or changed", async () => {
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

  test("rests while suspended, and does not make up for it", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster);
    await timetable(cluster, { suspend: true, jobs: [{ name: "up", schedule: "0 * * * *", size: 3 }] });
    await cluster.advance("150m");
    expect(await replicas(cluster)).toBe(1);
    expect(await statusOf(cluster)).toMatchObject({
      suspended: true,
      upcoming: [],
      jobs: [{ state: "Suspended" }],
    });
    await change(cluster, { suspend: false });
    await cluster.advance("29m");
    expect(await replicas(cluster)).toBe(1);
    await cluster.advance("2m");
    expect(await replicas(cluster)).toBe(3);
  });

  test("runs a job once where that is said, and dates once anyway", async () => {
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
    const { jobs, nextRun } = await statusOf(cluster);
    expect(jobs).toMatchObject([{ state: "Completed" }, { state: "Finished" }]);
    expect(nextRun).toBeUndefined();
  });

  test.each([
    [["2026-01-02"], [1, 3]],
    [["2026-01-02..2026-01-04"], [1, 5]],
    [["* * * * SAT"], [1, 2, 4]],
    [["* * * 2 * *"], [1, 3]],
  ])("rests on %j", async (excludeDates, days) => {
    await using cluster = await testCluster(options);
    await deploy(cluster);
    await timetable(cluster, { excludeDates, jobs: [{ name: "up", schedule: "0 12 * * *", size: 3 }] });
    await cluster.advance(`${days.at(-1)! * 24}h`);
    const { history = [] } = await statusOf(cluster);
    expect(history.map(({ time }) => Number(time.slice(8, 10))).reverse()).toEqual(days);
  });
});

describe("a job that cannot run is told of and stops no other", () => {
  test.each([
    [{ schedule: "0 0 30 2 *" }, "never comes"],
    [{ schedule: "every day" }, "not 2"],
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

  test("excluded days that are none", async () => {
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

describe("targets", () => {
  const Widget = defineResource({
    group: "example.com",
    version: "v1",
    kind: "Widget",
    spec: z.object({ count: z.int32().default(1) }),
    status: z.object({ count: z.int32().optional() }),
    scale: { spec: ".spec.count", status: ".status.count" },
  });
  const jobs = [{ name: "up", schedule: "* * * * *", size: 3 }];

  test("of custom kinds, stateful sets and v1 are scaled", async () => {
    await using cluster = await testCluster({ ...options, resources: [Hpa, Widget] });
    await cluster.create(Widget, { name: "web", spec: {} });
    await cluster.create(StatefulSet, {
      name: "web",
      spec: { serviceName: "web", replicas: 1, selector: { matchLabels: labels }, template },
    });
    await cluster.create(ReplicationController, {
      name: "web",
      spec: { replicas: 1, selector: labels, template },
    });
    const targets = [
      { apiVersion: "example.com/v1", kind: "Widget" },
      { apiVersion: "apps/v1", kind: "StatefulSet" },
      { apiVersion: "v1", kind: "ReplicationController" },
    ];
    for (const target of targets) {
      const name = target.kind.toLowerCase();
      await cluster.create(Hpa, { name, spec: { scaleTarget: { ...target, name: "web" }, jobs } });
    }
    await cluster.advance("61s");
    expect((await cluster.get(Widget, "web")).spec.count).toBe(3);
    expect((await cluster.get(StatefulSet, "web")).spec?.replicas).toBe(3);
    expect((await cluster.get(ReplicationController, "web")).spec?.replicas).toBe(3);
    expect(cluster.errors).toEqual([]);
  });

  test("that are missing are told of, waited for, and scaled when they come", async () => {
    await using cluster = await testCluster(options);
    await timetable(cluster, { jobs: [{ name: "up", schedule: "0 1 * * *", size: 3 }] });
    await cluster.advance("1s");
    expect((await statusOf(cluster)).conditions).toMatchObject([
      { status: "False", reason: "TargetNotFound" },
    ]);
    await cluster.advance("90m");
    expect((await statusOf(cluster)).jobs?.[0]?.message).toContain("waits: there is no Deployment web");
    await deploy(cluster);
    await cluster.advance("61s");
    expect(await replicas(cluster)).toBe(3);
    expect((await statusOf(cluster)).conditions).toMatchObject([{ status: "True" }]);
  });

  test("that are missing until the deadline have missed the run", async () => {
    await using cluster = await testCluster(options);
    await timetable(cluster, {
      startingDeadlineSeconds: 120,
      jobs: [{ name: "up", schedule: "0 1 * * *", size: 3 }],
    });
    await cluster.advance("64m");
    await deploy(cluster);
    await cluster.advance("30m");
    expect(await replicas(cluster)).toBe(1);
    expect((await statusOf(cluster)).jobs).toMatchObject([{ lastResult: "Missed", missed: 1 }]);
    expect((await notes(cluster)).join()).toContain("RunMissed: job up: it was due at 2026-01-01T01:00:00Z");
  });

  test.each([
    [{ apiVersion: "v1", kind: "ConfigMap" }, "has no scale subresource"],
    [{ apiVersion: "nowhere.example.com/v1", kind: "Widget" }, "has no kind Widget"],
    [{ apiVersion: "a/b/c", kind: "Widget" }, "has no kind Widget"],
  ])("that cannot be scaled are told of: %o", async (target, message) => {
    await using cluster = await testCluster(options);
    await timetable(cluster, { scaleTarget: { ...target, name: "web" }, jobs });
    await cluster.advance("61s");
    expect((await statusOf(cluster)).conditions).toMatchObject([
      { status: "False", reason: "NotScalable", message: expect.stringContaining(message) },
    ]);
    expect(cluster.errors).toEqual([]);
  });
});

describe("an autoscaler of the target", () => {
  const autoscale = (cluster: TestCluster) =>
    cluster.create(HorizontalPodAutoscaler, {
      name: "auto",
      spec: { scaleTargetRef: scaleTarget, minReplicas: 2, maxReplicas: 10 },
    });
  const bounds = async (cluster: TestCluster) => {
    const { spec, metadata } = await cluster.get(HorizontalPodAutoscaler, "auto");
    return [spec?.minReplicas, spec?.maxReplicas, Object.keys(metadata?.annotations ?? {}).length];
  };
  const jobs = [
    { name: "morning", schedule: "0 1 * * *", size: 12 },
    { name: "noon", schedule: "0 2 * * *", size: 5 },
    { name: "evening", schedule: "0 3 * * *", size: 2 },
  ];

  test.each([
    ["its target is scheduled", scaleTarget],
    [
      "it is scheduled itself",
      { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", name: "auto" },
    ],
    [
      "it is scheduled itself, in its first version",
      { apiVersion: "autoscaling/v1", kind: "HorizontalPodAutoscaler", name: "auto" },
    ],
  ])("keeps scaling inside a window that moves when %s", async (_, target) => {
    await using cluster = await testCluster(options);
    await deploy(cluster, 3);
    await autoscale(cluster);
    await timetable(cluster, { scaleTarget: target, jobs });
    await cluster.advance("61m");
    expect(await bounds(cluster)).toEqual([12, 12, 1]);
    await cluster.advance("1h");
    expect(await bounds(cluster)).toEqual([5, 10, 1]);
    await cluster.advance("1h");
    expect(await bounds(cluster)).toEqual([2, 10, 0]);
    expect(cluster.errors).toEqual([]);
  });

  test("gets its own bounds back when the timetable is deleted, or means something else", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster, 3);
    await autoscale(cluster);
    await timetable(cluster, { jobs });
    await cluster.advance("61m");
    await change(cluster, { scaleTarget: { ...scaleTarget, name: "other" } });
    await cluster.advance("1m");
    expect(await bounds(cluster)).toEqual([2, 10, 0]);
    await change(cluster, { scaleTarget });
    await cluster.advance("1h");
    expect(await bounds(cluster)).toEqual([5, 10, 1]);
    await cluster.delete(Hpa, "plan");
    await cluster.settle();
    expect(await bounds(cluster)).toEqual([2, 10, 0]);
  });

  test("gets its own bounds back also when the timetable goes while the operator is away", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster, 3);
    await autoscale(cluster);
    await timetable(cluster, { jobs });
    await cluster.advance("61m");
    cluster.crashManager();
    await cluster.delete(Hpa, "plan");
    await cluster.startManager();
    await cluster.settle();
    expect(await bounds(cluster)).toEqual([2, 10, 0]);
  });

  test("keeps what its owner changes meanwhile", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster, 3);
    await autoscale(cluster);
    await timetable(cluster, { jobs });
    await cluster.advance("61m");
    const owners = { merge: { spec: { maxReplicas: 20 } } };
    await cluster.client.patch(HorizontalPodAutoscaler, "auto", owners, { namespace });
    await cluster.advance("1h");
    expect(await bounds(cluster)).toEqual([5, 20, 1]);
    await cluster.advance("1h");
    expect(await bounds(cluster)).toEqual([2, 20, 0]);
  });

  test("sleeps while a job wants none, and is woken by one that wants some", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster, 3);
    await autoscale(cluster);
    await timetable(cluster, {
      jobs: [
        { name: "night", schedule: "0 1 * * *", size: 0 },
        { name: "day", schedule: "0 2 * * *", size: 4 },
      ],
    });
    await cluster.advance("61m");
    expect([await replicas(cluster), await bounds(cluster)]).toEqual([0, [2, 10, 0]]);
    await cluster.advance("1h");
    expect([await replicas(cluster), await bounds(cluster)]).toEqual([4, [4, 10, 1]]);
  });

  test("has its bounds back after a crash at any moment", { timeout: 60_000 }, async () => {
    const { writes } = await everyCrashPoint(options, async (cluster) => {
      await deploy(cluster, 3);
      await autoscale(cluster);
      await timetable(cluster, { jobs });
      await cluster.advance("61m");
      expect(await bounds(cluster)).toEqual([12, 12, 1]);
      await cluster.advance("1h");
      expect(await bounds(cluster)).toEqual([5, 10, 1]);
      await cluster.delete(Hpa, "plan");
      await cluster.advance("1m");
      expect(await bounds(cluster)).toEqual([2, 10, 0]);
    });
    expect(writes.length).toBeGreaterThan(5);
  });
});

// Between runs the size of the latest one is in force: a timetable keeps it up, or reports why it does not.
import { Deployment, HorizontalPodAutoscaler } from "@kubewright/api";
import { defineResource, z } from "@kubewright/schema";
import { type TestCluster, testCluster } from "@kubewright/testing";
import { describe, expect, test } from "vitest";
import { HolidayCalendar } from "../api/v1/holiday-calendar.js";
import { Hpa } from "../api/v1/hpa.js";
import {
  change,
  deploy,
  labels,
  namespace,
  notes,
  options,
  replicas,
  scaleTarget,
  statusOf,
  template,
  timetable,
} from "./fixtures/timetables.js";

// The cluster begins at midnight.
const day = [
  { name: "morning", schedule: "0 8 * * *", size: 5 },
  { name: "evening", schedule: "0 20 * * *", size: 2 },
];
const scale = (cluster: TestCluster, count: number, name = "web") =>
  cluster.client.scale(Deployment, name, count, { namespace });

describe("Hpa: the size in force", () => {
  test("takes effect at once when the timetable is created between two runs", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster, 1);
    await timetable(cluster, { jobs: day });
    await cluster.advance("1s");
    expect(await replicas(cluster)).toBe(2);
    expect(await statusOf(cluster)).toMatchObject({ activeJob: "evening", currentSize: 2 });
    expect((await statusOf(cluster)).jobs?.map(({ missed }) => missed)).toEqual([undefined, undefined]);
  });

  test("takes effect at once when the timetable is resumed", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster, 1);
    await timetable(cluster, { suspend: true, jobs: day });
    await cluster.advance("10h");
    expect(await replicas(cluster)).toBe(1);
    await change(cluster, { suspend: false });
    await cluster.advance("1s");
    expect(await replicas(cluster)).toBe(5);
  });

  test("is restored when somebody scales the target, and the observed size is shown", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster);
    await timetable(cluster, { jobs: day });
    await cluster.advance("1m");
    await scale(cluster, 7);
    await cluster.settle();
    expect(await replicas(cluster)).toBe(2);
    expect(await statusOf(cluster)).toMatchObject({ currentSize: 2, restored: 1 });
    expect(await notes(cluster)).toContain(
      "Restored: Deployment web was at 7, which is not what job evening asks for: back to 2",
    );
  });

  test("is left alone with enforce AtStart, and the observed size is shown", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster);
    await timetable(cluster, { enforce: "AtStart", jobs: day });
    await cluster.advance("1m");
    expect(await replicas(cluster)).toBe(2);
    await scale(cluster, 7);
    await cluster.advance("1h");
    expect(await replicas(cluster)).toBe(7);
    expect(await statusOf(cluster)).toMatchObject({ currentSize: 7 });
    await cluster.advance("7h");
    expect(await replicas(cluster)).toBe(5);
  });

  test("is reported as missing when the target is deleted, and restored when it comes again", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster);
    await timetable(cluster, { jobs: day });
    await cluster.advance("1m");
    await cluster.delete(Deployment, "web");
    await cluster.settle();
    const missing = await statusOf(cluster);
    expect(missing.conditions).toMatchObject([{ type: "Ready", status: "False", reason: "TargetNotFound" }]);
    expect(missing.currentSize).toBeUndefined();
    expect(await notes(cluster)).toContain("TargetNotFound: there is no Deployment web");
    await deploy(cluster);
    await cluster.settle();
    expect(await replicas(cluster)).toBe(2);
    expect((await statusOf(cluster)).conditions).toMatchObject([{ status: "True" }]);
  });

  test("is restored at growing intervals when somebody keeps changing it, and that is reported", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster);
    await timetable(cluster, { jobs: day });
    await cluster.advance("1m");
    for (let minute = 0; minute < 20; minute++) {
      await scale(cluster, 7);
      await cluster.advance("1m");
    }
    const { restored = 0, conditions } = await statusOf(cluster);
    expect(restored).toBeGreaterThan(3);
    expect(restored).toBeLessThan(9);
    expect(conditions).toMatchObject([
      { type: "Ready", status: "True" },
      { type: "Conflicting", status: "True", reason: "ChangedByOthers" },
    ]);
  });

  test("is kept up on kinds that are not watched by looking once a minute", async () => {
    const Widget = defineResource({
      group: "example.com",
      version: "v1",
      kind: "Widget",
      spec: z.object({ count: z.int32().default(1) }),
      status: z.object({ count: z.int32().optional() }),
      scale: { spec: ".spec.count", status: ".status.count" },
    });
    await using cluster = await testCluster({ ...options, resources: [...options.resources, Widget] });
    await cluster.create(Widget, { name: "web", spec: {} });
    await timetable(cluster, {
      scaleTarget: { apiVersion: "example.com/v1", kind: "Widget", name: "web" },
      jobs: day,
    });
    await cluster.advance("1m");
    await cluster.client.scale(Widget, "web", 9, { namespace });
    await cluster.advance("61s");
    expect((await cluster.get(Widget, "web")).spec.count).toBe(2);
  });

  test("a superseded job that runs once is not Completed", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster);
    await timetable(cluster, {
      jobs: [
        { name: "once", schedule: "0 1 * * *", size: 9, runOnce: true },
        { name: "last", schedule: "0 1 * * *", size: 3 },
        { name: "noon", schedule: "0 12 * * *", size: 4 },
      ],
    });
    await cluster.advance("61m");
    expect(await replicas(cluster)).toBe(3);
    expect((await statusOf(cluster)).jobs?.[0]).toMatchObject({
      state: "Scheduled",
      lastResult: "Superseded",
    });
    await change(cluster, { jobs: [{ name: "once", schedule: "0 1 * * *", size: 9, runOnce: true }] });
    await cluster.advance("24h");
    expect(await replicas(cluster)).toBe(9);
    expect((await statusOf(cluster)).jobs?.[0]).toMatchObject({ state: "Completed", lastResult: "Scaled" });
  });
});

describe("Hpa: windows", () => {
  const lunch = { name: "lunch", start: "0 12 * * *", end: "0 14 * * *", size: 9 };

  test("end with the size of the schedules", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster);
    await timetable(cluster, { jobs: [...day, { name: "one", schedule: "0 13 * * *", size: 4 }, lunch] });
    await cluster.advance("12h1m");
    expect(await replicas(cluster)).toBe(9);
    expect((await statusOf(cluster)).jobs?.[3]).toMatchObject({ state: "Active" });
    await cluster.advance("1h");
    expect(await replicas(cluster)).toBe(9);
    await cluster.advance("1h");
    expect(await replicas(cluster)).toBe(4);
    expect((await statusOf(cluster)).jobs?.[2]).toMatchObject({
      lastRun: "2026-01-01T13:00:00Z",
      lastResult: "Scaled",
    });
  });

  test("end with the size from before where there is no schedule", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster, 3);
    await timetable(cluster, { jobs: [lunch] });
    await cluster.advance("12h1m");
    expect(await replicas(cluster)).toBe(9);
    expect((await statusOf(cluster)).upcoming?.[0]).toEqual({
      time: "2026-01-01T14:00:00Z",
      job: "lunch",
      ends: true,
    });
    await cluster.advance("2h");
    expect(await replicas(cluster)).toBe(3);
    expect(await notes(cluster)).toContain("Scaled: Deployment web from 9 to 3 (window lunch ended)");
    expect((await statusOf(cluster)).sizeBefore).toBeUndefined();
    await scale(cluster, 4);
    await cluster.advance("1h");
    expect(await replicas(cluster)).toBe(4);
  });

  test("take effect at once when the timetable is created inside one", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster, 3);
    await cluster.advance("13h");
    await timetable(cluster, { catchUpPolicy: "None", jobs: [lunch] });
    await cluster.advance("1s");
    expect(await replicas(cluster)).toBe(9);
    await cluster.advance("1h");
    expect(await replicas(cluster)).toBe(3);
  });
});

describe("Hpa: days of rest from a HolidayCalendar", () => {
  const jobs = [{ name: "noon", schedule: "0 12 * * *", size: 5 }];

  test("are followed, also when the calendar changes", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster);
    await cluster.client.create(HolidayCalendar, {
      metadata: { name: "public" },
      spec: { dates: ["2026-01-01"] },
    });
    await timetable(cluster, { catchUpPolicy: "None", calendars: ["public"], jobs });
    await cluster.advance("1s");
    expect((await statusOf(cluster)).nextRun).toBe("2026-01-02T12:00:00Z");
    await cluster.client.patch(HolidayCalendar, "public", {
      merge: { spec: { dates: ["2026-01-01..2026-01-05"] } },
    });
    await cluster.settle();
    expect((await statusOf(cluster)).nextRun).toBe("2026-01-06T12:00:00Z");
  });

  test("that is missing or wrong are named, and the jobs run", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster);
    await cluster.client.create(HolidayCalendar, {
      metadata: { name: "wrong" },
      spec: { dates: ["2026-02-30"] },
    });
    await timetable(cluster, { calendars: ["none", "wrong"], jobs });
    await cluster.advance("13h");
    expect(await replicas(cluster)).toBe(5);
    expect((await statusOf(cluster)).conditions).toMatchObject([
      {
        status: "False",
        reason: "Invalid",
        message: expect.stringMatching(
          /calendars\[0\]: there is no HolidayCalendar none; .*HolidayCalendar wrong: dates\[0\]/,
        ),
      },
    ]);
  });
});

describe("Hpa: targets that others scale, too", () => {
  test("two timetables of one target both report it, and neither restores", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster);
    await timetable(cluster, { jobs: day });
    await cluster.create(Hpa, { name: "other", spec: { scaleTarget, jobs: day } });
    await cluster.advance("1s");
    for (const [name, other] of [
      ["plan", "other"],
      ["other", "plan"],
    ] as const)
      expect((await cluster.get(Hpa, name)).status?.conditions).toMatchObject([
        { type: "Ready" },
        {
          type: "Conflicting",
          status: "True",
          reason: "SharedTarget",
          message: expect.stringContaining(other),
        },
      ]);
    expect(await notes(cluster)).toContain("SharedTarget: Deployment web is also scaled by other");
    await scale(cluster, 7);
    await cluster.advance("1m");
    expect(await replicas(cluster)).toBe(7);
    await cluster.delete(Hpa, "other");
    await cluster.settle();
    expect(await replicas(cluster)).toBe(2);
    expect((await statusOf(cluster)).conditions).toMatchObject([
      {},
      { type: "Conflicting", status: "False" },
    ]);
  });

  const Box = defineResource({
    group: "example.com",
    version: "v1",
    kind: "Box",
    spec: z.object({ replicas: z.int32().default(1) }),
    status: z.object({ replicas: z.int32().optional() }),
    scale: { spec: ".spec.replicas", status: ".status.replicas" },
  });
  const Lid = defineResource({ group: "example.com", version: "v1", kind: "Lid", spec: z.object({}) });

  test.each([
    ["is scaled through its owner", Box],
    ["is refused, naming the owner", Lid],
  ])("a Deployment that another controller owns %s", async (_, kind) => {
    await using cluster = await testCluster({ ...options, resources: [...options.resources, Box, Lid] });
    const owner = await cluster.client.create(kind as typeof Box, {
      metadata: { name: "own", namespace },
      spec: {},
    });
    const reference = {
      apiVersion: "example.com/v1",
      kind: kind.kind,
      name: "own",
      uid: owner.metadata.uid!,
      controller: true,
    };
    await cluster.client.create(Deployment, {
      metadata: { name: "web", namespace, ownerReferences: [reference] },
      spec: { replicas: 1, selector: { matchLabels: labels }, template },
    });
    await timetable(cluster, { jobs: day });
    await cluster.advance("1s");
    expect(await replicas(cluster)).toBe(1);
    const { conditions, currentSize } = await statusOf(cluster);
    if (kind === Lid) {
      expect(conditions).toMatchObject([
        { status: "False", reason: "NotScalable", message: expect.stringContaining("controlled by Lid own") },
      ]);
      return;
    }
    expect((await cluster.get(Box, "own")).spec.replicas).toBe(2);
    expect([conditions?.[0]?.status, currentSize]).toEqual(["True", 2]);
    expect((await notes(cluster)).join()).toContain("Box own, which owns Deployment web");
  });

  test("an autoscaler that is made after the run has its bounds moved", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster);
    await timetable(cluster, { jobs: [{ name: "up", schedule: "0 * * * *", size: 6 }] });
    await cluster.advance("1s");
    await cluster.create(HorizontalPodAutoscaler, {
      name: "auto",
      spec: { scaleTargetRef: scaleTarget, minReplicas: 2, maxReplicas: 4 },
    });
    await cluster.settle();
    const { spec } = await cluster.get(HorizontalPodAutoscaler, "auto");
    expect([spec?.minReplicas, spec?.maxReplicas]).toEqual([6, 6]);
  });
});

import { Deployment, HorizontalPodAutoscaler } from "@kubewright/api";
import { customKindsOf } from "@kubewright/runtime";
import { testCluster } from "@kubewright/testing";
import { describe, expect, test } from "vitest";
import { HolidayCalendar } from "../api/v1/holiday-calendar.js";
import { Hpa } from "../api/v1/hpa.js";
import manager from "../main.js";
import { hpaWebhook } from "./hpa.js";

const options = { resources: customKindsOf(manager), manager, nodes: 0, leaks: "ignore" } as const;
const scaleTarget = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
const up = { name: "up", schedule: "*/1 * * * *", size: 3 };

test.each([
  [
    { jobs: [{ ...up, schedule: "0 25 * * *" }] },
    'spec.jobs[0].schedule: Invalid value: "0 25 * * *": hour: "25" is not 0 to 23 (column 3)',
  ],
  [{ jobs: [{ ...up, schedule: "0 0 30 2 *" }] }, "never comes"],
  [{ jobs: [up, up] }, 'spec.jobs[1].name: Duplicate value: "up"'],
  [{ jobs: [{ ...up, timeZone: "Mars/Olympus" }] }, 'spec.jobs[0].timeZone: Invalid value: "Mars/Olympus"'],
  [
    { timeZone: "Mars/Olympus", jobs: [{ ...up, schedule: "0 0 30 2 *" }] },
    'spec.jobs[0].schedule: Invalid value: "0 0 30 2 *"',
  ],
  [{ timeZone: "Mars/Olympus", jobs: [up] }, 'spec.timeZone: Invalid value: "Mars/Olympus"'],
  [{ excludeDates: ["2026-02-30"], jobs: [up] }, 'spec.excludeDates[0]: Invalid value: "2026-02-30"'],
  [{ maxSize: 2, jobs: [up] }, "spec.jobs[0].size: Invalid value: 3: must not exceed maxSize 2"],
  [{ minSize: 3, maxSize: 2, jobs: [] }, "minSize must not exceed maxSize"],
  [{ timeZone: "BST", jobs: [up] }, "did you mean Europe/London or Asia/Dhaka?"],
  [{ jobs: [{ ...up, timeZone: "CST" }] }, "did you mean America/Chicago or Asia/Shanghai"],
  [{ jobs: [{ name: "up", size: 3 }] }, "a job has either a schedule, or start and end"],
  [{ jobs: [{ name: "up", start: "0 8 * * *", size: 3 }] }, "start and end go together"],
  [{ jobs: [{ name: "up", schedule: "0 8 * * *" }] }, "a job needs a size, minReplicas or maxReplicas"],
  [{ jobs: [{ ...up, minReplicas: 5, maxReplicas: 2 }] }, "minReplicas must not exceed maxReplicas"],
  [
    { jobs: [{ name: "up", start: "0 8 * * *", end: "0 25 * * *", size: 3 }] },
    'spec.jobs[0].end: Invalid value: "0 25 * * *"',
  ],
])("the webhook of a timetable refuses %o", async (wrong, message) => {
  await using cluster = await testCluster(options);
  const refused = cluster.create(Hpa, { name: "plan", spec: { scaleTarget, ...wrong } as never });
  await expect(refused).rejects.toMatchObject({ code: 422, message: expect.stringContaining(message) });
});

test("the webhook of a timetable reports an invalid spec.timeZone once, however many jobs use it", async () => {
  await using cluster = await testCluster(options);
  const jobs = [up, { ...up, name: "a" }, { ...up, name: "b", timeZone: "Asia/Shanghai" }];
  const create = (list: typeof jobs | (typeof up)[]) =>
    cluster.create(Hpa, { name: "plan", spec: { scaleTarget, timeZone: "Mars/Olympus", jobs: list } });
  for (const list of [jobs, jobs.slice(2)]) {
    const { message } = (await create(list).catch((error: unknown) => error)) as Error;
    expect(message.match(/Invalid value/g)).toHaveLength(1);
    expect(message).toContain('spec.timeZone: Invalid value: "Mars/Olympus"');
  }
});

test("a timetable that is stored with a zone that would be refused keeps working and can be changed", async () => {
  await using cluster = await testCluster({ ...options, manager: { ...manager, webhooks: [] } });
  await cluster.create(Hpa, { name: "plan", spec: { scaleTarget, timeZone: "CST", jobs: [up] } });
  await cluster.advance("1s");
  expect((await cluster.get(Hpa, "plan")).status?.nextRun).toBeDefined();
  const { metadata, ...rest } = await cluster.get(Hpa, "plan");
  const context = {
    oldObject: { metadata, ...rest },
    now: () => 0,
    warn: () => undefined,
    get: async () => undefined,
  };
  const changed = { metadata, ...rest, spec: { ...rest.spec, historyLimit: 3 } };
  const [validate] = [...hpaWebhook.validators.values()];
  expect(await validate?.(changed as never, context as never)).toEqual([]);
});

describe("the webhook of a timetable warns of", () => {
  test.each([
    [
      { jobs: [{ ...up, schedule: "@date 2025-12-24 18:00" }] },
      "spec.jobs[0]: its date is in the past, so it never runs",
    ],
    [
      { jobs: [{ ...up, schedule: "0 9 25 12 *" }], excludeDates: ["* * 25 12 *"] },
      "spec.jobs[0]: all its days are days of rest, so it never runs",
    ],
    [
      { jobs: [up], excludeDates: ["0 9 25 12 *"] },
      'spec.excludeDates[0]: "0 9" has no effect: whole days are excluded; write "* * 25 12 *"',
    ],
  ])("%o", async (spec, warning) => {
    await using cluster = await testCluster(options);
    const warnings: string[] = [];
    const client = cluster.cluster.connect({ onWarning: (text) => warnings.push(text) });
    const metadata = { name: "plan", namespace: "default" };
    await cluster.run(client.create(Hpa, { metadata, spec: { scaleTarget, ...spec } }));
    expect(warnings).toContain(warning);
  });
});

test("the webhook of a HolidayCalendar refuses invalid dates", async () => {
  await using cluster = await testCluster(options);
  const refused = cluster.client.create(HolidayCalendar, {
    metadata: { name: "x" },
    spec: { dates: ["2026-02-30"] },
  });
  await expect(cluster.run(refused)).rejects.toMatchObject({
    code: 422,
    message: expect.stringContaining('spec.dates[0]: Invalid value: "2026-02-30"'),
  });
});

test("the webhook of a timetable accepts one whose target does not exist yet", async () => {
  await using cluster = await testCluster(options);
  await cluster.create(Hpa, { name: "plan", spec: { scaleTarget, jobs: [up] } });
  await cluster.condition(Hpa, "plan", "Ready", "False");
});

describe("the webhook of a timetable warns of a target that is not there", () => {
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } };

  test.each([
    [scaleTarget, ["spec.scaleTarget: there is no Deployment web yet"]],
    [{ ...scaleTarget, apiVersion: "apps/v1beta9" }, ["spec.scaleTarget: there is no Deployment web yet"]],
    [
      { apiVersion: "autoscaling/v1", kind: "HorizontalPodAutoscaler", name: "web" },
      ["spec.scaleTarget: there is no HorizontalPodAutoscaler web yet"],
    ],
    [{ ...scaleTarget, name: "there" }, []],
    [{ apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", name: "there" }, []],
    // For custom kinds, only status can show it.
    [{ apiVersion: "example.com/v1", kind: "Deployment", name: "web" }, []],
  ])("%o", async (target, expected) => {
    await using cluster = await testCluster(options);
    const spec = { replicas: 1, selector: { matchLabels: labels }, template };
    await cluster.create(Deployment, { name: "there", spec });
    const bounds = { scaleTargetRef: { ...scaleTarget, name: "there" }, maxReplicas: 3 };
    await cluster.create(HorizontalPodAutoscaler, { name: "there", spec: bounds });
    const warnings: string[] = [];
    const client = cluster.cluster.connect({ onWarning: (text) => warnings.push(text) });
    const create = () =>
      client.create(Hpa, {
        metadata: { name: "plan", namespace: "default" },
        spec: { scaleTarget: target, jobs: [up] },
      });
    await cluster.run(create());
    expect(warnings).toEqual(expected);
  });
});

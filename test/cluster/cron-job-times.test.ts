import { CronJob, type CronJobSpec, Event, Job } from "@kubewright/api";
import { expect, test } from "vitest";
import { VirtualCluster } from "./virtual-cluster.js";

const inDefault = { namespace: "default" };
const cron = (spec: Partial<CronJobSpec> = {}): CronJob => ({
  metadata: { name: "tick", ...inDefault },
  spec: {
    schedule: "0 * * * *",
    jobTemplate: {
      spec: {
        template: {
          spec: {
            restartPolicy: "Never",
            containers: [{ name: "c", image: "tool:1", command: ["sh", "-c", "sleep 1h"] }],
          },
        },
      },
    },
    ...spec,
  },
});
const hours = (count: number) => count * 3_600_000;
const jobs = async (cluster: VirtualCluster) => (await cluster.client.list(Job, inDefault)).items;

test("a Job carries the time it was meant for, as its zone writes it", async () => {
  await using cluster = await VirtualCluster.start();
  await cluster.client.create(CronJob, cron({ timeZone: "Asia/Kolkata", schedule: "30 6 * * *" }));
  await cluster.clock.advance(hours(1));
  const [job] = await jobs(cluster);
  expect(job?.metadata?.annotations).toEqual({
    "batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-01-01T06:30:00+05:30",
  });
});

test("a run that still goes on is replaced, and the replaced one goes with its pods", async () => {
  await using cluster = await VirtualCluster.start();
  await cluster.client.create(CronJob, cron({ schedule: "*/30 * * * *", concurrencyPolicy: "Replace" }));
  await cluster.clock.advance(hours(1) + 60_000);
  expect((await jobs(cluster)).map(({ metadata }) => metadata?.annotations)).toEqual([
    { "batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-01-01T01:00:00Z" },
  ]);
  expect(await cluster.pods()).toHaveLength(1);
  const names = (await cluster.events("CronJob")).map((line) => line.replace(/\d+/, "N"));
  expect(names).toEqual([
    "SuccessfulCreate: Created job tick-N",
    "SuccessfulDelete: Deleted job tick-N",
    "SuccessfulCreate: Created job tick-N",
  ]);
});

test("Jobs that go missing, and Jobs that nobody expected, are told", async () => {
  await using cluster = await VirtualCluster.start();
  await cluster.client.create(CronJob, cron());
  await cluster.clock.advance(hours(1));
  const [job] = await jobs(cluster);
  const name = job?.metadata?.name ?? "";
  const { apiVersion, kind, spec, metadata } = job ?? {};
  await cluster.client.delete(Job, name, { ...inDefault, propagationPolicy: "Background" });
  await cluster.rest();
  const { selector: _selector, template, ...rest } = spec ?? { template: {} };
  const by = { name: "by-hand", ...inDefault, ownerReferences: metadata?.ownerReferences };
  await cluster.client.create(Job, {
    apiVersion,
    kind,
    metadata: by,
    spec: { ...rest, template: { spec: template.spec } },
  });
  await cluster.rest();
  expect(await cluster.events("CronJob")).toEqual([
    `SuccessfulCreate: Created job ${name}`,
    `MissingJob: Active job went missing: ${name}`,
    "UnexpectedJob: Saw a job that the controller did not create or forgot: by-hand",
  ]);
});

test("after a very long pause one run is made up for, with a warning", async () => {
  await using cluster = await VirtualCluster.start();
  await cluster.client.create(CronJob, cron({ schedule: "*/5 * * * *", suspend: true }));
  await cluster.clock.advance(hours(24));
  await cluster.client.patch(CronJob, "tick", { merge: { spec: { suspend: false } } }, inDefault);
  await cluster.rest();
  expect(await jobs(cluster)).toHaveLength(1);
  expect((await cluster.events("CronJob"))[0]).toBe(
    "TooManyMissedTimes: too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
  );
});

test("a schedule that never comes is told of, once", async () => {
  await using cluster = await VirtualCluster.start();
  await cluster.client.create(CronJob, cron({ schedule: "0 0 30 2 *" }));
  await cluster.clock.advance(hours(0.5));
  expect(await cluster.events("CronJob")).toEqual([
    "InvalidSchedule: invalid schedule: 0 0 30 2 * : time difference between two schedules is less than 1 second",
  ]);
  expect(await jobs(cluster)).toEqual([]);
});

test("what goes on for longer than events are kept is still told", async () => {
  await using cluster = await VirtualCluster.start();
  await cluster.client.create(CronJob, cron({ concurrencyPolicy: "Forbid", schedule: "*/30 * * * *" }));
  await cluster.client.patch(
    CronJob,
    "tick",
    { merge: { spec: { jobTemplate: { spec: { template: { spec: { containers: [sleeper] } } } } } } },
    inDefault,
  );
  await cluster.clock.advance(hours(1.9));
  const first = await told(cluster, "JobAlreadyActive");
  expect(first).toMatchObject([{ count: 2 }]);
  await cluster.client.delete(Event, first[0]?.metadata.name ?? "", inDefault);
  await cluster.clock.advance(hours(0.5));
  expect(await told(cluster, "JobAlreadyActive")).toMatchObject([
    { count: 3, firstTimestamp: first[0]?.firstTimestamp },
  ]);
});

const sleeper = { name: "c", image: "tool:1", command: ["sh", "-c", "sleep 1d"] };
const told = async (cluster: VirtualCluster, reason: string) =>
  (await cluster.client.list(Event, inDefault)).items.filter((event) => event.reason === reason);

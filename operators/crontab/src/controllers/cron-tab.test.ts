// CronTabs on a cluster in virtual time, which begins at midnight of 1 January 2026.
import { CustomResourceDefinition, Event, Job } from "@kubewright/api";
import { everyCrashPoint, type TestCluster, testCluster } from "@kubewright/testing";
import { describe, expect, test } from "vitest";
import { CronTab } from "../api/v1/cron-tab.js";
import { cronTabController } from "./cron-tab.js";
import { dueAt, runName, scheduledAnnotation, shown, stateOf } from "./runs.js";

const options = { resources: [CronTab], controllers: [cronTabController], leaks: "ignore" } as const;
/** Without nodes no run ever ends. */
const endless = { ...options, nodes: 0 } as const;
const namespace = "default";
const start = Date.UTC(2026, 0, 1);

const cronTab = (cluster: TestCluster, spec: object) =>
  cluster.create(CronTab, {
    name: "tick",
    spec: { cronSpec: "* * * * *", image: "busybox:1", ...spec } as never,
  });
const statusOf = async (cluster: TestCluster) => (await cluster.get(CronTab, "tick")).status!;
const seconds = async (cluster: TestCluster) =>
  (await cluster.list(Job)).map((job) => ((dueAt(job) ?? 0) - start) / 1_000).toSorted((a, b) => a - b);
const finish = async (cluster: TestCluster, job: Job, type: "Complete" | "Failed") => {
  const now = shown(cluster.now());
  const about = { status: "True", lastProbeTime: now, lastTransitionTime: now };
  const before = { type: type === "Complete" ? "SuccessCriteriaMet" : "FailureTarget", ...about };
  const times = type === "Complete" ? { completionTime: now, succeeded: 1 } : { failed: 1 };
  const status = { ...job.status, active: 0, ready: 0, ...times, conditions: [before, { type, ...about }] };
  await cluster.client.update(Job, { ...job, status } as never, { namespace, subresource: "status" });
};

describe("a CronTab", () => {
  test("runs a Job at each time, with what it was given", async () => {
    await using cluster = await testCluster(endless);
    const env = [{ name: "A", value: "b" }];
    const resources = { limits: { cpu: "1" } };
    await cronTab(cluster, { replicas: 3, command: ["sh"], args: ["-c", "date"], env, resources });
    await cluster.advance("121s");
    expect(await seconds(cluster)).toEqual([60, 120]);
    const job = await cluster.get(Job, `tick-${start / 1_000 + 60}`);
    expect(job.spec).toMatchObject({ parallelism: 3, completions: 3 });
    expect(job.spec?.template.spec?.containers).toMatchObject([
      { image: "busybox:1", command: ["sh"], args: ["-c", "date"], env, resources },
    ]);
    expect(job.metadata?.ownerReferences).toMatchObject([
      { kind: "CronTab", name: "tick", controller: true },
    ]);
    expect(await statusOf(cluster)).toMatchObject({
      active: 2,
      lastScheduleTime: "2026-01-01T00:02:00Z",
      nextRun: "2026-01-01T00:03:00Z",
    });
    expect(cluster.errors).toEqual([]);
  });

  test("follows its time zone", async () => {
    await using cluster = await testCluster(endless);
    await cronTab(cluster, { cronSpec: "30 9 * * *", timeZone: "Asia/Shanghai" });
    await cluster.advance("24h");
    expect(await seconds(cluster)).toEqual([90 * 60]);
  });

  test.each([
    ["Allow", [60, 120, 180], { active: 3 }],
    ["Forbid", [60], { active: 1, skipped: 2, lastScheduleTime: "2026-01-01T00:03:00Z" }],
    ["Replace", [180], { active: 1 }],
  ])("with %s has runs at the same time accordingly", async (concurrencyPolicy, due, status) => {
    await using cluster = await testCluster(endless);
    await cronTab(cluster, { concurrencyPolicy });
    await cluster.advance("190s");
    expect(await seconds(cluster)).toEqual(due);
    expect(await statusOf(cluster)).toMatchObject(status);
  });

  test("starts nothing while suspended, and nothing of that afterwards", async () => {
    await using cluster = await testCluster(endless);
    await cronTab(cluster, { suspend: true });
    await cluster.advance("150s");
    expect((await statusOf(cluster)).nextRun).toBeUndefined();
    await cluster.client.patch(
      CronTab,
      "tick",
      { merge: { spec: { suspend: false } } as never },
      { namespace },
    );
    await cluster.advance("20s");
    expect(await seconds(cluster)).toEqual([]);
    await cluster.advance("60s");
    expect(await seconds(cluster)).toEqual([180]);
  });

  test("after a time without an operator starts the latest run if it is in time, and counts the others", async () => {
    await using cluster = await testCluster(endless);
    await cronTab(cluster, { startingDeadlineSeconds: 30 });
    await cluster.advance("61s");
    cluster.crashManager();
    await cluster.advance("190s"); // 251 s: 240 was due 11 s ago
    await cluster.startManager();
    await cluster.advance("1s");
    expect(await seconds(cluster)).toEqual([60, 240]);
    expect((await statusOf(cluster)).missed).toBe(2);
    cluster.crashManager();
    await cluster.advance("100s"); // 352 s: 300 was due 52 s ago
    await cluster.startManager();
    await cluster.advance("1s");
    expect(await seconds(cluster)).toEqual([60, 240]);
    expect((await statusOf(cluster)).missed).toBe(3);
    const missed = (await cluster.client.list(Event, { namespace })).items.filter(
      ({ reason }) => reason === "RunMissed",
    );
    expect(missed.length).toBeGreaterThan(0);
  });

  test("keeps as many finished runs as asked, and always the newest", async () => {
    await using cluster = await testCluster(endless);
    await cronTab(cluster, { successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 });
    for (const type of ["Complete", "Failed", "Complete", "Complete", "Failed"] as const) {
      await cluster.advance("60s");
      const active = (await cluster.list(Job)).find((job) => stateOf(job) === "active");
      await finish(cluster, active!, type);
    }
    await cluster.advance("10s");
    expect(await seconds(cluster)).toEqual([240, 300]);
    expect(await statusOf(cluster)).toMatchObject({ lastSuccessfulTime: "2026-01-01T00:04:00Z", active: 0 });
  });

  test("remembers the success of a run that is not kept", async () => {
    await using cluster = await testCluster(endless);
    await cronTab(cluster, { successfulJobsHistoryLimit: 0 });
    await cluster.advance("130s");
    const [first] = await cluster.list(Job);
    await finish(cluster, first!, "Complete");
    await cluster.settle();
    expect(await seconds(cluster)).toEqual([120]);
    expect(await statusOf(cluster)).toMatchObject({ lastSuccessfulTime: "2026-01-01T00:02:10Z", active: 1 });
  });

  test("is looked at once for each time that comes and each run that ends, not for what it did itself", async () => {
    const reasons: string[] = [];
    const counted: typeof cronTabController = {
      ...cronTabController,
      reconcile(object, ctx) {
        reasons.push(ctx.reasons.join());
        return cronTabController.reconcile(object, ctx);
      },
    };
    await using cluster = await testCluster({ ...endless, controllers: [counted] });
    await cronTab(cluster, { successfulJobsHistoryLimit: 1 });
    await cluster.settle();
    reasons.length = 0;
    for (let minute = 0; minute < 3; minute++) {
      await cluster.advance("60s");
      const active = (await cluster.list(Job)).find((job) => stateOf(job) === "active");
      const progress = { merge: { status: { active: 1, ready: 0, terminating: 0 } } };
      await cluster.client.patch(Job, active?.metadata?.name ?? "", progress, {
        namespace,
        subresource: "status",
      });
      await cluster.advance("10s");
      await finish(cluster, (await cluster.list(Job)).find((job) => stateOf(job) === "active")!, "Complete");
      await cluster.settle();
    }
    expect(reasons).toEqual(
      Array.from({ length: 3 }, () => ["scheduled", expect.stringMatching(/^Job .* changed$/)]).flat(),
    );
    await cluster.advance("60s");
    const lost = (await cluster.list(Job)).find((job) => stateOf(job) === "active");
    await cluster.delete(Job, lost?.metadata?.name ?? "");
    await cluster.settle();
    expect(reasons.slice(6)).toEqual(["scheduled", expect.stringMatching(/^Job .* deleted$/)]);
    expect((await statusOf(cluster)).active).toBe(0);
  });

  test("says what is wrong with its schedule", async () => {
    await using cluster = await testCluster(endless);
    await cronTab(cluster, { cronSpec: "0 0 30 2 *" });
    await cluster.advance("1s");
    expect((await statusOf(cluster)).conditions).toMatchObject([
      {
        type: "Ready",
        status: "False",
        reason: "InvalidSchedule",
        message: expect.stringContaining("never comes"),
      },
    ]);
    expect(cluster.errors).toEqual([]);
  });

  test("counts its runs also when its schedule has become wrong", async () => {
    await using cluster = await testCluster(endless);
    await cronTab(cluster, {});
    await cluster.advance("61s");
    const wrong = { merge: { spec: { cronSpec: "never" } } };
    await cluster.client.patch(CronTab, "tick", wrong, { namespace });
    await cluster.settle();
    expect(await statusOf(cluster)).toMatchObject({ active: 1, conditions: [{ status: "False" }] });
    await finish(cluster, (await cluster.list(Job))[0]!, "Complete");
    await cluster.settle();
    expect(await statusOf(cluster)).toMatchObject({ active: 0, lastSuccessfulTime: "2026-01-01T00:01:01Z" });
  });

  test("may have its operator killed after any write, and has each run once", {
    timeout: 60_000,
  }, async () => {
    const { writes } = await everyCrashPoint(endless, async (cluster) => {
      await cronTab(cluster, { cronSpec: "*/10 * * * * *" });
      await cluster.advance("45s");
      expect(await seconds(cluster)).toEqual([10, 20, 30, 40]);
      expect((await statusOf(cluster)).missed).toBeUndefined();
    });
    expect(writes.length).toBeGreaterThanOrEqual(8);
  });
});

/** As people know it: three fields and no status. */
const minimal: CustomResourceDefinition = {
  metadata: { name: "crontabs.stable.example.com" },
  spec: {
    group: "stable.example.com",
    scope: "Namespaced",
    names: { plural: "crontabs", singular: "crontab", kind: "CronTab", shortNames: ["ct"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  cronSpec: { type: "string" },
                  image: { type: "string" },
                  replicas: { type: "integer" },
                },
              },
            },
          },
        },
      },
    ],
  },
};

describe("with the smallest definition of the kind", () => {
  const sample = { name: "my-new-cron-object", spec: { cronSpec: "* * * * * *", image: "busybox" } };

  test("every second has its run, and old ones go", async () => {
    await using cluster = await testCluster({ ...options, resources: [] });
    await cluster.client.create(CustomResourceDefinition, minimal);
    await cluster.advance("1m");
    cluster.simulate({ namespace }, { exit: { after: "1s" } });
    const began = cluster.now();
    await cluster.create(CronTab, sample);
    await cluster.advance("30s");
    const jobs = await cluster.list(Job);
    const succeeded = jobs.filter((job) => stateOf(job) === "succeeded");
    expect([3, 4]).toContain(succeeded.length);
    const count = cluster.manager!.writes.filter((write) => write.startsWith("POST /apis/batch/")).length;
    expect(count).toBe(Math.floor((cluster.now() - began) / 1_000));
    expect((await cluster.get(CronTab, "my-new-cron-object")).status).toBeUndefined();
  });

  test("nothing is written again and again", async () => {
    await using cluster = await testCluster({ ...endless, resources: [] });
    await cluster.client.create(CustomResourceDefinition, minimal);
    await cluster.advance("1m");
    let requests = 0;
    const counting = cluster.faults.fail(
      ({ client, verb, resource }) => {
        if (client.startsWith("test") && verb !== "watch" && resource.startsWith("crontabs")) requests += 1;
        return false;
      },
      { code: 500 },
    );
    await cluster.create(CronTab, { ...sample, spec: { ...sample.spec, cronSpec: "0 3 * * *" } });
    await cluster.advance("1h");
    expect([1, 2]).toContain(requests);
    expect(counting.failed).toBe(0);
  });

  test("a restart repeats no run", async () => {
    await using cluster = await testCluster({ ...endless, resources: [] });
    await cluster.client.create(CustomResourceDefinition, minimal);
    await cluster.advance("1m");
    await cluster.create(CronTab, { ...sample, spec: { ...sample.spec, cronSpec: "*/5 * * * * *" } });
    await cluster.advance("21s");
    const before = await seconds(cluster);
    await cluster.restartManager();
    await cluster.advance("2s");
    expect(await seconds(cluster)).toEqual(before);
  });
});

test("names of runs fit, and differ by name and by second", () => {
  const long = `${"a".repeat(60)}.b`;
  const names = [runName("a", 0), runName("a", 1_000), runName(long, 0), runName(`${long}c`, 0)];
  expect(new Set(names).size).toBe(4);
  for (const name of names) expect(name.length).toBeLessThanOrEqual(63);
  expect(scheduledAnnotation).toContain("stable.example.com/");
});

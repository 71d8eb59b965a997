// CronTabs on a cluster in virtual time, which begins at midnight of 1 January 2026.
import { CustomResourceDefinition, Event, Job, ResourceQuota } from "@kubewright/api";
import { everyCrashPoint, type TestCluster, testCluster } from "@kubewright/testing";
import { describe, expect, test } from "vitest";
import { CronTab } from "../api/v1/cron-tab.js";
import { cronTabController } from "./cron-tab.js";
import { runName } from "./run-job.js";
import { dueAt, runNowAnnotation, scheduledAnnotation, shown, stateOf } from "./runs.js";

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
  test("creates a Job at each scheduled time, with its image, command and env", async () => {
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
    ["Forbid", [60], { active: 1, skipped: 2, lastScheduleTime: "2026-01-01T00:01:00Z" }],
    ["Replace", [180], { active: 1 }],
  ])(
    "with concurrencyPolicy %s runs Jobs beside each other accordingly",
    async (concurrencyPolicy, due, status) => {
      await using cluster = await testCluster(endless);
      await cronTab(cluster, { concurrencyPolicy });
      await cluster.advance("190s");
      expect(await seconds(cluster)).toEqual(due);
      expect(await statusOf(cluster)).toMatchObject(status);
    },
  );

  test("starts no run while suspended, and none of the missed ones afterwards", async () => {
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

  test("starts the latest missed run after a restart if it is within the deadline, and counts the others", async () => {
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

  test("is reconciled once for each scheduled time and each run that ends, not for its own writes", async () => {
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

  test("reports an invalid schedule in its conditions", async () => {
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

  test("counts its runs also when its schedule has become invalid", async () => {
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

  test("has each run exactly once when the operator is killed after any write", {
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

const events = async (cluster: TestCluster) =>
  (await cluster.client.list(Event, { namespace })).items.filter(
    ({ involvedObject }) => involvedObject?.kind === "CronTab",
  );
const texts = async (cluster: TestCluster) =>
  (await events(cluster)).map(({ reason, message }) => `${reason}: ${message}`);
const annotate = (cluster: TestCluster, value: string) =>
  cluster.client.patch(
    CronTab,
    "tick",
    { merge: { metadata: { annotations: { [runNowAnnotation]: value } } } },
    { namespace },
  );

describe("CronTab: runs that were not started in time", () => {
  test("has no deadline by default: the nightly run is started when the operator is back", async () => {
    await using cluster = await testCluster(endless);
    await cronTab(cluster, { cronSpec: "0 2 * * *" });
    await cluster.advance("90m");
    cluster.crashManager();
    await cluster.advance("32m");
    await cluster.startManager();
    await cluster.advance("1s");
    expect(await seconds(cluster)).toEqual([2 * 3_600]);
    expect(await statusOf(cluster)).toMatchObject({ lastScheduleTime: "2026-01-01T02:00:00Z" });
    expect((await statusOf(cluster)).missed).toBeUndefined();
  });

  test("a missed run is counted and reported, and is not the last that was started", async () => {
    await using cluster = await testCluster(endless);
    await cronTab(cluster, { cronSpec: "0 2 * * *", startingDeadlineSeconds: 60 });
    await cluster.advance("90m");
    cluster.crashManager();
    await cluster.advance("32m");
    await cluster.startManager();
    await cluster.advance("1s");
    const status = await statusOf(cluster);
    expect(status).toMatchObject({ missed: 1, handledUntil: "2026-01-01T02:00:00Z" });
    expect(status.lastScheduleTime).toBeUndefined();
    expect(status.conditions).toMatchObject([
      { type: "Ready", status: "True" },
      { type: "Degraded", status: "True", reason: "RunMissed" },
    ]);
    expect(await texts(cluster)).toContain("RunMissed: a run was due and not started in time");
    await cluster.advance("24h");
    expect((await statusOf(cluster)).conditions).toMatchObject([{}, { type: "Degraded", status: "False" }]);
  });

  test("with catchUpPolicy All every run is made up for, in order", async () => {
    await using cluster = await testCluster(endless);
    await cronTab(cluster, { catchUpPolicy: "All" });
    await cluster.advance("61s");
    cluster.crashManager();
    await cluster.advance("190s");
    await cluster.startManager();
    await cluster.advance("1s");
    expect(await seconds(cluster)).toEqual([60, 120, 180, 240]);
    expect((await statusOf(cluster)).missed).toBeUndefined();
  });

  test("with catchUpPolicy All and Forbid runs wait for each other", async () => {
    await using cluster = await testCluster(endless);
    await cronTab(cluster, { catchUpPolicy: "All", concurrencyPolicy: "Forbid" });
    await cluster.advance("190s");
    expect(await seconds(cluster)).toEqual([60]);
    for (const due of [120, 180]) {
      await finish(cluster, (await cluster.list(Job)).find((job) => stateOf(job) === "active")!, "Complete");
      await cluster.settle();
      expect((await seconds(cluster)).at(-1)).toBe(due);
    }
    expect((await statusOf(cluster)).skipped).toBeUndefined();
  });
});

describe("CronTab: the history of its runs", () => {
  test("records events when runs start, succeed and fail, counts failures, and folds repeated events", async () => {
    await using cluster = await testCluster(endless);
    await cronTab(cluster, {});
    for (const type of ["Complete", "Failed", "Complete", "Failed"] as const) {
      await cluster.advance("60s");
      await finish(cluster, (await cluster.list(Job)).find((job) => stateOf(job) === "active")!, type);
      await cluster.settle();
      expect((await statusOf(cluster)).conditions?.find((each) => each.type === "Degraded")?.status).toBe(
        type === "Failed" ? "True" : (await statusOf(cluster)).failed ? "False" : undefined,
      );
    }
    expect(await statusOf(cluster)).toMatchObject({ failed: 2, active: 0 });
    await cluster.advance("2m");
    expect((await texts(cluster)).toSorted()).toEqual([
      "RunFailed: a run failed: Failed",
      "RunStarted: a run was started",
      "RunSucceeded: a run succeeded",
    ]);
    const started = (await events(cluster)).find(({ reason }) => reason === "RunStarted");
    expect(started?.series?.count).toBeGreaterThanOrEqual(4);
  });

  test("counts a failed run before it is deleted when none may be kept", async () => {
    await using cluster = await testCluster(endless);
    await cronTab(cluster, { failedJobsHistoryLimit: 0 });
    await cluster.advance("130s");
    const [first] = (await cluster.list(Job)).toSorted((a, b) => dueAt(a)! - dueAt(b)!);
    await finish(cluster, first!, "Failed");
    await cluster.advance("1s");
    expect(await seconds(cluster)).toEqual([120]);
    expect(await statusOf(cluster)).toMatchObject({ failed: 1 });
    await cluster.advance("60s");
    expect(await statusOf(cluster)).toMatchObject({ failed: 1 });
  });

  test("a stuck run under Forbid makes it Degraded with one event, however many runs are skipped", async () => {
    await using cluster = await testCluster(endless);
    await cronTab(cluster, { cronSpec: "*/10 * * * * *", concurrencyPolicy: "Forbid" });
    await cluster.advance("30m");
    expect((await statusOf(cluster)).conditions).toMatchObject([
      { type: "Ready" },
      { type: "Degraded", status: "True", reason: "RunSkipped" },
    ]);
    expect((await events(cluster)).length).toBeLessThan(4);
  });

  test("under Allow no more than maxActiveRuns are active", async () => {
    await using cluster = await testCluster(endless);
    await cronTab(cluster, { cronSpec: "* * * * * *", maxActiveRuns: 5 });
    await cluster.advance("30s");
    expect(await statusOf(cluster)).toMatchObject({ active: 5, skipped: expect.any(Number) });
    expect((await statusOf(cluster)).conditions?.[1]).toMatchObject({
      reason: "RunSkipped",
      message: expect.stringContaining("maxActiveRuns is 5"),
    });
  });
});

describe("CronTab: its Jobs", () => {
  test("get the limits and the pod template of the CronTab", async () => {
    await using cluster = await testCluster(endless);
    const podTemplate = {
      spec: {
        serviceAccountName: "runner",
        volumes: [{ name: "tmp", emptyDir: {} }],
        containers: [{ name: "run", volumeMounts: [{ name: "tmp", mountPath: "/tmp" }] }],
      },
    };
    await cronTab(cluster, {
      backoffLimit: 1,
      activeDeadlineSeconds: 30,
      ttlSecondsAfterFinished: 60,
      podTemplate,
    });
    await cluster.advance("61s");
    const [job] = await cluster.list(Job);
    expect(job?.spec).toMatchObject({
      backoffLimit: 1,
      activeDeadlineSeconds: 30,
      ttlSecondsAfterFinished: 60,
    });
    expect(job?.spec?.template.spec).toMatchObject({
      ...podTemplate.spec,
      restartPolicy: "OnFailure",
      containers: [{ name: "run", image: "busybox:1", volumeMounts: [{ name: "tmp" }] }],
    });
  });

  test("are started at once by an annotation, once for each value, also while suspended", async () => {
    await using cluster = await testCluster(endless);
    await cronTab(cluster, { cronSpec: "0 3 * * *", suspend: true });
    await cluster.settle();
    for (const value of ["first", "first", "second"]) {
      await annotate(cluster, value);
      await cluster.settle();
    }
    expect(await cluster.list(Job)).toHaveLength(2);
    expect(await statusOf(cluster)).toMatchObject({ active: 2, lastRunNow: "second" });
    expect((await statusOf(cluster)).lastScheduleTime).toBeUndefined();
    await cluster.restartManager();
    await cluster.settle();
    expect(await cluster.list(Job)).toHaveLength(2);
  });
});

describe("CronTab: a Job that cannot be created is reported, and the schedule goes on", () => {
  const quota = (hard: string) => ({ name: "none", spec: { hard: { "count/jobs.batch": hard } } });

  test("under a quota of no Jobs, with a run within one period after the quota is lifted", async () => {
    await using cluster = await testCluster(endless);
    await cluster.create(ResourceQuota, quota("0"));
    await cluster.advance("1s");
    await cronTab(cluster, { cronSpec: "*/5 * * * * *" });
    await cluster.advance("8m");
    const status = await statusOf(cluster);
    expect(status.conditions).toMatchObject([
      {
        type: "Ready",
        status: "False",
        reason: "StartFailed",
        message: expect.stringContaining("exceeded quota"),
      },
      { type: "Degraded", status: "True", reason: "StartFailed" },
    ]);
    expect(status.lastScheduleTime).toBeUndefined();
    expect(Date.parse(status.nextRun ?? "")).toBeGreaterThan(cluster.now());
    // Each run is missed once, when the next is due; the last is still tried.
    const due = (8 * 60) / 5;
    expect(status.missed).toBeGreaterThanOrEqual(due - 2);
    expect(status.missed).toBeLessThan(due);
    const refused = (await events(cluster)).filter(({ reason }) => reason === "StartFailed");
    expect(refused).toHaveLength(1);
    // Named as the server names objects whose name it generates: without what differs from run to run.
    expect(refused[0]?.message).toMatch(
      /^create Job default\/(\S+-): jobs\.batch "\1" is forbidden: exceeded quota/,
    );
    await cluster.delete(ResourceQuota, "none");
    await cluster.advance("5s");
    expect((await seconds(cluster)).length).toBeGreaterThan(0);
    await cluster.advance("5s");
    expect((await statusOf(cluster)).conditions).toMatchObject([
      { type: "Ready", status: "True" },
      { type: "Degraded", status: "False" },
    ]);
  });

  test.each([
    ["a bad name of a variable", { env: [{ name: "a=b", value: "c" }] }, "env[0].name"],
    ["an empty image", { image: "" }, "image"],
  ])("%s", async (_, wrong, message) => {
    await using cluster = await testCluster(endless);
    await cronTab(cluster, wrong);
    await cluster.advance("61s");
    expect((await statusOf(cluster)).conditions?.[0]).toMatchObject({
      status: "False",
      reason: "StartFailed",
      message: expect.stringContaining(message),
    });
    expect((await texts(cluster)).join()).toContain("StartFailed");
    expect(cluster.errors).toEqual([]);
  });

  test.each([403, 500])(
    "a server that answers %i, and a run within a period of its recovery",
    async (code) => {
      await using cluster = await testCluster(endless);
      await cronTab(cluster, {});
      await cluster.advance("1s");
      const broken = cluster.faults.fail(
        ({ client, verb, resource }) =>
          client.startsWith("test") && verb === "create" && resource.startsWith("jobs"),
        { code },
        { times: Number.POSITIVE_INFINITY },
      );
      await cluster.advance("1h");
      const { conditions } = await statusOf(cluster);
      expect(conditions?.some(({ type, status }) => type === "Ready" && status === "False")).toBe(true);
      expect((await events(cluster)).some(({ type }) => type === "Warning")).toBe(true);
      broken.remove();
      await cluster.advance("60s");
      expect((await seconds(cluster)).length).toBeGreaterThan(0);
      expect((await statusOf(cluster)).conditions?.find(({ type }) => type === "Ready")?.status).toBe("True");
    },
  );
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

describe("a CronTab under the smallest CRD, without status", () => {
  const sample = { name: "my-new-cron-object", spec: { cronSpec: "* * * * * *", image: "busybox" } };

  test("has one run every second, and old ones are deleted", async () => {
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

  test("is not written to repeatedly", async () => {
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

  test.each([
    ["a wrong schedule", { cronSpec: "never", image: "busybox" }, "a schedule has 5 fields"],
    ["no schedule", {}, "spec.cronSpec is missing"],
    ["no spec", undefined, "spec.cronSpec is missing"],
  ])("%s is reported by an event", async (_, spec, message) => {
    await using cluster = await testCluster({ ...endless, resources: [] });
    await cluster.client.create(CustomResourceDefinition, minimal);
    await cluster.advance("1m");
    await cluster.client.raw("/apis/stable.example.com/v1/namespaces/default/crontabs", {
      method: "POST",
      body: { apiVersion: "stable.example.com/v1", kind: "CronTab", metadata: { name: "tick" }, spec },
    });
    await cluster.advance("1s");
    expect((await texts(cluster)).join()).toContain(`InvalidSchedule: ${message}`);
  });

  test("an annotation starts a run now, once", async () => {
    await using cluster = await testCluster({ ...endless, resources: [] });
    await cluster.client.create(CustomResourceDefinition, minimal);
    await cluster.advance("1m");
    await cluster.create(CronTab, { name: "tick", spec: { ...sample.spec, cronSpec: "0 3 * * *" } });
    await annotate(cluster, "now");
    await cluster.settle();
    expect(await cluster.list(Job)).toHaveLength(1);
    await cluster.restartManager();
    await cluster.advance("1m");
    expect(await cluster.list(Job)).toHaveLength(1);
  });

  test("has no run repeated after a restart of the operator", async () => {
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

test("CronTab: names of runs are short enough for a Job, and differ by CronTab and by second", () => {
  const long = `${"a".repeat(60)}.b`;
  const names = [runName("a", 0), runName("a", 1_000), runName(long, 0), runName(`${long}c`, 0)];
  expect(new Set(names).size).toBe(4);
  for (const name of names) expect(name.length).toBeLessThanOrEqual(63);
  expect(scheduledAnnotation).toContain("stable.example.com/");
});

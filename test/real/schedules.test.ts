// The schedule operators on the cluster of KUBECONFIG, each in a namespace of its own, run from here, in real time. Their webhooks are
// left out: that cluster cannot reach this machine. Only `npm run test:real` runs it; it installs the operators' kinds and leaves them.
import { Deployment, HorizontalPodAutoscaler, Job } from "@kubewright/api";
import { customKindsOf } from "@kubewright/runtime";
import { isRealCluster, testClusterFromEnvironment } from "@kubewright/testing/environment";
import { describe, expect, test } from "vitest";
import { CronTab } from "../../operators/crontab/src/api/v1/cron-tab.js";
import { runNowAnnotation } from "../../operators/crontab/src/controllers/runs.js";
import crontab from "../../operators/crontab/src/main.js";
import { Hpa } from "../../operators/scheduled-scaler/src/api/v1/hpa.js";
import scaler from "../../operators/scheduled-scaler/src/main.js";

const image = "registry.k8s.io/pause:3.10";
const labels = { app: "web" };
const scaleTarget = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };

describe.skipIf(!isRealCluster())("on a real cluster", () => {
  test("a timetable scales a Deployment, keeps its size, and gives an autoscaler its bounds back", {
    timeout: 300_000,
  }, async () => {
    const namespace = "kubewright-scheduled-scaler";
    await using cluster = await testClusterFromEnvironment({
      resources: customKindsOf(scaler),
      manager: { ...scaler, webhooks: [] },
      namespace,
    });
    const template = { metadata: { labels }, spec: { containers: [{ name: "web", image }] } };
    await cluster.create(Deployment, {
      name: "web",
      spec: { replicas: 1, selector: { matchLabels: labels }, template },
    });
    const jobs = [{ name: "up", schedule: "*/1 * * * *", size: 3 }];
    await cluster.create(Hpa, { name: "plan", spec: { scaleTarget, jobs } });
    const limit = { timeout: "2m" } as const;
    await cluster.eventually(Deployment, "web", ({ spec }) => spec?.replicas === 3, limit);
    await cluster.client.scale(Deployment, "web", 1, { namespace });
    await cluster.eventually(Hpa, "plan", ({ status }) => status?.restored === 1, limit);
    await cluster.eventually(Deployment, "web", ({ spec }) => spec?.replicas === 3, limit);
    await cluster.create(HorizontalPodAutoscaler, {
      name: "auto",
      spec: { scaleTargetRef: scaleTarget, minReplicas: 2, maxReplicas: 5 },
    });
    await cluster.eventually(HorizontalPodAutoscaler, "auto", ({ spec }) => spec?.minReplicas === 3, limit);
    await cluster.delete(Hpa, "plan");
    const own = await cluster.eventually(
      HorizontalPodAutoscaler,
      "auto",
      ({ spec, metadata }) =>
        spec?.minReplicas === 2 && !metadata?.annotations?.["autoscal.aiops.org/window"],
      limit,
    );
    expect(JSON.stringify(own.metadata?.managedFields ?? [])).not.toContain('"f:minReplicas"');
    expect(cluster.errors).toEqual([]);
  });

  test("a CronTab starts a Job at each time, and one when it is asked to", { timeout: 300_000 }, async () => {
    const namespace = "kubewright-crontab";
    await using cluster = await testClusterFromEnvironment({
      resources: customKindsOf(crontab),
      manager: { ...crontab, webhooks: [] },
      namespace,
    });
    const spec = { cronSpec: "*/5 * * * * *", image, concurrencyPolicy: "Replace" } as const;
    await cluster.create(CronTab, { name: "tick", spec });
    const limit = { timeout: "1m" } as const;
    await cluster.eventually(CronTab, "tick", ({ status }) => status?.lastScheduleTime !== undefined, limit);
    const patch = {
      merge: { spec: { suspend: true }, metadata: { annotations: { [runNowAnnotation]: "once" } } },
    };
    await cluster.client.patch(CronTab, "tick", patch as never, { namespace });
    await cluster.eventually(CronTab, "tick", ({ status }) => status?.lastRunNow === "once", limit);
    const jobs = await cluster.list(Job);
    expect(jobs.filter(({ metadata }) => metadata?.annotations?.[runNowAnnotation] === "once")).toHaveLength(
      1,
    );
    expect(cluster.errors).toEqual([]);
  });
});

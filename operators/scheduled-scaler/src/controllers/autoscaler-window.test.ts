import { Deployment, HorizontalPodAutoscaler } from "@kubewright/api";
import { everyCrashPoint, type TestCluster, testCluster } from "@kubewright/testing";
import { describe, expect, test } from "vitest";
import { Hpa } from "../api/v1/hpa.js";
import {
  change,
  deploy,
  namespace,
  notes,
  options,
  replicas,
  scaleTarget,
  timetable,
} from "./fixtures/timetables.js";

describe("Hpa: an autoscaler of the target", () => {
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

  test("gets its own bounds back when the timetable is deleted, or changes its target", async () => {
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

  test("gets its own bounds back while the timetable is suspended", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster, 3);
    await autoscale(cluster);
    await timetable(cluster, { jobs });
    await cluster.advance("61m");
    await change(cluster, { suspend: true });
    await cluster.settle();
    expect(await bounds(cluster)).toEqual([2, 10, 0]);
    expect((await notes(cluster)).at(-1)).toBe(
      "WindowClosed: autoscaler auto has its own bounds back: 2 to 10",
    );
    await change(cluster, { suspend: false });
    await cluster.advance("1h");
    expect(await bounds(cluster)).toEqual([5, 10, 1]);
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

  test("keeps changes that its owner makes meanwhile", async () => {
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

  test("is disabled by a job of size 0, and enabled by the next larger one", async () => {
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

  test("has its bounds moved again when its owner applies the same file again", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster, 3);
    await autoscale(cluster);
    await timetable(cluster, { jobs });
    await cluster.advance("61m");
    const same = { merge: { spec: { minReplicas: 2, maxReplicas: 10 } } };
    await cluster.client.patch(HorizontalPodAutoscaler, "auto", same, { namespace });
    await cluster.settle();
    expect(await bounds(cluster)).toEqual([12, 12, 1]);
    expect((await notes(cluster)).join()).toContain("Restored: Deployment web had other bounds");
    await cluster.advance("2h");
    expect(await bounds(cluster)).toEqual([2, 10, 0]);
  });

  test("has both bounds set by a job with both, and is capped by a job with only a maximum", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster, 3);
    await autoscale(cluster);
    await timetable(cluster, {
      jobs: [
        { name: "both", schedule: "0 1 * * *", size: 4, minReplicas: 3, maxReplicas: 6 },
        { name: "cap", schedule: "0 2 * * *", maxReplicas: 5 },
        { name: "low", schedule: "0 3 * * *", maxReplicas: 1 },
      ],
    });
    await cluster.advance("61m");
    expect(await bounds(cluster)).toEqual([3, 6, 1]);
    await cluster.advance("1h");
    expect(await bounds(cluster)).toEqual([2, 5, 1]);
    await cluster.advance("1h");
    expect(await bounds(cluster)).toEqual([1, 1, 1]);
  });

  test("a job with bounds keeps a target without an autoscaler within them", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster, 9);
    await timetable(cluster, {
      jobs: [{ name: "cap", schedule: "0 1 * * *", minReplicas: 2, maxReplicas: 5 }],
    });
    await cluster.advance("61m");
    expect(await replicas(cluster)).toBe(5);
    await cluster.client.scale(Deployment, "web", 3, { namespace });
    await cluster.settle();
    expect(await replicas(cluster)).toBe(3);
  });

  test.each([
    ["is deleted", (cluster: TestCluster) => cluster.delete(Hpa, "plan")],
    ["is suspended", (cluster: TestCluster) => change(cluster, { suspend: true })],
  ])("can be applied server-side by its owner after the timetable %s", async (_, end) => {
    await using cluster = await testCluster(options);
    await deploy(cluster, 3);
    await autoscale(cluster);
    await timetable(cluster, { jobs });
    await cluster.advance("61m");
    await end(cluster);
    await cluster.settle();
    expect(await bounds(cluster)).toEqual([2, 10, 0]);
    const { metadata } = await cluster.get(HorizontalPodAutoscaler, "auto");
    expect(JSON.stringify(metadata?.managedFields)).not.toContain("f:minReplicas");
    const owners = {
      metadata: { name: "auto", namespace },
      spec: { scaleTargetRef: scaleTarget, minReplicas: 3, maxReplicas: 7 },
    };
    await cluster.client.apply(HorizontalPodAutoscaler, owners, { fieldManager: "owner" });
    expect(await bounds(cluster)).toEqual([3, 7, 0]);
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

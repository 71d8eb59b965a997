import { ReplicationController, StatefulSet } from "@kubewright/api";
import { defineResource, z } from "@kubewright/schema";
import { testCluster } from "@kubewright/testing";
import { describe, expect, test } from "vitest";
import { Hpa } from "../api/v1/hpa.js";
import {
  deploy,
  labels,
  notes,
  options,
  replicas,
  statusOf,
  template,
  timetable,
} from "./fixtures/timetables.js";

describe("Hpa: targets", () => {
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
    await using cluster = await testCluster({ ...options, resources: [...options.resources, Widget] });
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

  test("that are missing are reported, waited for, and scaled when they come", async () => {
    await using cluster = await testCluster(options);
    await timetable(cluster, { jobs: [{ name: "up", schedule: "0 1 * * *", size: 3 }] });
    await cluster.advance("1s");
    expect((await statusOf(cluster)).conditions).toMatchObject([
      { status: "False", reason: "TargetNotFound" },
    ]);
    await cluster.advance("90m");
    expect((await statusOf(cluster)).jobs?.[0]?.message).toContain("waits: there is no Deployment web");
    // Once for the run, not for every look.
    expect(await notes(cluster)).toEqual(["TargetNotFound: job up waits: there is no Deployment web"]);
    await deploy(cluster);
    await cluster.advance("61s");
    expect(await replicas(cluster)).toBe(3);
    expect((await statusOf(cluster)).conditions).toMatchObject([{ status: "True" }]);
  });

  test("whose scale call answers 500 are reported, and scaled within a period of its recovery", async () => {
    await using cluster = await testCluster(options);
    await deploy(cluster);
    const broken = cluster.faults.fail(
      { verb: "patch", resource: "deployments/scale" },
      { code: 500 },
      { times: Number.POSITIVE_INFINITY },
    );
    await timetable(cluster, { jobs: [{ name: "up", schedule: "*/10 * * * *", size: 3 }] });
    await cluster.advance("65m");
    expect((await statusOf(cluster)).conditions?.find(({ type }) => type === "Ready")).toMatchObject({
      status: "False",
      reason: "ReconcileFailed",
    });
    expect((await notes(cluster)).join()).toContain("ReconcileFailed");
    broken.remove();
    await cluster.advance("10m");
    expect(await replicas(cluster)).toBe(3);
    expect((await statusOf(cluster)).conditions?.find(({ type }) => type === "Ready")?.status).toBe("True");
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
    expect((await notes(cluster)).join()).toContain(
      "RunMissed: job up: it could not be carried out within 120 s of when it was due",
    );
  });

  test.each([
    [{ apiVersion: "v1", kind: "ConfigMap" }, "has no scale subresource"],
    [{ apiVersion: "nowhere.example.com/v1", kind: "Widget" }, "has no kind Widget"],
    [{ apiVersion: "a/b/c", kind: "Widget" }, "has no kind Widget"],
  ])("that cannot be scaled are reported: %o", async (target, message) => {
    await using cluster = await testCluster(options);
    await timetable(cluster, { scaleTarget: { ...target, name: "web" }, jobs });
    await cluster.advance("61s");
    expect((await statusOf(cluster)).conditions).toMatchObject([
      { status: "False", reason: "NotScalable", message: expect.stringContaining(message) },
    ]);
    expect(cluster.errors).toEqual([]);
  });
});

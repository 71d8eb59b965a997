import { describe, expect, test } from "vitest";
import type { EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import { measure, readsIn, sizeFor } from "./load.js";

const autoscaling = { min: 1, max: 5, targetReadsPerSecondPerMember: 100, cooldownSeconds: 60 };
const cluster = (lastScaleTime?: string): EtcdCluster =>
  ({ metadata: {}, spec: { autoscaling }, status: { lastScaleTime } }) as unknown as EtcdCluster;
const now = Date.parse("2026-01-01T00:10:00Z");

describe("the load of a cluster", () => {
  test("reads are counted by etcd itself", () => {
    expect(readsIn("etcd_mvcc_put_total 7\netcd_mvcc_range_total 1.5e+03\n")).toBe(1_500);
    expect(readsIn("")).toBe(0);
  });

  test("a rate needs two measurements; a member that started again begins at zero", () => {
    const first = measure(undefined, { a: 100, b: 100 }, now);
    expect(first.readsPerSecond).toBeUndefined();
    expect(measure(first, { a: 900 }, now + 1_000)).toBe(first);
    expect(measure(first, { a: 1_100, b: 50, c: 9_000 }, now + 10_000).readsPerSecond).toBe(105);
  });

  test.each([
    [1, 101, 3],
    [1, 99, 1],
    [3, 301, 5],
    [5, 900, 5],
    [3, 49, 1],
    [3, 51, 3],
    [7, 0, 5],
  ])("%i members with %i reads per second become %i", (present, readsPerSecond, size) => {
    expect(sizeFor(cluster(), present, { readsPerSecond }, now)).toBe(size);
  });

  test("nothing changes within the cooldown", () => {
    const before = cluster("2026-01-01T00:09:30Z");
    expect(sizeFor(before, 1, { readsPerSecond: 900 }, now)).toBe(1);
    expect(sizeFor(before, 1, { readsPerSecond: 900 }, now + 60_000)).toBe(3);
  });
});

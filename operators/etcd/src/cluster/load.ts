// The load of the members, from etcd's own counters, and the number of members that suits it. More members answer more reads; they make
// no write faster, so writes do not count.
import type { EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import type { EtcdClient } from "../client/etcd-client.js";

const defaultTarget = 2_000;
const defaultCooldown = 600;
/** Rates over less time than this are not measured. */
const shortestTime = 5_000;
/** A cluster shrinks when the members that stay would have less than this part of the target. */
const shrinkBelow = 0.5;

type Load = NonNullable<NonNullable<EtcdCluster["status"]>["load"]>;

/** Counts of reads by member. */
export type Counters = Readonly<Record<string, number>>;

/** Reads the counters of all members that answer. */
export async function readCounters(clients: ReadonlyMap<string, EtcdClient>): Promise<Counters> {
  const counters: Record<string, number> = {};
  await Promise.all(
    [...clients].map(async ([name, client]) => {
      const text = await client.metrics().catch(() => undefined);
      if (text !== undefined) counters[name] = readsIn(text);
    }),
  );
  return counters;
}

/** Reads of the store by all clients. */
export const readsIn = (metrics: string): number =>
  Number(/^etcd_mvcc_range_total ([0-9.e+]+)$/m.exec(metrics)?.[1] ?? 0);

/** The load since it was last measured; the former one while too little time has passed. A counter that fell was reset by a restart. */
export function measure(before: Load | undefined, counters: Counters, now: number): Load {
  const measuredAt = Date.parse(before?.measuredAt ?? "");
  const elapsed = now - measuredAt;
  if (before && elapsed < shortestTime) return before;
  const next = { counters, measuredAt: new Date(now).toISOString() };
  if (!before?.counters || !(elapsed > 0)) return next;
  let reads = 0;
  for (const [name, value] of Object.entries(counters)) {
    const from = before.counters[name];
    if (from !== undefined) reads += value >= from ? value - from : value;
  }
  return { ...next, readsPerSecond: Math.round((reads * 1_000) / elapsed) };
}

/** The number of members for a load, odd and within bounds; the present one within the cooldown. */
export function sizeFor(cluster: EtcdCluster, present: number, load: Load | undefined, now: number): number {
  const { autoscaling } = cluster.spec;
  if (!autoscaling) return present;
  const { min, max, targetReadsPerSecondPerMember: target = defaultTarget } = autoscaling;
  const bounded = Math.min(max, Math.max(min, present));
  if (bounded !== present) return bounded;
  const last = Date.parse(cluster.status?.lastScaleTime ?? "");
  const cooldown = (autoscaling.cooldownSeconds ?? defaultCooldown) * 1_000;
  const reads = load?.readsPerSecond;
  if (reads === undefined || now - last < cooldown) return present;
  if (reads > target * present) return Math.min(max, present + 2);
  return present - 2 >= min && reads < target * (present - 2) * shrinkBelow ? present - 2 : present;
}

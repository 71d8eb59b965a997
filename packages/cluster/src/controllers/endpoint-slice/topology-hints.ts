// Traffic that stays in its zone, where that is fair: every zone gets a share of the endpoints that fits its share of the
// processors. Where it cannot be had without overloading some, there are no hints, and an event says why.
import { Amount, type Endpoint, findCondition, type Node, type Service } from "@kubewright/api";

/** No endpoint should have more than this much too much to do. */
const overload = 0.2;

/** The shares of zones in all processors, by name; undefined when they cannot be known. */
export type ZoneShares = ReadonlyMap<string, number> | undefined;

export type Hints =
  | { readonly zones: readonly (string | undefined)[]; readonly problem?: undefined }
  | { readonly problem: string };

/** Whether a Service asks for endpoints to be shared out by zones. */
export function isTopologyAware({ metadata }: Service): boolean {
  const { annotations = {} } = metadata ?? {};
  const mode =
    annotations["service.kubernetes.io/topology-mode"] ??
    annotations["service.kubernetes.io/topology-aware-hints"];
  return mode === "Auto" || mode === "auto";
}

/** The shares of ready nodes' zones; nodes of the control plane do not count. */
export function zoneShares(nodes: Iterable<Node>): ZoneShares {
  const processors = new Map<string, number>();
  let total = 0;
  for (const { metadata, status } of nodes) {
    const { labels = {} } = metadata ?? {};
    if ("node-role.kubernetes.io/control-plane" in labels || "node-role.kubernetes.io/master" in labels)
      continue;
    if (findCondition(status?.conditions, "Ready")?.status !== "True") continue;
    const zone = labels["topology.kubernetes.io/zone"];
    const amount = Amount.parse(status?.allocatable?.["cpu"] ?? "0").toNumber();
    if (!zone || amount === 0) return undefined;
    processors.set(zone, (processors.get(zone) ?? 0) + amount);
    total += amount;
  }
  if (processors.size < 2) return undefined;
  return new Map([...processors].map(([zone, amount]) => [zone, amount / total]));
}

/** The zone each endpoint is for; those that are not ready are for none. */
export function shareOut(endpoints: readonly Endpoint[], shares: ZoneShares): Hints {
  const ready = endpoints.filter(({ conditions }) => conditions?.ready);
  const goals = goalsFor(ready.length, shares);
  if (typeof goals === "string") return { problem: goals };
  if (ready.some(({ zone }) => !zone))
    return { problem: "One or more endpoints do not have a zone specified" };
  const zones = endpoints.map(({ zone, conditions }) => (conditions?.ready ? zone : undefined));
  if (ready.length > 0) redistribute(zones, goals);
  return { zones };
}

/** How many endpoints each zone should have, or why that cannot be. */
function goalsFor(count: number, shares: ZoneShares): ReadonlyMap<string, number> | string {
  if (!shares)
    return "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes";
  const among = `(${count} endpoints, ${shares.size} zones)`;
  if (shares.size > count) return `Insufficient number of endpoints ${among}`;
  const goals = new Map<string, number>();
  let left = count;
  for (const [zone, share] of shares) {
    const least = Math.ceil((share * count) / (1 + overload));
    goals.set(zone, Math.max(share * count, least));
    left -= least;
  }
  return left >= 0
    ? goals
    : `Unable to allocate minimum required endpoints to each zone without exceeding overload threshold ${among}`;
}

/** Gives endpoints of zones that have too many to those that have too few. */
function redistribute(zones: (string | undefined)[], goals: ReadonlyMap<string, number>): void {
  const excess = new Map([...goals].map(([zone, goal]) => [zone, -goal]));
  for (const zone of zones)
    if (zone !== undefined && goals.has(zone)) excess.set(zone, (excess.get(zone) ?? 0) + 1);
  for (;;) {
    const [giver, most] = extreme(excess, 1);
    const [taker, least] = extreme(excess, -1);
    if (most < 0.5 || least < 0.5 || (most < 1 && least < 1)) return;
    const at = zones.indexOf(giver);
    if (at < 0) return;
    zones[at] = taker;
    excess.set(giver, (excess.get(giver) ?? 0) - 1);
    excess.set(taker, (excess.get(taker) ?? 0) + 1);
  }
}

/** The zone that has most too many, or too few. */
function extreme(excess: ReadonlyMap<string, number>, sign: 1 | -1): readonly [zone: string, by: number] {
  let found: readonly [string, number] = ["", 0];
  for (const [zone, by] of excess) if (by * sign > found[1]) found = [zone, by * sign];
  return found;
}

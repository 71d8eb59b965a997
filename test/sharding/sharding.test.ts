// Replicas that share a controller's keys, on the embedded server and in virtual time.
import { ConfigMap, Lease } from "@kubewright/api";
import {
  defineController,
  defineManager,
  leaderElectionPermissions,
  type RunningManager,
  shardingPermissions,
} from "@kubewright/runtime";
import { describe, expect, test } from "vitest";
import { Box, boxNamed, copiesOf, Harness, namespace } from "../runtime-controllers/harness.js";

const names = Array.from({ length: 40 }, (_, index) => `box-${index}`);

/** Who has which box in flight, and who had it last. */
class Ledger {
  readonly inHand = new Map<string, string>();
  readonly last = new Map<string, string>();
  readonly clashes: string[] = [];
  count = 0;

  controllerOf(replica: string, work: number) {
    return defineController(Box, {
      owns: [ConfigMap],
      concurrency: 5,
      reconcile: async (box, ctx) => {
        const name = box.metadata.name ?? "";
        if (this.inHand.has(name)) this.clashes.push(`${name}: ${this.inHand.get(name)} and ${replica}`);
        this.inHand.set(name, replica);
        this.last.set(name, replica);
        this.count += 1;
        try {
          await ctx.sleep(work);
          for (const copy of copiesOf(box)) await ctx.apply(ConfigMap, copy);
          ctx.status({ note: replica });
        } finally {
          this.inHand.delete(name);
        }
        return { requeueAfter: 5_000 };
      },
    });
  }
}

async function replica(harness: Harness, ledger: Ledger, name: string, work = 100): Promise<RunningManager> {
  return harness.manage([ledger.controllerOf(name, work)], {
    client: harness.wire(name),
    namespace,
    identity: name,
    manager: { sharding: true },
  });
}

/** How many boxes each replica had last. */
function shares({ last }: Ledger): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of last.values()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

async function withBoxes(): Promise<Harness> {
  const harness = await Harness.start();
  for (const name of names) await harness.client.create(Box, boxNamed(name));
  return harness;
}

describe("replicas", () => {
  test("share the boxes, take over from who leaves, and never clash", async () => {
    await using harness = await withBoxes();
    const ledger = new Ledger();
    await replica(harness, ledger, "one");
    await harness.clock.advance(20_000);
    expect(shares(ledger)).toEqual({ one: 40 });
    const two = await replica(harness, ledger, "two");
    await harness.clock.advance(30_000);
    const { one = 0, two: second = 0 } = shares(ledger);
    expect(one + second).toBe(40);
    expect(Math.min(one, second)).toBeGreaterThan(8);
    expect(two.isLeader).toBe(true);
    expect(two.metrics.format()).toContain("kubewright_shard_members 2\n");
    await harness.clock.runUntilSettled(two.close());
    await harness.clock.advance(30_000);
    expect(shares(ledger)).toEqual({ one: 40 });
    expect(ledger.clashes).toEqual([]);
    const { items } = await harness.client.list(Lease, { namespace });
    expect(items.map(({ metadata }) => metadata?.name)).toHaveLength(2);
  });

  test("that are cut off stop before others take over, and come back under a new name", async () => {
    await using harness = await withBoxes();
    const ledger = new Ledger();
    const one = await replica(harness, ledger, "one", 3_000);
    await replica(harness, ledger, "two", 3_000);
    await harness.clock.advance(60_000);
    const before = shares(ledger);
    harness.interfere = ({ userAgent }) => (userAgent === "one" ? "hang" : undefined);
    await harness.clock.advance(60_000);
    expect(one.isLeader).toBe(false);
    expect(shares(ledger)).toEqual({ two: 40 });
    harness.interfere = () => undefined;
    await harness.clock.advance(120_000);
    expect(one.isLeader).toBe(true);
    expect(Object.keys(shares(ledger)).sort()).toEqual(["one", "two"]);
    expect(before["one"]).toBeGreaterThan(0);
    expect(ledger.clashes).toEqual([]);
  });

  test("give up what they cannot finish in time", async () => {
    await using harness = await withBoxes();
    const ledger = new Ledger();
    await replica(harness, ledger, "slow", 3_600_000);
    await harness.clock.advance(10_000);
    const held = [...ledger.inHand.keys()];
    expect(held).toHaveLength(5);
    const quick = new Ledger();
    await replica(harness, quick, "quick");
    await harness.clock.advance(25_000);
    for (const name of held) expect(quick.last.has(name)).toBe(false);
    await harness.clock.advance(30_000);
    expect(quick.last.size).toBeGreaterThan(8);
    expect([...quick.last.keys()].filter((name) => ledger.inHand.has(name))).toEqual([]);
  });

  test("need a leader for what is not shared", () => {
    const alone = defineController(Box, { sharded: false, reconcile: () => undefined });
    const options = { name: "test", controllers: [alone], sharding: true };
    expect(() => defineManager(options)).toThrow('controller "box" is not sharded');
    expect(() => defineManager({ ...options, leaderElection: true })).not.toThrow();
  });

  test("know what they must be allowed to do", () => {
    const rule = { apiGroups: ["coordination.k8s.io"], resources: ["leases"] };
    expect(leaderElectionPermissions()).toEqual([{ ...rule, verbs: ["get", "create", "update"] }]);
    expect(shardingPermissions()).toEqual([
      { ...rule, verbs: ["get", "list", "create", "update", "delete"] },
    ]);
  });
});
